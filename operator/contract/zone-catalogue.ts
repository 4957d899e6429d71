import type { Family } from '../addressing/address';
import type { EdgeAddresses } from '../addressing/edges';
import type { Prefix } from '../addressing/prefix';
import type { PrefixSet } from '../addressing/prefix-set';
import type { Range } from '../addressing/range';
import type { Refusal } from '../errors/outcome';
import type { LabelSelector } from './label-selector';

/** One zone as its author writes it: addresses under a name that Services ask for. */
export interface ZoneProps {
  /** DNS label; Services name it in `ipam.vitistack.io/zone`, and the MetalLB pool carries it. */
  readonly name: string;
  /**
   * Inside one network an address exists once; zones of different networks may hold the same numbers.
   *
   * @default 'default'
   */
  readonly network?: string;
  /** Space that may be given out, in CIDR notation, both families mixed as you like. */
  readonly prefixes: readonly string[];
  /**
   * Space that is never given: addresses, ranges (`10.0.0.1-10.0.0.9`) or CIDRs inside the prefixes.
   *
   * @default - nothing
   */
  readonly excluded?: readonly string[];
  /**
   * Namespaces that may use the zone, by their labels.
   *
   * @default - every namespace
   */
  readonly namespaces?: LabelSelector;
  /**
   * Seconds for which only the former holder may have a released address.
   *
   * @default 300
   */
  readonly quarantineSeconds?: number;
  /**
   * Most addresses that may be held in this zone, by all namespaces and clusters together.
   *
   * @default - no limit
   */
  readonly quota?: number;
  /**
   * A draining zone gives nothing new; its holders stay.
   *
   * @default false
   */
  readonly draining?: boolean;
  /**
   * The prefixes of the zone are the containers that NetBox has for it, so `prefixes` must be empty; the other fields apply to them.
   * Zones of NetBox that no entry names are served too, with the defaults.
   *
   * @default false
   */
  readonly fromNetBox?: boolean;
  /**
   * Use of the first and last address of an IPv4 prefix shorter than /31 and of the first of an IPv6 prefix shorter than /127:
   * `avoid` gives them to Services that name them, `use` to any. Prefixes that follow one another count as one.
   *
   * @default 'avoid' in a document of version 2, 'use' in one of version 1 and for prefixes of NetBox with `is_pool`
   */
  readonly edgeAddresses?: EdgeAddresses;
}

/** The zones document, as file, as ConfigMap `ipam-zones` and as what the constructs emit. */
export interface ZonesDocument {
  /** 2: zones avoid edge addresses where they say nothing of them; 1: they use them, as the installations before. */
  readonly version: 1 | 2;
  /** Settings of the Services front door that belong to the zones. */
  readonly services?: {
    /** Zone of a Service that names none; without it such a Service is left alone. */
    readonly defaultZone?: string;
  };
  readonly zones: readonly ZoneProps[];
}

/** One zone, parsed. */
export interface Zone {
  readonly name: string;
  readonly network: string;
  readonly prefixes: readonly Prefix[];
  readonly excluded: readonly Range[];
  /** Space that may be given out: the prefixes without the excluded. */
  readonly space: PrefixSet;
  /** Space for a Service that names no address: all of it, without its edges where they are avoided. */
  readonly choosable: PrefixSet;
  readonly edgeAddresses: EdgeAddresses;
  /** Families of the prefixes, IPv4 first. */
  readonly families: readonly Family[];
  readonly namespaces?: LabelSelector;
  readonly quarantineSeconds: number;
  readonly quota?: number;
  readonly draining: boolean;
  /** The prefixes come from NetBox; none as long as NetBox was not read. */
  readonly fromNetBox?: true;
}

/** Every zone of one valid document. */
export interface ZoneCatalogue {
  /** In the order of the document. */
  readonly zones: readonly Zone[];
  readonly names: readonly string[];
  readonly defaultZone?: string;
  /** Use of edge addresses where a zone says nothing of them. */
  readonly edgeAddresses: EdgeAddresses;
  /** Looks up a zone by its name. */
  zone(name: string): Zone | undefined;
}

/** A catalogue, or everything that is wrong with the document at once. */
export type ZonesOutcome =
  { readonly ok: true; readonly value: ZoneCatalogue } | { readonly ok: false; readonly problems: readonly Refusal[] };

/**
 * Puts zones together.
 *
 * @param document - zones and edge addresses of one valid document
 * @param defaultZone - name of that of Services that name none
 * @returns them, also by name
 */
export function catalogueOf(
  document: Pick<ZoneCatalogue, 'zones' | 'edgeAddresses'>,
  defaultZone: string | undefined,
): ZoneCatalogue {
  const { zones, edgeAddresses } = document;
  const byName = new Map(zones.map((zone) => [zone.name, zone]));
  return {
    zones,
    edgeAddresses,
    names: zones.map(({ name }) => name),
    ...(defaultZone === undefined ? {} : { defaultZone }),
    zone: (name) => byName.get(name),
  };
}

/** No zone at all. */
export const NO_ZONES: ZoneCatalogue = catalogueOf({ zones: [], edgeAddresses: 'avoid' }, undefined);
