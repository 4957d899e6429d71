import { familyBits, type Address } from '../../addressing/address';
import { hostPrefix, type Prefix } from '../../addressing/prefix';
import { Range } from '../../addressing/range';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import { candidatesFor, isSelected, type Candidates, type DynamicRequest, type RangeCandidate } from './candidates';
import { decideStatic } from './decide-static';
import { bound, draftFor, granted } from './grant';
import { isKnown, isSameOwner, redraft, type KnownEntry } from './owners';
import { writtenText } from './read-cidr';
import { inUseText, namedObject, refusedBecause, type Refused } from './refusals';
import { reservedIn } from './reserved';
import type { AllocationRequest, At, Granted } from './types';

const MOST_NAMED = 5;

/**
 * Decides about an IPAllocation, a gRPC call or an IPAddressClaim. What was given once stays while the request says the same.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param request - as it was read
 * @returns what is given, or the refusal; what the request holds already is kept with it
 */
export function decideAllocation(table: NetworkTable, at: At, request: AllocationRequest): TableVerdict<Granted> {
  const held = heldFor(table, request);
  const kept = keptOf(table, at, { request, held });
  if (kept !== undefined) return keep(table, { entry: kept, request, held });
  // a client cannot be told that its address ends, so it has to give that back itself
  const [former] = request.key === undefined ? [] : held;
  if (former !== undefined) return changedKey(former, request);
  if (request.form === 'static') return decideStatic(table, at, { request, held });
  return decideDynamic(table, at, { request, held });
}

function keptOf(
  table: NetworkTable,
  at: At,
  { request, held }: { readonly request: AllocationRequest; readonly held: readonly KnownEntry[] },
): KnownEntry | undefined {
  return (
    held.find(({ facts }) => facts.request === request.digest) ??
    held.find((each) => serves(table, at, { entry: each, request }))
  );
}

// What the status shows comes first: it is in use.
function heldFor(table: NetworkTable, { owner, shown }: AllocationRequest): readonly KnownEntry[] {
  const isShown = ({ block }: KnownEntry): number => (shown?.equals(block) === true ? 1 : 0);
  return table
    .ofOwner(owner)
    .filter(isKnown)
    .filter((entry) => {
      if (entry.facts.role === 'host') return isSameOwner(entry.user, owner);
      return entry.facts.role === 'allocation' && isSameOwner(entry.owner, owner);
    })
    .sort((a, b) => isShown(b) - isShown(a));
}

function changedKey(entry: KnownEntry, { key = '' }: AllocationRequest): Refused {
  const message = `"${key}" has "${entry.block.toString()}" for another request; release it first, or ask under another name`;
  return refusedBecause({ code: 'request/changed', message, value: key }, { places: [entry.block] }, [entry]);
}

interface Kept {
  readonly entry: KnownEntry;
  readonly request: AllocationRequest;
}

function servesWish({ entry, request }: Kept): boolean {
  if (request.form !== 'static') return false;
  const wanted = request.kind === 'network' ? hostPrefix(request.address) : request.block;
  return entry.facts.role === 'allocation' && entry.block.equals(wanted);
}

// Whether an entry that was given for another wording of the request is what this one asks for too.
function serves(table: NetworkTable, at: At, { entry, request }: Kept): boolean {
  if (entry.facts.kind !== request.kind) return false;
  if (request.form === 'static') return servesWish({ entry, request });
  const { block } = entry;
  const isFamily = request.family === undefined || request.family === block.family;
  if (!isFamily || block.length !== (request.length ?? familyBits(block.family))) return false;
  return isStillSelected(table, at, { entry, request });
}

function isStillSelected(
  table: NetworkTable,
  at: At,
  { entry, request }: { readonly entry: KnownEntry; readonly request: DynamicRequest },
): boolean {
  if (entry.facts.role === 'host') return isSelected(entry, request, at);
  const { range } = entry.facts;
  const parent = table.around(entry.block).at(-1);
  if (range === undefined) {
    if (request.from !== undefined)
      return request.from.range === undefined && parent?.block.equals(request.from.block) === true;
    return isKnown(parent) && isSelected(parent, request, at);
  }
  return candidatesFor(table, at, request)?.ranges.some((each) => each.range.name === range) === true;
}

function keep(
  table: NetworkTable,
  { entry, request, held }: Kept & { readonly held: readonly NetworkEntry[] },
): TableVerdict<Granted> {
  if (entry.facts.role === 'host') return bound(table, entry, { request, held });
  const { isStatic: _former, ...facts } = entry.facts;
  const isStatic = request.form === 'static';
  const draft = redraft(entry, {
    labels: request.labels,
    owner: request.owner,
    facts: { ...facts, request: request.digest, ...(isStatic ? { isStatic } : {}) },
  });
  const isWritten = isStatic && request.kind === 'network';
  return granted(table, { draft, held, ...(isWritten ? { text: writtenText(request) } : {}) });
}

interface Asked {
  readonly request: DynamicRequest;
  readonly held: readonly NetworkEntry[];
}

const KINDS: Readonly<Record<AllocationRequest['kind'], string>> = {
  network: 'a subnet, a range or a host of kind network',
  pool: 'a prefix of kind pool or aggregate',
  loopback: 'a prefix of kind loopback or aggregate',
  aggregate: 'nothing',
};

function decideDynamic(table: NetworkTable, at: At, asked: Asked): TableVerdict<Granted> {
  const { request } = asked;
  const found = candidatesFor(table, at, request);
  if (found === undefined) {
    const message = `spec.selector: matches no prefix; the labels of ${KINDS[request.kind]}${request.family === undefined ? '' : ` of IPv${String(request.family)}`} must fit`;
    return refusedBecause({ code: 'selector/no-candidate', message, field: 'spec.selector' }, { isByLabels: true });
  }
  if (found.hosts.length > 0) return bindHost(table, at, { ...asked, hosts: found.hosts });
  const length = request.length ?? familyBits(found.family);
  const given = giveFrom(table, at, { ...asked, found, length });
  return given ?? nothingLeft(found, request, length);
}

function bindHost(
  table: NetworkTable,
  at: At,
  asked: Asked & { readonly hosts: readonly KnownEntry[] },
): TableVerdict<Granted> {
  const { hosts, request, held } = asked;
  const open = hosts.filter((host) => !at.context.isClosed(host));
  const free = open.find(({ user }) => user === undefined || isSameOwner(user, request.owner));
  if (free !== undefined) return bound(table, free, { request, held });
  const users = hosts.flatMap(({ user }) => (user === undefined ? [] : [namedObject(user)]));
  const blocks = hosts.map(({ block }) => block);
  const why = users.length === 0 ? 'the selected hosts are drained or being deleted' : inUseText(users);
  const message = `spec.selector: every host that it matches is taken, ${why}; select another one by its labels`;
  return refusedBecause(
    { code: 'selector/bound', message, field: 'spec.selector' },
    { places: blocks, isByLabels: true },
    hosts.slice(0, MOST_NAMED),
  );
}

interface Giving extends Asked {
  readonly found: Candidates;
  readonly length: number;
}

function giveFrom(
  table: NetworkTable,
  { context }: At,
  { request, held, found, length }: Giving,
): TableVerdict<Granted> | undefined {
  for (const parent of found.parents) {
    if (parent.block.length >= length || context.isClosed(parent)) continue;
    const last = parent.facts.role === 'subnet' ? reservedIn(parent.block).last : undefined;
    const without = context.neverChosenIn(parent);
    const block = table.bestFit(parent.block, { length, without, ...(last === undefined ? {} : { skip: last }) });
    if (block !== undefined) return granted(table, { draft: draftFor(request, { block, parent }), held });
  }
  for (const candidate of found.ranges) {
    const block = lowestIn(table, candidate, { context, length });
    const { parent, range } = candidate;
    if (block !== undefined)
      return granted(table, { draft: draftFor(request, { block, parent, range: range.name }), held });
  }
  return undefined;
}

// A range gives addresses, the lowest first; the reserved ones of its subnet are none of them.
function lowestIn(
  table: NetworkTable,
  { parent, range }: RangeCandidate,
  { context, length }: Pick<At, 'context'> & { readonly length: number },
): Prefix | undefined {
  const { block, facts } = parent;
  if (range.isClosed || context.isClosed(parent) || length < familyBits(block.family)) return undefined;
  const reserved = facts.role === 'subnet' ? reservedIn(block) : {};
  const first = beside(range.range.first, reserved.first, 'next');
  const last = beside(range.range.last, reserved.last, 'previous');
  if (first === undefined || last === undefined || first.compareTo(last) > 0) return undefined;
  const without = context.excludedFrom(parent);
  const found = table.lowestFree(block, new Range(first, last), { length, without });
  return found === undefined ? undefined : hostPrefix(found);
}

function beside(address: Address, reserved: Address | undefined, step: 'next' | 'previous'): Address | undefined {
  return reserved?.equals(address) === true ? address[step]() : address;
}

function nothingLeft({ parents, ranges }: Candidates, { kind }: DynamicRequest, length: number): Refused {
  const all = [...parents, ...ranges.map(({ parent }) => parent)];
  const named = all.slice(0, MOST_NAMED).map(({ block }) => `"${block.toString()}"`);
  const more = all.length > MOST_NAMED ? ` and ${String(all.length - MOST_NAMED)} more` : '';
  const wokenBy = { parents: all.map(({ block }) => block), isByLabels: true };
  if (ranges.length === 0 && parents.every(({ block }) => block.length >= length)) {
    const message = `spec.selector: every match is as small as the /${String(length)} that is asked for: ${named.join(', ')}${more}; ask for a greater length, or select a larger prefix`;
    return refusedBecause({ code: 'selector/no-shorter-parent', message, field: 'spec.selector' }, wokenBy);
  }
  const what = kind === 'network' ? 'address' : `/${String(length)}`;
  const message = `spec.selector: no ${what} is free in ${named.join(', ')}${more}; release one, or add a prefix that matches`;
  return refusedBecause({ code: 'pool/exhausted', message, field: 'spec.selector' }, wokenBy, all.slice(0, MOST_NAMED));
}
