import type { Address } from '../../addressing/address';
import { DRAINING } from './candidates';
import type { AddressUse, VipGroup } from './types';

/** One address with everything that decides whether it can be given. */
export interface AddressFacts {
  readonly address: Address;
  /** In the order of choice. */
  readonly groups: readonly VipGroup[];
  readonly use: AddressUse;
}

/** Facts about an address, each a sentence. */
export interface AddressExplanation {
  /** False: no group has the address, and nothing holds it. */
  readonly known: boolean;
  readonly sentences: readonly string[];
}

/**
 * Explains whether the VIPs door can give an address that it does not have on record, and why not.
 *
 * @param facts - the address, the groups, its use
 * @returns one sentence for each reason; the last one says what follows
 */
export function explainFreeAddress({ address, groups, use }: AddressFacts): AddressExplanation {
  const text = address.toString();
  const group = groups.find(({ segments }) => segments.contains(address));
  const shown = use.kind === 'occupied' ? [`${use.source} shows ${text}, so it is in use without a claim`] : [];
  if (group === undefined)
    return { known: false, sentences: [`${text} lies in no IPGroup, so it is given to no Service`, ...shown] };
  const reasons = [...whyNotGiven(group, address), ...shown];
  if (reasons.length > 0)
    return { known: true, sentences: [`${text} lies in IPGroup ${group.name}, and cannot be taken`, ...reasons] };
  const alone = group.explicitOnly ? ['the group serves only Services that name it or one of its addresses'] : [];
  return {
    known: true,
    sentences: [`${text} is free in IPGroup ${group.name}: it is given to a Service that asks for it`, ...alone],
  };
}

/**
 * Tells why a group does not give one of its addresses, whatever holds it.
 *
 * @param group - the one whose segments have the address
 * @param address - in a segment of it
 * @returns a sentence for each reason; empty where it gives the address
 */
export function whyNotGiven(group: VipGroup, address: Address): readonly string[] {
  const { name, readiness, excluded, usable, draining } = group;
  const isInvalid = !readiness.ok && readiness.reason === 'InvalidGroup';
  return [
    ...(isInvalid ? [`IPGroup ${name} cannot be used: ${readiness.message}`] : []),
    ...(excluded.contains(address) ? [`it is excluded (spec.excludedIPs of IPGroup ${name})`] : []),
    ...(!excluded.contains(address) && !usable.contains(address)
      ? ['it belongs to another front door or to an older IPGroup']
      : []),
    ...(draining ? [`IPGroup ${name} ${DRAINING}`] : []),
  ];
}
