import { IPAM, METALLB } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import { parkingKeys } from '../admission/waiting';

/**
 * Computes what is written on a stored Service that is to wait where MetalLB gives nothing.
 *
 * @param view - the stored Service
 * @param defaultZone - of the zones, if they have one
 * @returns annotations; null takes one away
 */
export function parkedValues(
  view: ServiceView,
  defaultZone: string | undefined,
): Readonly<Record<string, string | null>> {
  const keys = [...parkingKeys({ service: view }, { defaultZone, reservation: undefined })];
  // the zone need be kept only where the pool key named it
  const named = [METALLB.pool, METALLB.legacyPool].some((name) => (view.annotations[name] ?? '') !== '');
  const due = keys.filter(([name]) => name !== IPAM.zone || named);
  const changed = due.filter(([name, value]) => value !== undefined && view.annotations[name] !== value);
  return Object.fromEntries(changed.map(([name, value]) => [name, value ?? null]));
}
