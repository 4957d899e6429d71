import type { PrefixSet } from '../../addressing/prefix-set';
import type { EntryDraft } from '../../contract/networks/entry';
import { writtenText } from './read-cidr';
import { refusedBecause, type Refused } from './refusals';
import { isPrefixForm } from './reserved';
import type { At, PrefixRequest } from './types';

/** Most names in one message. */
const MOST_NAMED = 5;

/**
 * Lists what has a part of a block beside the table: pools of other front doors, and objects with an address. It is left out of what is
 * given.
 *
 * @param draft - entry of the block
 * @param at - what is known beside the table
 * @param excluded - what the author excludes
 * @returns each in words; of very many the first ones
 */
export function othersIn(draft: EntryDraft, { context }: At, excluded: PrefixSet): readonly string[] {
  const outside = context.excludedFrom({ ...draft, takenAtMs: 0, version: 0 });
  const names = new Set<string>();
  for (const { first } of outside.subtract(excluded).ranges()) {
    const name = context.usedBy(first);
    if (name !== undefined) names.add(name);
    if (names.size === MOST_NAMED) break;
  }
  return [...names];
}

/**
 * Judges an address that an IPPrefix declares by the other front doors. A subnet alone may overlap their pools: its reserved first address
 * is given by none of them once it is declared.
 *
 * @param at - what is known beside the table
 * @param request - of the IPPrefix, which does not have the address yet
 * @returns the refusal that names the holder; undefined where no other door has the address
 */
export function judgeOutside({ context }: At, request: PrefixRequest): Refused | undefined {
  const { address, block } = request;
  const isSubnetAlone = request.kind === 'network' && isPrefixForm(block, address);
  const holder = isSubnetAlone ? context.takenOutside(address) : context.heldOutside(address);
  if (holder === undefined) return undefined;
  const value = writtenText(request);
  const message = `spec.prefix: "${value}" is not free, ${holder} has ${address.toString()}; declare another address`;
  return refusedBecause(
    { code: 'address/held', message, field: 'spec.prefix', value },
    { places: [block], isByLabels: true },
  );
}
