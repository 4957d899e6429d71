import { isDeepStrictEqual } from 'node:util';

import { IPAM, METALLB, METALLB_POOL_KEYS, WAITING_POOL } from '../../../contract/group';
import { addressPlaceReadByMetalLb, poolReadByMetalLb } from '../../../contract/read-by-metallb';
import { LOAD_BALANCER, type ServiceView } from '../../../contract/service';
import { annotationPath } from '../../../contract/service-annotations';
import type { Refusal } from '../../../errors/outcome';
import { namedAddresses } from '../../../rules/wishes';

const KEYS: readonly string[] = [...Object.values(IPAM), ...Object.values(METALLB)];

/**
 * Refuses a Service that is being deleted and asks for an address that it did not ask for before: MetalLB serves such an object too,
 * but it must not be counted on any more. Anything else of it may change, since taking finalizers off must never fail.
 *
 * @param service - the new object, with a deletion timestamp
 * @param before - the stored object, of any type
 * @param staysOn - true while finalizers keep the object; without any it is gone with this change
 * @returns refusal `service/dying`; undefined where nothing new is asked for
 */
export function dyingProblem(
  service: ServiceView,
  before: ServiceView | undefined,
  staysOn: boolean,
): Refusal | undefined {
  const opened = staysOn && before !== undefined ? openedChoice(service, before) : undefined;
  const asked = newlyAsked(service, before) ?? opened;
  if (asked === undefined) return undefined;
  const message = `${asked.field}: the Service is being deleted, so it gets no new address; only what it has may stay until its finalizers are gone`;
  return { code: 'service/dying', ...asked, message };
}

function newlyAsked(
  service: ServiceView,
  before: ServiceView | undefined,
): { readonly field: string; readonly value?: string } | undefined {
  if (before?.type !== LOAD_BALANCER) return { field: 'spec.type', value: service.type };
  for (const name of ['loadBalancerClass', 'loadBalancerIP', 'ipFamilyPolicy'] as const) {
    const value = service[name];
    if (value !== undefined && value !== before[name]) return { field: `spec.${name}`, value };
  }
  const { ipFamilies } = service;
  if (ipFamilies.length > 0 && !isDeepStrictEqual(ipFamilies, before.ipFamilies)) return { field: 'spec.ipFamilies' };
  const changed = KEYS.find((key) => isNewlyAsked(key, { service, before }));
  if (changed === undefined) return undefined;
  const value = service.annotations[changed];
  return { field: annotationPath(changed), ...(value === undefined ? {} : { value }) };
}

// In a pool that is named without an address, MetalLB takes any that is free, maybe one that is retained for another; and what its stable key
// hid counts once that key is gone.
function openedChoice(
  service: ServiceView,
  before: ServiceView,
): { readonly field: string; readonly value?: string } | undefined {
  const [read, now] = [addressPlaceReadByMetalLb(before), addressPlaceReadByMetalLb(service)];
  if (now.text !== '') return now.text === read.text ? undefined : { field: now.field, value: now.text };
  const pool = poolReadByMetalLb(service);
  if (pool.text === '' || pool.text === WAITING_POOL) return undefined;
  if (read.text !== '') return { field: read.field };
  return pool.text === poolReadByMetalLb(before).text ? undefined : { field: pool.field, value: pool.text };
}

// Without the pool that it waited beside, MetalLB would give the address that a key names.
function isNewlyAsked(
  key: string,
  { service, before }: { readonly service: ServiceView; readonly before: ServiceView },
): boolean {
  const value = service.annotations[key] ?? '';
  if (value === (before.annotations[key] ?? '')) return false;
  return value !== '' || (METALLB_POOL_KEYS.some((each) => each === key) && namedAddresses(service).length > 0);
}
