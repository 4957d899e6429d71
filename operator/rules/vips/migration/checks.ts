import { isIn } from '../../../addressing/address';
import type { MigrationFacts, MigrationReason } from './types';

/** Reason against the next step. */
export interface Blocker {
  readonly reason: MigrationReason;
  readonly message: string;
  /** True: it is no error, and ends when the user has done what the message says. */
  readonly isWait?: boolean;
}

/**
 * Finds what stands against a migration at any stage.
 *
 * @param facts - the VirtualIP and everything that it touches
 * @returns the first blocker; undefined where there is none
 */
export function blockerOf(facts: MigrationFacts): Blocker | undefined {
  const { virtualIp, service, holder, group } = facts;
  const { namespace, service: name, address } = virtualIp;
  if (address === undefined) return { reason: 'AddressInvalid', message: 'its status has no address' };
  if (service === undefined || service.isDying) {
    const whole = `${namespace}/${name}`;
    const message = service === undefined ? `there is no Service ${whole}` : `Service ${whole} is being deleted`;
    return { reason: 'ServiceNotFound', message };
  }
  if (holder.kind === 'other')
    return { reason: 'AddressInUse', message: `${address.toString()} is on record for ${holder.name}` };
  // what the Service has by now is its own, whatever becomes of the group
  if (group !== undefined || (holder.kind === 'service' && holder.isBound)) return undefined;
  return { reason: 'NoIPGroup', message: `${address.toString()} lies in no IPGroup that gives it; make one` };
}

/**
 * Finds what stands against the begin of a migration, so that it is refused before anything is changed.
 *
 * @param facts - the VirtualIP and everything that it touches
 * @returns the first blocker; undefined where there is none
 */
export function preparationOf(facts: MigrationFacts): Blocker | undefined {
  const { virtualIp, service, rival, obstacle } = facts;
  const { namespace, service: name } = virtualIp;
  const blocker = blockerOf(facts);
  if (blocker?.reason === 'AddressInvalid' || blocker?.reason === 'ServiceNotFound') return blocker;
  if (rival !== undefined) {
    const message = `VirtualIP ${namespace}/${rival} exposes Service ${namespace}/${name} too and comes first, and a Service has one address of each family; take this order back by a rollback, and give its address to a Service of its own`;
    return { reason: 'ServiceShared', message };
  }
  if (service !== undefined && isServed(facts)) {
    const message = `Service ${namespace}/${name} is of type LoadBalancer already, or shows an address; change its type, and the migration goes on`;
    return { reason: 'ServiceIsLoadBalancer', message, isWait: true };
  }
  if (blocker !== undefined) return blocker;
  return obstacle === undefined ? undefined : { reason: 'ServiceUnfit', message: obstacle };
}

// What the older operator had converted, and called an error afterwards, is migrated to its end.
function isServed({ virtualIp, service, holder }: MigrationFacts): boolean {
  if (service === undefined) return false;
  const { address } = virtualIp;
  const isOwn = holder.kind === 'service' && address !== undefined && isIn(address, service.shown);
  return !isOwn && (service.isLoadBalancer || service.hasIngress);
}

/**
 * Tells what a migration would do now.
 *
 * @param facts - the VirtualIP and everything that it touches
 * @returns one sentence
 */
export function previewOf(facts: MigrationFacts): { readonly message: string } {
  const { virtualIp, group = '', clone } = facts;
  const { namespace, service, address, clone: copy } = virtualIp;
  const found = preparationOf(facts);
  if (found !== undefined) return { message: `dry run: it would not begin: ${found.message}` };
  const taken =
    clone === 'none' ? '' : ` after Service ${namespace}/${copy} is deleted, with a pause of seconds between`;
  const message = `dry run: Service ${namespace}/${service} would become one of type LoadBalancer with ${String(address)} of IPGroup ${group}${taken}`;
  return { message };
}
