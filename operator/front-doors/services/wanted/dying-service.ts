import { isDeepStrictEqual } from 'node:util';

import { IPAM, METALLB, WAITING_POOL } from '../../../contract/group';
import { LOAD_BALANCER, type ServiceView } from '../../../contract/service';
import { annotationPath } from '../../../contract/service-annotations';
import type { Refusal } from '../../../errors/outcome';
import { namedAddresses } from '../../../rules/wishes';

const KEYS: readonly string[] = [...Object.values(IPAM), ...Object.values(METALLB)];
const POOL_KEYS: readonly string[] = [METALLB.pool, METALLB.legacyPool];

/**
 * Refuses a Service that is being deleted and asks for an address that it did not ask for before: MetalLB serves such an object too,
 * but nobody may count on it any more. Anything else of it may change, since taking finalizers off must never fail.
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
  const asked = newlyAsked(service, before) ?? (staysOn ? openedChoice(service, before) : undefined);
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

// In a pool that is named without an address, MetalLB takes any that is free, maybe one that is retained for another; and an address
// that its stable key hid counts once that key is gone.
function openedChoice(
  service: ServiceView,
  before: ServiceView | undefined,
): { readonly field: string; readonly value?: string } | undefined {
  const [read, now] = [before === undefined ? undefined : readAddress(before), readAddress(service)];
  if (read === undefined || read.text === '' || read.text === now.text) return undefined;
  if (now.text !== '') return { field: now.field, value: now.text };
  const pool = POOL_KEYS.map((key) => service.annotations[key] ?? '').find((name) => name !== '') ?? '';
  return pool === '' || pool === WAITING_POOL ? undefined : { field: read.field };
}

// MetalLB reads the first place that names one.
function readAddress({ annotations, loadBalancerIP = '' }: ServiceView): {
  readonly field: string;
  readonly text: string;
} {
  const key = [METALLB.addresses, METALLB.legacyAddresses].find((name) => (annotations[name] ?? '') !== '');
  if (key === undefined) return { field: 'spec.loadBalancerIP', text: loadBalancerIP };
  return { field: annotationPath(key), text: annotations[key] ?? '' };
}

// Without the pool that it waited beside, MetalLB would give the address that a key names.
function isNewlyAsked(
  key: string,
  { service, before }: { readonly service: ServiceView; readonly before: ServiceView },
): boolean {
  const value = service.annotations[key] ?? '';
  if (value === (before.annotations[key] ?? '')) return false;
  return value !== '' || (POOL_KEYS.includes(key) && namedAddresses(service).length > 0);
}
