import { prefixOf, type Prefix } from '../../addressing/prefix';
import type { EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import { heldBy } from './owners';
import { namedObject } from './refusals';
import type { NamedObject, PrefixRequest } from './types';

/** Most users that are counted: a block can have a million of them, and one is as much in the way as all. */
const MOST_COUNTED = 1000;

/**
 * Finds the subnet that an entry lies in.
 *
 * @param table - of the network
 * @param block - of the entry
 * @returns the nearest entry around it where that is a subnet
 */
export function subnetAround(table: NetworkTable, block: Prefix): NetworkEntry | undefined {
  const nearest = table.around(block).at(-1);
  return nearest?.facts?.role === 'subnet' ? nearest : undefined;
}

/**
 * Lists entries inside of a block that are no recorded hosts.
 *
 * @param table - of the network
 * @param block - a subnet
 * @param most - where the list ends
 * @returns what was given out in it
 */
export function givenIn(table: NetworkTable, block: Prefix, most = MOST_COUNTED): readonly NetworkEntry[] {
  const found: NetworkEntry[] = [];
  table.eachInside(block, (entry) => {
    if (entry.facts?.role !== 'host') found.push(entry);
    return found.length < most;
  });
  return found;
}

// A subnet is held by the NetworkInstance; its users are those of its hosts, or of what is left in it.
function usersThrough(table: NetworkTable, entry: NetworkEntry): readonly EntryOwner[] {
  if (entry.facts?.role !== 'subnet') return [entry.owner];
  const hosts = table.hosts(entry.block).map(({ owner }) => owner);
  return hosts.length > 0 ? hosts : givenIn(table, entry.block).map(({ owner }) => owner);
}

function named(owners: readonly EntryOwner[]): readonly NamedObject[] {
  const known = new Map(owners.map((owner) => [`${owner.kind}/${owner.namespace}/${owner.name}`, namedObject(owner)]));
  return [...known.values()];
}

function usersInside(table: NetworkTable, block: Prefix): readonly EntryOwner[] {
  const owners: EntryOwner[] = [];
  table.eachInside(block, (entry) => {
    owners.push(...usersThrough(table, entry));
    return owners.length < MOST_COUNTED;
  });
  return owners;
}

/**
 * Lists the objects that need an entry.
 *
 * @param table - of the network
 * @param entry - of any role
 * @returns each object once; of very many the first ones
 */
export function usersOf(table: NetworkTable, entry: NetworkEntry): readonly NamedObject[] {
  if (entry.facts?.role !== 'host') return named(usersInside(table, entry.block));
  const user = entry.user === undefined ? [] : [entry.user];
  const subnet = subnetAround(table, entry.block);
  const isLast = subnet !== undefined && table.hosts(subnet.block).length === 1;
  const given = isLast ? givenIn(table, subnet.block).map(({ owner }) => owner) : [];
  return named([...user, ...given]);
}

/**
 * Lists the objects that keep an IPPrefix from going.
 *
 * @param table - of the network
 * @param owner - the IPPrefix
 * @param request - what it declares, where it can be read; a range has users of its own
 * @returns each object once; of very many the first ones
 */
export function usersOfPrefix(
  table: NetworkTable,
  owner: EntryOwner,
  request?: Pick<PrefixRequest, 'block' | 'range'>,
): readonly NamedObject[] {
  const ofRange: EntryOwner[] = [];
  if (request?.range !== undefined) {
    table.eachInside(request.block, (entry) => {
      if (entry.facts?.range === owner.name) ofRange.push(entry.owner);
      return ofRange.length < MOST_COUNTED;
    });
  }
  const users = heldBy(table, owner).flatMap((entry) => usersOf(table, entry));
  const all = [...named(ofRange), ...users];
  return [...new Map(all.map((each) => [`${each.kind}/${each.namespace}/${each.name}`, each])).values()];
}

const WHOLE_SPACES: readonly Prefix[] = [prefixOf('0.0.0.0/0'), prefixOf('::/0')];

/**
 * Lists the objects that keep a NetworkInstance from going.
 *
 * @param table - of its network
 * @returns holders and users of all entries, each once; of very many the first ones
 */
export function usersOfInstance(table: NetworkTable): readonly NamedObject[] {
  const owners: EntryOwner[] = [];
  const take = (entry: NetworkEntry): boolean => {
    if (entry.facts?.role !== 'subnet') owners.push(entry.owner);
    if (entry.user !== undefined) owners.push(entry.user);
    table.eachInside(entry.block, take);
    return owners.length < MOST_COUNTED;
  };
  for (const block of WHOLE_SPACES) {
    const whole = table.at(block);
    if (whole === undefined) table.eachInside(block, take);
    else take(whole);
  }
  return named(owners);
}
