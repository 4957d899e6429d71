import type { Prefix } from '../../addressing/prefix';
import type { EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import { objectText } from '../../contract/object-name';
import type { TableVerdict } from '../../contract/networks/table';
import type { ErrorCode } from '../../errors/catalogue';
import type { Refusal } from '../../errors/outcome';
import type { NamedObject, NetworkRefusal, WokenBy } from './types';

const NEVER: WokenBy = { parents: [], places: [], isByLabels: false, isByInstance: false };
const MOST_NAMED = 10;

/** Verdict of a decision that gives nothing. */
export type Refused = Extract<TableVerdict<never>, { readonly as: 'refusal' }>;

/**
 * Refuses in a decision.
 *
 * @param refusal - code, sentence and field
 * @param wokenBy - changes after which another try makes sense; none by default
 * @param because - entries that the refusal rests on
 * @returns the verdict
 */
export function refusedBecause(
  refusal: Refusal,
  wokenBy: Partial<WokenBy> = {},
  because: readonly NetworkEntry[] = [],
): Refused {
  const told: NetworkRefusal = { ...refusal, wokenBy: { ...NEVER, ...wokenBy } };
  return { as: 'refusal', refusal: told, because: because.map(({ block }) => block) };
}

/**
 * Leaves out of an owner what a sentence does not need.
 *
 * @param owner - of an entry
 * @returns kind, namespace and name
 */
export function namedObject({ kind, namespace, name }: EntryOwner): NamedObject {
  return { kind, namespace, name };
}

/**
 * Names the users of something.
 *
 * @param users - at least one
 * @returns how many, and the first of them by name
 */
export function inUseText(users: readonly NamedObject[]): string {
  const named = users.slice(0, MOST_NAMED).map(objectText).join(', ');
  const more = users.length - MOST_NAMED;
  return `${String(users.length)} in use: ${named}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

/**
 * Refuses a place that another object holds.
 *
 * @param entry - the entry in the way
 * @param wanted - block that was asked for
 * @param code - code of the refusal
 * @returns the verdict
 */
export function heldByOther(entry: NetworkEntry, wanted: Prefix, code: ErrorCode = 'prefix/in-use'): Refused {
  const by = entry.user === undefined ? '' : `, and ${objectText(entry.user)} uses it`;
  const message = `spec.prefix: "${wanted.toString()}" is not free, ${objectText(entry.owner)} holds "${entry.block.toString()}"${by}; ask for another one, or free it first`;
  return refusedBecause(
    { code, message, field: 'spec.prefix', value: wanted.toString() },
    { places: [wanted, entry.block] },
    [entry],
  );
}

/**
 * Refuses a change of what is in use.
 *
 * @param entry - entry that would go
 * @param users - objects that use it
 * @param around - subnet of which it is the last host, so that its users lie anywhere inside
 * @returns the verdict
 */
export function stillUsed(entry: NetworkEntry, users: readonly NamedObject[], around?: NetworkEntry): Refused {
  const block = entry.block.toString();
  const message = `spec.prefix: "${block}" cannot be given up, ${inUseText(users)}; it is kept until they are gone`;
  return refusedBecause(
    { code: 'prefix/in-use', message, field: 'spec.prefix', value: block },
    { parents: [entry.block], places: [around?.block ?? entry.block] },
    [entry],
  );
}
