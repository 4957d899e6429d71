import type { VipReason } from '../../contract/paas';
import type { ServiceOutcome } from './decide';

/** Condition of a Service of this door, without its times. */
export interface VipCondition {
  readonly status: 'True' | 'False';
  readonly reason: VipReason;
  readonly message: string;
}

/**
 * Words the condition of a Service: False while it has no address, or while a wish of it waits.
 *
 * @param outcome - what it has, what it was refused and what is remarked
 * @returns the condition, equal for equal outcomes
 */
export function conditionOf({
  addresses,
  groups,
  refusals,
  remarks,
}: Pick<ServiceOutcome, 'addresses' | 'groups' | 'refusals' | 'remarks'>): VipCondition {
  const told = refusals.map(({ message }) => message);
  const has = addresses.length === 0 ? [] : [`${addresses.join(', ')} from IPGroup ${groups.join(', ')}`];
  const message = [...has, ...told, ...remarks].join('; ');
  const hard = refusals.find(({ isNote }) => isNote !== true || addresses.length === 0);
  if (addresses.length > 0 && hard === undefined) return { status: 'True', reason: 'Allocated', message };
  return { status: 'False', reason: hard?.reason ?? 'NoMatchingGroup', message };
}
