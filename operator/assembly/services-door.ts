import { EXCLUDED_NAMESPACES } from '../contract/group';
import type { ServicesDoorSettings } from '../front-doors/services/wanted/door-parts';
import type { Settings } from '../settings/options';

/**
 * Picks the settings of the Services door.
 *
 * @param settings - of the process
 * @returns those that webhook and controller share
 */
export function servicesDoorSettings(settings: Settings): ServicesDoorSettings {
  return {
    excludedNamespaces: [...EXCLUDED_NAMESPACES, ...settings.excludedNamespaces],
    loadBalancerClasses: settings.loadBalancerClasses,
    whenUnavailable: settings.whenUnavailable,
    deadlineSeconds: settings.admissionDeadlineSeconds,
  };
}
