import { IPAM } from '../contract/group';
import { LOAD_BALANCER, type ServiceView } from '../contract/service';
import { hasServiceWish, isTrueText, unknownKeys } from '../contract/service-annotations';
import { namedZone, type KnownZones } from './named-zone';

/** A front door that serves Services. */
export type ServiceDoor = 'services' | 'vips';

/** Which Services the doors take; a door that is switched off is absent. */
export interface OwnerSettings {
  readonly services?: {
    /** Values of `spec.loadBalancerClass` that are ours. */
    readonly loadBalancerClasses: readonly string[];
    /** Zone of Services that name none; set: every Service without a class is ours. */
    readonly defaultZone?: string;
    /** Zones by whose pools and addresses a Service is ours as well; absent where they are not known. */
    readonly zones?: KnownZones;
  };
  readonly vips?: {
    readonly loadBalancerClasses: readonly string[];
    /** True: the door takes Services without a class. */
    readonly classless: boolean;
  };
}

/** Facts that decide about the owner of a Service. */
export interface OwnerFacts {
  readonly service: ServiceView;
  /** The LoadBalancer before an UPDATE, or a stored one as it was last in order. */
  readonly live?: ServiceView;
  /**
   * True for a stored Service whose status shows an address that we did not give: as long as it asks for nothing it is left alone,
   * so that a new default zone or class, or an opened namespace, moves nothing.
   */
  readonly isServedElsewhere?: boolean;
  /** Door whose claim the Service has already, from the record. */
  readonly claimedBy?: ServiceDoor;
}

/**
 * Decides whose Service it is: of one door or of none of ours.
 *
 * @param facts - the Service, its former state and existing claim
 * @param settings - of the doors
 * @returns the door; undefined for a Service that we leave alone
 */
export function serviceOwner(facts: OwnerFacts, settings: OwnerSettings): ServiceDoor | undefined {
  const { service, live, claimedBy } = facts;
  if (service.type !== LOAD_BALANCER) return undefined;
  if (claimedBy !== undefined) return claimedBy; // whatever the settings became since
  const loadBalancerClass = service.loadBalancerClass ?? live?.loadBalancerClass;
  if (loadBalancerClass === undefined) return ownerOfClassless(facts, settings);
  const door = ownerOfClass(loadBalancerClass, settings);
  return door === 'services' && !isServed(facts, settings, true) ? undefined : door;
}

function ownerOfClassless(facts: OwnerFacts, settings: OwnerSettings): ServiceDoor | undefined {
  if (isServed(facts, settings, settings.services?.defaultZone !== undefined)) return 'services';
  return settings.vips?.classless === true ? 'vips' : undefined;
}

function isServed(facts: OwnerFacts, { services }: OwnerSettings, unasked: boolean): boolean {
  if (services === undefined) return false;
  if (asksForAddress(facts, services)) return true;
  return unasked && facts.isServedElsewhere !== true && !optsOut(facts.service);
}

/**
 * Tells whether a Service has opted out of the default zone.
 *
 * @param service - the object
 * @returns true where the key says so
 */
export function optsOut({ annotations }: Pick<ServiceView, 'annotations'>): boolean {
  return isTrueText(annotations[IPAM.optOut] ?? '');
}

function ownerOfClass(name: string, { services, vips }: OwnerSettings): ServiceDoor | undefined {
  if (services?.loadBalancerClasses.includes(name) === true) return 'services';
  return vips?.loadBalancerClasses.includes(name) === true ? 'vips' : undefined;
}

function asksForAddress({ service, live }: OwnerFacts, { zones }: NonNullable<OwnerSettings['services']>): boolean {
  // what a PUT stripped was asked for once and is put back, so it counts
  if (hasServiceWish(service.annotations) || (live !== undefined && hasServiceWish(live.annotations))) return true;
  return misspells(service, live) || (zones !== undefined && namedZone(service, zones) !== undefined);
}

// A key of ours that does not exist is a misspelt wish; a Service that is stored with one already stays whose it was.
function misspells({ annotations }: ServiceView, live: ServiceView | undefined): boolean {
  return unknownKeys(annotations).some((key) => annotations[key] !== live?.annotations[key]);
}
