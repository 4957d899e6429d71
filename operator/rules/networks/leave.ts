import type { Prefix } from '../../addressing/prefix';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import { stillUsed, type Refused } from './refusals';
import { subnetAround, usersOf } from './users';
import type { PrefixRequest } from './types';

/** Entries that go when a prefix moves, or why it cannot. */
type Leaving = { readonly as: 'leaving'; readonly remove: readonly Prefix[] } | Refused;

function allInside(table: NetworkTable, entry: NetworkEntry, block: Prefix): boolean {
  let isInside = true;
  table.eachInside(entry.block, (child) => {
    isInside = block.containsPrefix(child.block);
    return isInside;
  });
  return isInside;
}

function leavePrefix(table: NetworkTable, entry: NetworkEntry, request: PrefixRequest): Leaving {
  const users = usersOf(table, entry);
  const isKept = request.range === undefined && entry.facts?.kind === request.kind;
  if (users.length === 0 || (isKept && allInside(table, entry, request.block)))
    return { as: 'leaving', remove: [entry.block] };
  return stillUsed(entry, users);
}

function leaveHost(table: NetworkTable, entry: NetworkEntry, request: PrefixRequest): Leaving {
  const subnet = subnetAround(table, entry.block);
  const isLast = subnet !== undefined && table.hosts(subnet.block).length === 1;
  const isStaying = asksForSubnet(request) && subnet?.block.equals(request.block) === true;
  if (!isLast || isStaying) {
    return entry.user === undefined ? { as: 'leaving', remove: [entry.block] } : stillUsed(entry, [entry.user]);
  }
  const users = usersOf(table, entry);
  if (users.length > 0 && !isWidened(table, subnet, { entry, request })) return stillUsed(entry, users, subnet);
  return { as: 'leaving', remove: [entry.block, subnet.block] };
}

const asksForSubnet = ({ kind, range }: PrefixRequest): boolean => kind === 'network' && range === undefined;

// Everything that was given in a subnet lies in the new one too, and the user of the host keeps its address.
function isWidened(
  table: NetworkTable,
  subnet: NetworkEntry,
  { entry, request }: { readonly entry: NetworkEntry; readonly request: PrefixRequest },
): boolean {
  return (
    asksForSubnet(request) &&
    subnet.facts?.networkName === request.networkName &&
    allInside(table, subnet, request.block) &&
    (entry.user === undefined || entry.block.first.equals(request.address))
  );
}

/**
 * Finds what goes when an IPPrefix names another place: what is not in use, or a block of which everything inside lies in the new one as well.
 *
 * @param table - of the network
 * @param leaving - entries of the IPPrefix at other places
 * @param request - what it asks for now
 * @returns blocks that go; or the refusal that names the users
 */
export function leaveOld(table: NetworkTable, leaving: readonly NetworkEntry[], request: PrefixRequest): Leaving {
  const remove: Prefix[] = [];
  for (const entry of leaving) {
    const left = entry.facts?.role === 'host' ? leaveHost(table, entry, request) : leavePrefix(table, entry, request);
    if (left.as === 'refusal') return left;
    remove.push(...left.remove);
  }
  return { as: 'leaving', remove };
}
