import type { Address } from '../../addressing/address';
import { hostPrefix, type Prefix } from '../../addressing/prefix';
import { PrefixSet } from '../../addressing/prefix-set';
import { NEPHIO } from '../../contract/nephio';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import type { ErrorCode } from '../../errors/catalogue';
import { isSelected } from './candidates';
import { draftFor, granted } from './grant';
import { judgeNesting } from './nesting';
import { isKnown, isSameOwner, type KnownEntry } from './owners';
import { writtenText } from './read-cidr';
import { heldByOther, refusedBecause, type Refused } from './refusals';
import { reservedIn } from './reserved';
import { namesMore, valuesFor } from './selector';
import type { AllocationRequest, At, Granted, WokenBy } from './types';

/** A request that names its prefix. */
type StaticRequest = Extract<AllocationRequest, { readonly form: 'static' }>;

interface Asked {
  readonly request: StaticRequest;
  readonly held: readonly NetworkEntry[];
}

function refusedFor(
  request: StaticRequest,
  [code, why]: readonly [ErrorCode, string],
  wokenBy: Partial<WokenBy> = { places: [request.block] },
): Refused {
  const value = request.kind === 'network' ? writtenText(request) : request.block.toString();
  return refusedBecause({ code, message: `spec.prefix: "${value}" ${why}`, field: 'spec.prefix', value }, wokenBy);
}

function judgeSubnet(table: NetworkTable, request: StaticRequest): Refused | undefined {
  const subnet = table.at(request.block);
  if (subnet?.facts?.role !== 'subnet') {
    const around = table.around(hostPrefix(request.address)).findLast(({ facts }) => facts?.role === 'subnet');
    if (around === undefined) {
      return refusedFor(request, [
        'prefix/no-network',
        'lies in no subnet; declare it by an IPPrefix of kind network first',
      ]);
    }
    const right = `${request.address.toString()}/${String(around.block.length)}`;
    return refusedFor(request, [
      'request/length-differs',
      `has another length than its subnet "${around.block.toString()}"; write "${right}"`,
    ]);
  }
  const names = valuesFor(request.selector, NEPHIO.networkName);
  const name = subnet.facts.networkName ?? '';
  if (names === undefined || names.includes(name)) return undefined;
  const why = `lies in network "${name}", but the selector names "${names.join(', ')}"`;
  return refusedFor(request, ['selector/no-candidate', why], { places: [request.block], isByLabels: true });
}

function judgeReserved(request: StaticRequest): Refused | undefined {
  const { first, last } = reservedIn(request.block);
  const isFirst = first?.equals(request.address) === true;
  if (!isFirst && last?.equals(request.address) !== true) return undefined;
  const why = `is the ${isFirst ? 'first' : 'last'} address of its subnet, which no host can have; use one between the first and the last`;
  return refusedFor(request, ['address/reserved', why], {});
}

// Space that nothing may be given in: of another door, in use without a claim, or excluded by an author.
function judgeExcluded(
  parent: NetworkEntry,
  block: Prefix,
  { at, request }: { readonly at: At; readonly request: StaticRequest },
): Refused | undefined {
  if (request.isRestored === true) return undefined;
  const taken = at.context.excludedFrom(parent).intersect(PrefixSet.of(block));
  if (taken.isEmpty) return undefined;
  const starts: readonly Address[] = taken.ranges().map(({ first }) => first);
  const used = starts.map((address) => at.context.usedBy(address)).find((text) => text !== undefined);
  const wokenBy = { places: [block], isByLabels: true };
  if (used !== undefined)
    return refusedFor(request, ['address/held', `is not free, ${used} has it; ask for another one`], wokenBy);
  const why = `is excluded from "${parent.block.toString()}" by spec.excluded of its IPPrefix, or of one around it; ask for another one`;
  return refusedFor(request, ['address/excluded', why], wokenBy);
}

function judgeClosed(
  parent: NetworkEntry | undefined,
  { at, request }: { readonly at: At; readonly request: StaticRequest },
): Refused | undefined {
  if (parent === undefined || request.isRestored === true || !at.context.isClosed(parent)) return undefined;
  const why = `lies in "${parent.block.toString()}", which is drained or being deleted and gives nothing new`;
  return refusedFor(request, ['pool/exhausted', why], { parents: [parent.block], isByLabels: true });
}

function judgePlace(table: NetworkTable, block: Prefix, request: StaticRequest): Refused | undefined {
  const stored = table.at(block);
  if (stored === undefined) return undefined;
  const isOwn = isKnown(stored) && stored.facts.role === 'allocation' && isSameOwner(stored.owner, request.owner);
  return isOwn ? undefined : heldByOther(stored, block);
}

// What was given to others is not given once more around it; a declared prefix may be put there.
function judgeInside(table: NetworkTable, block: Prefix, request: StaticRequest): Refused | undefined {
  let refused: Refused | undefined;
  table.eachInside(block, (entry) => {
    refused = isSameOwner(entry.owner, request.owner) ? undefined : heldByOther(entry, block);
    return refused === undefined;
  });
  return refused;
}

/**
 * Decides about a request that names its prefix.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param asked - the request, and what it holds
 * @returns what is given, or the refusal
 */
export function decideStatic(table: NetworkTable, at: At, asked: Asked): TableVerdict<Granted> {
  return asked.request.kind === 'network' ? decideAddress(table, at, asked) : decideBlock(table, at, asked);
}

function decideAddress(table: NetworkTable, at: At, { request, held }: Asked): TableVerdict<Granted> {
  const block = hostPrefix(request.address);
  const early = judgeSubnet(table, request) ?? judgeReserved(request);
  if (early !== undefined) return early;
  const subnet = table.at(request.block) as KnownEntry;
  const refused =
    judgePlace(table, block, request) ??
    judgeExcluded(subnet, block, { at, request }) ??
    judgeClosed(subnet, { at, request });
  if (refused !== undefined) return refused;
  return granted(table, { draft: draftFor(request, { block, parent: subnet }), held, text: writtenText(request) });
}

// As of what is chosen: nothing is given out of what others have, but to a request that selects it by more than the instance.
const mayLieIn = (given: KnownEntry, request: StaticRequest, at: At): boolean =>
  isSameOwner(given.owner, request.owner) || (namesMore(request.selector) && isSelected(given, request, at));

function decideBlock(table: NetworkTable, at: At, { request, held }: Asked): TableVerdict<Granted> {
  const { block, kind } = request;
  const parent = table.around(block).at(-1);
  const refused =
    judgePlace(table, block, request) ??
    judgeNesting(table, at, { block, kind, removed: [], mayLieIn: (given) => mayLieIn(given, request, at) }) ??
    judgeInside(table, block, request) ??
    (parent === undefined ? undefined : judgeExcluded(parent, block, { at, request })) ??
    judgeClosed(parent, { at, request });
  if (refused !== undefined) return refused;
  return granted(table, { draft: draftFor(request, { block, parent }), held });
}
