import { hostPrefix, type Prefix } from '../../addressing/prefix';
import type { EntryDraft, NetworkEntry } from '../../contract/networks/entry';
import { objectText } from '../../contract/object-name';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import type { ErrorCode } from '../../errors/catalogue';
import { leaveOld } from './leave';
import { judgeNesting, nearestAround } from './nesting';
import { judgeOutside, othersIn } from './other-doors';
import { isIn, isKnown, isSameOwner, isWritten } from './owners';
import { instanceOwner } from './read-object';
import { writtenText } from './read-cidr';
import { heldByOther, refusedBecause, type Refused } from './refusals';
import { relabelled, subnetLabels } from './subnet-labels';
import type { Accepted, At, Instance, PrefixRequest } from './types';
import { subnetAround, usersOf } from './users';

/** A request of kind network with what its IPPrefix holds. */
interface Asked {
  readonly request: PrefixRequest;
  readonly mine: readonly NetworkEntry[];
}

/** A request that may still be refused, with what goes for it. */
interface Moving extends Asked {
  readonly host: Prefix;
  readonly removed: readonly Prefix[];
}

const isAmong = ({ block }: NetworkEntry, list: readonly NetworkEntry[]): boolean =>
  list.some((each) => each.block.equals(block));

function refusedFor(
  request: PrefixRequest,
  [code, why]: readonly [ErrorCode, string],
  because: readonly NetworkEntry[],
): Refused {
  const isName = code === 'prefix/name-taken';
  const field = isName ? 'spec.network' : 'spec.prefix';
  const value = isName ? request.networkName : writtenText(request);
  return refusedBecause(
    { code, message: `${field}: "${value}" ${why}`, field, value },
    { places: [request.block, ...because.map(({ block }) => block)], isByLabels: true },
    because,
  );
}

// The subnet may take another name while nothing but the IPPrefix itself is in it.
function mayRename(table: NetworkTable, { request, mine }: Asked): boolean {
  const hosts = table.hosts(request.block);
  return (
    hosts.length > 0 &&
    hosts.every((host) => isAmong(host, mine)) &&
    hosts.every((host) => !usersOf(table, host).length)
  );
}

function judgeStored(table: NetworkTable, asked: Asked, stored: NetworkEntry): Refused | 'join' | 'rename' {
  const { request } = asked;
  if (stored.facts?.role !== 'subnet') return heldByOther(stored, request.block);
  if (stored.facts.networkName === request.networkName) return 'join';
  if (mayRename(table, asked)) return 'rename';
  const why = `lies in "${stored.block.toString()}", which is network "${stored.facts.networkName ?? ''}"; a subnet has one network`;
  return refusedFor(request, ['prefix/other-network', why], [stored]);
}

function judgeName(table: NetworkTable, { request, removed }: Moving): Refused | undefined {
  const { networkName, block } = request;
  const other = table
    .subnets(networkName)
    .find((each) => each.block.family === block.family && !each.block.equals(block) && !isIn(each.block, removed));
  if (other === undefined) return undefined;
  const why = `is the network of "${other.block.toString()}" already; a network has one subnet of each family`;
  return refusedFor(request, ['prefix/name-taken', why], [other]);
}

function judgeSubnet(table: NetworkTable, at: At, moving: Moving): Refused | undefined {
  const { request, removed } = moving;
  const stored = isIn(request.block, removed) ? undefined : table.at(request.block);
  const found = stored === undefined ? undefined : judgeStored(table, moving, stored);
  if (found === 'join') return undefined;
  if (found !== undefined && found !== 'rename') return found;
  const taken = judgeName(table, moving);
  if (taken !== undefined || found === 'rename') return taken;
  return judgeNesting(table, at, { block: request.block, kind: 'network', removed });
}

function judgeAddress(table: NetworkTable, at: At, { request, mine, host }: Moving): Refused | undefined {
  const stored = table.at(host);
  if (stored !== undefined && !isAmong(stored, mine)) return heldByOther(stored, host);
  // what is on record stays when a stronger pool takes its space
  const outside = stored === undefined ? judgeOutside(at, request) : undefined;
  if (outside !== undefined) return outside;
  if (!request.isGateway) return undefined;
  const other = table.hosts(request.block).find((each) => each.facts?.isGateway === true && !isAmong(each, mine));
  if (other === undefined) return undefined;
  const why = `cannot be the gateway, ${objectText(other.owner)} has "${other.block.first.toString()}" for it; a subnet has one gateway`;
  return refusedFor(request, ['prefix/second-gateway', why], [other]);
}

function hostDraft(table: NetworkTable, { request, host }: Moving): EntryDraft {
  const stored = table.at(host);
  const { networkName, labels, owner, isGateway, block } = request;
  return {
    block: host,
    labels,
    owner,
    door: 'networks',
    facts: {
      role: 'host',
      kind: 'network',
      networkName,
      parent: block.toString(),
      ...(isGateway ? { isGateway } : {}),
      ...(stored?.facts?.request === undefined ? {} : { request: stored.facts.request }),
    },
    ...(stored?.user === undefined ? {} : { user: stored.user }),
  };
}

function subnetDraft(
  table: NetworkTable,
  instance: Instance,
  moving: Moving & { readonly draft: EntryDraft },
): EntryDraft {
  const { request, removed, draft } = moving;
  const { block, networkName, owner } = request;
  const stored = table.at(block);
  const parent = stored?.facts?.parent ?? nearestAround(table, { block, kind: 'network', removed })?.block.toString();
  const others = table.hosts(block).filter((each) => !each.block.equals(draft.block) && !isIn(each.block, removed));
  return {
    block,
    door: 'networks',
    labels: subnetLabels(block, [...others, draft]) ?? {},
    owner: instanceOwner(instance, owner),
    facts: { role: 'subnet', kind: 'network', networkName, ...(parent === undefined ? {} : { parent }) },
  };
}

// Subnets that stay behind, whose labels a host that goes may have given.
function leftSubnets(table: NetworkTable, { removed, request, mine }: Moving): readonly EntryDraft[] {
  const hosts = mine.filter(({ block }) => isIn(block, removed));
  return hosts.flatMap(({ block }) => {
    const subnet = subnetAround(table, block);
    if (subnet === undefined || isIn(subnet.block, removed) || subnet.block.equals(request.block)) return [];
    return relabelled(table, subnet, removed);
  });
}

/**
 * Decides about an IPPrefix of kind network: its address, and the subnet that all such IPPrefixes of one network share.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param asked - the request, and what the IPPrefix holds
 * @returns the accepted prefix with its entries, or the refusal
 */
export function decideHost(table: NetworkTable, at: At, asked: Asked): TableVerdict<Accepted> {
  const { request, mine } = asked;
  const host = hostPrefix(request.address);
  const own = mine.find(
    ({ block, facts }) => block.equals(host) && facts?.parent === request.block.toString() && facts.role === 'host',
  );
  const left = leaveOld(
    table,
    mine.filter((entry) => entry !== own),
    request,
  );
  if (left.as === 'refusal') return left;
  const moving: Moving = { ...asked, host, removed: left.remove };
  const refused = judgeSubnet(table, at, moving) ?? judgeAddress(table, at, moving);
  if (refused !== undefined) return refused;
  return change(table, at, moving);
}

function change(table: NetworkTable, at: At, moving: Moving): TableVerdict<Accepted> {
  const { request, host, removed } = moving;
  const draft = hostDraft(table, moving);
  const subnet = subnetDraft(table, at.instance, { ...moving, draft });
  const all = [...leftSubnets(table, moving), subnet, draft];
  const put = all.filter((each) => {
    const stored = table.at(each.block);
    return !isKnown(stored) || !isWritten(stored, each) || isIn(each.block, removed) || hasMoved(stored, each);
  });
  const remove = removed.filter((block) => !block.equals(host) && !block.equals(request.block));
  const parent = nearestAround(table, { block: request.block, kind: 'network', removed })?.block;
  const answer: Accepted = {
    text: writtenText(request),
    networkName: request.networkName,
    ...(parent === undefined ? {} : { parent }),
    others: othersIn(subnet, at, request.excluded),
  };
  if (put.length === 0 && remove.length === 0) return { as: 'answer', value: answer };
  return { as: 'change', put, remove, answer };
}

// A host is found by its subnet, so unlike of other entries its parent counts.
function hasMoved(stored: NetworkEntry, draft: EntryDraft): boolean {
  return (
    draft.facts.role === 'host' && stored.facts?.parent !== draft.facts.parent && isSameOwner(stored.owner, draft.owner)
  );
}
