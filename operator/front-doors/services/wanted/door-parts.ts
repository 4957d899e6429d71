import type { Address, Family } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import type { AdmissionRequest } from '../../../contract/admission-review';
import type { ServiceView } from '../../../contract/service';
import type { AddressBook, Claimant, Grant } from '../../../ports/address-book';
import type { Cluster } from '../../../ports/cluster';
import type { Disputes } from '../../../ports/disputes';
import type { MetClaim } from '../../../ports/occupied-addresses';
import type { NamespaceFeed } from '../../../ports/namespace-feed';
import type { ServiceFeed } from '../../../ports/service-feed';
import type { RecordView } from '../../../ports/store';
import type { EventReader } from '../../../ports/event-reader';
import type { ServiceWriter } from '../../../ports/service-writer';
import type { ZoneSource } from '../../../ports/zone-source';
import type { Tools } from '../../../ports/tools';
import type { OwnerSettings } from '../../../rules/service-owner';
import type { Crowds } from './namespace-rate';

/** How the Services door behaves. */
export interface ServicesDoorSettings {
  /** Classes of Services that are ours; Services without a class need none. */
  readonly loadBalancerClasses: readonly string[];
  /** Which Services the VIPs door takes; absent when that door is switched off. */
  readonly vips?: NonNullable<OwnerSettings['vips']>;
  /** Answer while no address can be given: refuse, or admit without an address. */
  readonly whenUnavailable: 'deny' | 'admit';
  /** Seconds after which a review is answered by `whenUnavailable`. */
  readonly deadlineSeconds: number;
  /** Families that the MetalLB pools of the zones hold; absent: those of the cluster. */
  readonly poolFamilies?: readonly Family[];
  /**
   * Namespaces that the webhooks leave out, so that the controller gives nothing new there either.
   *
   * @default - `EXCLUDED_NAMESPACES`
   */
  readonly excludedNamespaces?: readonly string[];
}

/** Addresses of claims that something else than their holder shows. */
export interface MetAddresses {
  /** By what such an address is shown, in this cluster and in others; empty where nothing else shows it. */
  usesAt(place: Pick<Grant, 'network' | 'address'>): readonly MetClaim['use'][];
  /** Tells that a Service gave such an address up. */
  left(service: ServiceView, address: Address, use: MetClaim['use']): void;
}

/** Parts that the Services door works with. */
export interface ServicesDoorParts extends Tools {
  readonly book: AddressBook;
  readonly cluster: Cluster;
  readonly zones: ZoneSource;
  readonly settings: ServicesDoorSettings;
  /**
   * Where pools hold what is claimed: keys for MetalLB are written after the address is in its pool.
   *
   * @default - pools hold the prefixes of the zones, so nothing is to be waited for
   */
  readonly pools?: ZonePools;
  /**
   * Families that the MetalLB pool of a zone holds now; it tells of those that settings and zones do not speak of.
   *
   * @default - the pools are not looked at
   */
  readonly poolFamilies?: (zone: string) => readonly Family[] | undefined;
  /**
   * Sources that tell the users of the addresses of MetalLB's pools.
   *
   * @default - changes of pools are not checked
   */
  readonly holders?: PoolHolders;
  /**
   * Facts about MetalLB's pools, to tell why an address is not announced.
   *
   * @default - the pools are not looked at
   */
  readonly poolFacts?: PoolFacts;
  /**
   * Tells of changed labels, by which zones open and close for a namespace.
   *
   * @default - none; they are noticed at the next change of a Service or of the zones
   */
  readonly namespaces?: NamespaceFeed;
  /**
   * Tells of addresses that a system outside has for another owner.
   *
   * @default - nothing is compared
   */
  readonly disputes?: Disputes;
  /**
   * Finds the holder of an address of a zone, unless the claimant is it.
   *
   * @default - none: the claims are kept elsewhere
   */
  readonly heldByOthers?: (address: Address, claimant: Claimant) => Promise<string | undefined>;
  /**
   * Tells of claims at whose addresses something else is shown.
   *
   * @default - none
   */
  readonly met?: MetAddresses;
  /**
   * Where requests line up whose namespace has too many unbound reservations.
   *
   * @default - each asks again and again by itself
   */
  readonly crowds?: Crowds;
  /**
   * Called after the validating webhook allowed a review that is no dry run: standalone operation counts it as stored.
   *
   * @default - none; on a cluster only what the API server shows counts as stored
   */
  readonly admitted?: (request: AdmissionRequest) => Promise<void>;
}

/** Sources that tell the users of the addresses of a pool. */
export interface PoolHolders {
  readonly record: Pick<RecordView, 'list'>;
  readonly feed: ServiceFeed;
}

/** Pools of the zones in MetalLB, where the operator keeps them itself (`zonePools: claims`). */
export interface ZonePools {
  /** Resolves true once MetalLB's pool of the zone holds the address; false when that was waited for in vain. */
  published(zone: string, address: Address): Promise<boolean>;
}

/** Whether the pools of the load balancer are known: `absent` where it is not installed, `unknown` where none could be listed. */
export type PoolKnowledge = 'known' | 'absent' | 'unknown';

/** The pools of the load balancer, of any writer. */
export interface PoolFacts {
  /** Brings the facts up to date; costs a call only after a change, or while the pools cannot be listed. Never throws. */
  look(): Promise<PoolKnowledge>;
  /** Content of a pool; undefined when there is none of this name. */
  space(pool: string): PrefixSet | undefined;
  /** True when any pool holds the address. */
  holds(address: Address): boolean;
  /** True when a controller of the load balancer wrote a status on any pool. */
  anyHandled(): boolean;
  /** Tells of changes; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}

/** Further parts of the controller of the door. */
export interface ServicesControllerParts extends ServicesDoorParts {
  readonly feed: ServiceFeed;
  readonly writer: ServiceWriter;
  /** Events that the load balancer records about Services. */
  readonly events: EventReader;
}

/** The parts of the door that decide whose Service it is. */
export interface DeciderParts extends Pick<ServicesDoorParts, 'zones'> {
  readonly settings: Pick<ServicesDoorSettings, 'loadBalancerClasses' | 'excludedNamespaces' | 'vips'>;
}

/**
 * Puts together what decides whose Service it is.
 *
 * @param parts - settings and zones of the door
 * @returns the settings for `rules/service-owner`
 */
export function ownerSettings(parts: DeciderParts): OwnerSettings {
  const { loadBalancerClasses, vips } = parts.settings;
  const zones = parts.zones.current();
  const { defaultZone } = zones;
  return {
    services: { loadBalancerClasses, zones, ...(defaultZone === undefined ? {} : { defaultZone }) },
    ...(vips === undefined ? {} : { vips }),
  };
}
