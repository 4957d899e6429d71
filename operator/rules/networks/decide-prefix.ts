import type { Prefix } from '../../addressing/prefix';
import type { EntryDraft, NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import { decideHost } from './decide-host';
import { leaveOld } from './leave';
import { judgeNesting, nearestAround, type NewPrefix } from './nesting';
import { judgeOutside, othersIn } from './other-doors';
import { heldBy, isWritten } from './owners';
import { isDeclaredAs, olderOverlap } from './ranges';
import { writtenText } from './read-cidr';
import { heldByOther, refusedBecause, type Refused } from './refusals';
import type { Accepted, At, PrefixRequest } from './types';

/**
 * Decides about an IPPrefix.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param request - as it was read
 * @returns the accepted prefix with its entries, or the refusal
 */
export function decidePrefix(table: NetworkTable, at: At, request: PrefixRequest): TableVerdict<Accepted> {
  const mine = heldBy(table, request.owner).filter(({ facts }) => facts?.role === 'prefix' || facts?.role === 'host');
  if (request.range !== undefined) return decideRange(table, at, { request, mine });
  if (request.kind === 'network') return decideHost(table, at, { request, mine });
  return decideDeclared(table, at, { request, mine });
}

/** A request with what its IPPrefix holds. */
interface Asked {
  readonly request: PrefixRequest;
  readonly mine: readonly NetworkEntry[];
}

function decideDeclared(table: NetworkTable, at: At, { request, mine }: Asked): TableVerdict<Accepted> {
  const { block, kind } = request;
  const stored = table.at(block);
  const own = mine.find((entry) => entry.block.equals(block));
  const others = mine.filter((entry) => entry !== own);
  const left = leaveOld(table, others, request);
  if (left.as === 'refusal') return left;
  const isGone = left.remove.some((each) => each.equals(block));
  if (stored !== undefined && own === undefined && !isGone) return heldByOther(stored, block);
  const wanted = { block, kind, removed: left.remove };
  const refused = own?.facts?.kind === kind ? undefined : judgeNesting(table, at, wanted);
  return refused ?? judgeAddress(at, { request, own }) ?? acceptDeclared(table, at, { request, own, wanted });
}

// A loopback prefix may be one address.
function judgeAddress(
  at: At,
  { request, own }: { readonly request: PrefixRequest; readonly own: NetworkEntry | undefined },
): Refused | undefined {
  return own === undefined && request.block.hostCount === 1n ? judgeOutside(at, request) : undefined;
}

function acceptDeclared(
  table: NetworkTable,
  at: At,
  { request, own, wanted }: { request: PrefixRequest; own: NetworkEntry | undefined; wanted: NewPrefix },
): TableVerdict<Accepted> {
  const { block, kind, labels, owner, excluded } = request;
  const parent = nearestAround(table, wanted)?.block;
  const facts = { role: 'prefix', kind, ...(parent === undefined ? {} : { parent: parent.toString() }) } as const;
  const draft: EntryDraft = { block, labels, owner, door: 'networks', facts };
  const answer: Accepted = {
    text: block.toString(),
    networkName: '',
    ...(parent === undefined ? {} : { parent }),
    others: othersIn(draft, at, excluded),
  };
  const isStored = own !== undefined && isWritten(own, draft);
  if (isStored && wanted.removed.length === 0) return { as: 'answer', value: answer };
  const remove = wanted.removed.filter((each) => !each.equals(block));
  return { as: 'change', put: isStored ? [] : [draft], remove, answer };
}

function rangeRefused(request: PrefixRequest, code: 'prefix/no-network' | 'prefix/overlap', why: string): Refused {
  const field = code === 'prefix/overlap' ? 'spec.range' : 'spec.prefix';
  const value = code === 'prefix/overlap' ? String(request.range) : request.block.toString();
  return refusedBecause(
    { code, message: `${field}: "${value}" ${why}`, field, value },
    { places: [request.block], isByLabels: true },
  );
}

function judgeRange(entry: NetworkEntry | undefined, at: At, request: PrefixRequest): Refused | undefined {
  const { kind, networkName, block, range } = request;
  if (!isDeclaredAs(entry, request)) {
    const what = kind === 'network' ? `the subnet of network "${networkName}"` : `a prefix of kind ${kind}`;
    return rangeRefused(request, 'prefix/no-network', `is not declared as ${what}; declare it by an IPPrefix first`);
  }
  if (range === undefined) return undefined;
  const other = olderOverlap(at.context.rangesOf(block), { name: request.owner.name, range });
  if (other === undefined) return undefined;
  const why = `overlaps "${other.range.toString()}" of the older IPPrefix ${other.name}; ranges of one prefix are apart`;
  return rangeRefused(request, 'prefix/overlap', why);
}

// A range is no entry: it says how space of an entry is given.
function decideRange(table: NetworkTable, at: At, { request, mine }: Asked): TableVerdict<Accepted> {
  const entry = table.at(request.block);
  const refused = judgeRange(entry, at, request);
  if (refused !== undefined) return refused;
  const left = leaveOld(table, mine, request);
  if (left.as === 'refusal') return left;
  const { kind, networkName, block } = request;
  const text = kind === 'network' ? writtenText(request) : block.toString();
  const answer: Accepted = { text, networkName, parent: block, others: [] };
  const remove: readonly Prefix[] = left.remove;
  return remove.length === 0 ? { as: 'answer', value: answer } : { as: 'change', put: [], remove, answer };
}
