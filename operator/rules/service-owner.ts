import { LOAD_BALANCER } from '../contract/service';

/** A front door that serves Services. */
export type ServiceDoor = 'services' | 'vips';

/** Which Services the doors take; a door that is switched off is absent. */
export interface OwnerSettings {
  readonly services?: {
    /** Values of `spec.loadBalancerClass` that are ours. */
    readonly loadBalancerClasses: readonly string[];
    /** Zone of Services that name none; set: every Service without a class is ours. */
    readonly defaultZone?: string;
  };
  readonly vips?: {
    readonly loadBalancerClasses: readonly string[];
    /** True: the door takes Services without a class. */
    readonly classless: boolean;
  };
}

/** What decides about the owner. */
export interface OwnerFacts {
  readonly type: string;
  readonly loadBalancerClass?: string;
  /** True when it carries an `ipam.vitistack.io/*` wish. */
  readonly hasWish: boolean;
  /** Door whose claim the Service has already, from the record. */
  readonly claimedBy?: ServiceDoor;
}

/**
 * Decides whose Service it is: of one door or of none of ours.
 *
 * @param facts - type, class, wish and existing claim
 * @param settings - of the doors
 * @returns the door; undefined for a Service that we leave alone
 */
export function serviceOwner(facts: OwnerFacts, settings: OwnerSettings): ServiceDoor | undefined {
  if (facts.type !== LOAD_BALANCER) return undefined;
  if (facts.claimedBy !== undefined) return facts.claimedBy; // whatever the settings became since
  if (facts.loadBalancerClass !== undefined) return ownerOfClass(facts.loadBalancerClass, settings);
  const { services, vips } = settings;
  if (services !== undefined && (facts.hasWish || services.defaultZone !== undefined)) return 'services';
  return vips?.classless === true ? 'vips' : undefined;
}

function ownerOfClass(name: string, { services, vips }: OwnerSettings): ServiceDoor | undefined {
  if (services?.loadBalancerClasses.includes(name) === true) return 'services';
  return vips?.loadBalancerClasses.includes(name) === true ? 'vips' : undefined;
}
