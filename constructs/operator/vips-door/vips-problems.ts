import type { Refusal } from '../../../operator/errors/outcome';
import { vipsProblems, type VipsFields } from '../../../operator/settings/vips-settings';
import { OPTIONS } from '../../../operator/settings/options';
import { servesServices, type ServicesDoorOwner } from '../services-door/services-process';
import { numberProblems } from '../process/number-problems';
import type { VipsDoorOwner } from './vips-process';

/** Names of the props in messages; those of the Helm chart are the same. */
export const VIPS_PROPS: VipsFields = {
  vips: 'vips.enabled',
  classes: 'vips.loadBalancerClasses',
  classless: 'vips.classless',
  migration: 'vips.migration',
  defaultZone: 'services.defaultZone',
  servicesClasses: 'services.loadBalancerClasses',
};

/**
 * Checks the VIPs door as the operator does at its start: a Service belongs to one door.
 *
 * @param props - of the installation
 * @returns every problem at once; where the door is off, that the migration needs it
 */
export function vipsDoorProblems(props: VipsDoorOwner & Pick<ServicesDoorOwner, 'services'>): readonly Refusal[] {
  const { vips = {}, services = {} } = props;
  const settings = {
    vips: vips.enabled === true,
    vipsClasses: vips.loadBalancerClasses ?? OPTIONS.vipsClasses.default,
    vipsClassless: vips.classless === true,
    vipsMigration: vips.migration === true,
    services: servesServices(props),
    defaultZone: services.defaultZone ?? '',
    loadBalancerClasses: services.loadBalancerClasses ?? [],
    standalone: false,
  };
  return [
    ...vipsProblems(settings, VIPS_PROPS),
    ...numberProblems('vips.orphanGraceSeconds', 'vipsOrphanGraceSeconds', vips.orphanGraceSeconds),
  ];
}
