import type { Refusal } from '../errors/outcome';
import type { Settings } from './options';
import { invalidField } from './refusals';

/** Settings that say which Services the VIPs door serves. */
type VipsSettings = Pick<
  Settings,
  | 'vips'
  | 'vipsClasses'
  | 'vipsClassless'
  | 'vipsMigration'
  | 'defaultZone'
  | 'services'
  | 'standalone'
  | 'loadBalancerClasses'
>;

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type VipsFields = Readonly<
  Record<'vips' | 'classes' | 'classless' | 'migration' | 'defaultZone' | 'servicesClasses', string>
>;

/** Names at start. */
export const VIPS_FLAGS: VipsFields = {
  vips: '--vips',
  classes: '--vips-load-balancer-classes',
  classless: '--vips-classless',
  migration: '--vips-migration',
  defaultZone: '--default-zone',
  servicesClasses: '--load-balancer-classes',
};

/**
 * Finds what stands against the VIPs door: a Service belongs to one door.
 *
 * @param settings - what was set; an empty text is "not set"
 * @param fields - names for the messages
 * @returns every problem at once, `settings/invalid`; where the door is off, that it is needed
 */
export function vipsProblems(settings: VipsSettings, fields: VipsFields): readonly Refusal[] {
  const { vips, vipsClasses, vipsClassless, vipsMigration, defaultZone, services, standalone, loadBalancerClasses } =
    settings;
  if (!vips) return vipsMigration ? [invalidField(fields.migration, `is a part of ${fields.vips}; set that too`)] : [];
  const both = services ? vipsClasses.filter((each) => loadBalancerClasses.includes(each)) : [];
  return [
    ...(standalone ? [invalidField(fields.vips, 'needs a cluster, which keeps its addresses as objects')] : []),
    ...(vipsClassless && services && defaultZone !== ''
      ? [
          invalidField(
            fields.classless,
            `is not possible with ${fields.defaultZone}: both serve every Service without a class`,
          ),
        ]
      : []),
    ...(vipsClasses.length === 0 && !vipsClassless
      ? [invalidField(fields.classes, `serves nothing; give a class, or set ${fields.classless}`)]
      : []),
    ...both.map((each) =>
      invalidField(fields.classes, `"${each}" stands in ${fields.servicesClasses} too; leave out one of both`),
    ),
  ];
}
