import { LOAD_BALANCER } from '../contract/service';
import type { Refusal } from '../errors/outcome';

/** A front door that serves Services. */
export type ServiceDoor = 'services' | 'vips';

/** Class of the VIPs door unless its settings name others. */
export const DEFAULT_VIPS_CLASSES: readonly string[] = ['paas.org/vip'];

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

/**
 * Finds settings by which a Service would belong to two doors, or to a door and to MetalLB.
 *
 * @param settings - of the doors
 * @param metallb - how MetalLB beside us is set up
 * @param metallb.present - false where no MetalLB runs
 * @param metallb.loadBalancerClass - its own class; absent: it takes every Service without a class
 * @returns every problem; empty when each Service has at most one owner
 */
export function ownerSettingsProblems(
  settings: OwnerSettings,
  metallb: { readonly present: boolean; readonly loadBalancerClass?: string } = { present: false },
): readonly Refusal[] {
  return [...classlessProblems(settings, metallb), ...sharedClasses(settings)];
}

function classlessProblems(
  { services, vips }: OwnerSettings,
  metallb: { readonly present: boolean; readonly loadBalancerClass?: string },
): readonly Refusal[] {
  if (vips?.classless !== true) return [];
  const problems: Refusal[] = [];
  if (services?.defaultZone !== undefined) {
    const zone = `services.defaultZone ("${services.defaultZone}")`;
    problems.push(
      invalid('vips.classless', `${zone} and vips.classless both take Services without a class; set one of them`),
    );
  }
  if (metallb.present && metallb.loadBalancerClass === undefined) {
    const why = 'MetalLB without a class of its own clears a status that it did not assign';
    problems.push(
      invalid('vips.classless', `vips.classless is not possible here: ${why}; give MetalLB a loadBalancerClass`),
    );
  }
  return problems;
}

function sharedClasses({ services, vips }: OwnerSettings): readonly Refusal[] {
  const theirs = vips?.loadBalancerClasses ?? [];
  return (services?.loadBalancerClasses ?? [])
    .filter((name) => theirs.includes(name))
    .map((name) =>
      invalid(
        'vips.loadBalancerClasses',
        `class "${name}" is listed for the Services door and for the VIPs door; keep it in one list`,
      ),
    );
}

function invalid(field: string, message: string): Refusal {
  return { code: 'settings/invalid', field, message };
}
