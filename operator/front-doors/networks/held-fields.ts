import type { Prefix } from '../../addressing/prefix';
import type { JsonMap } from '../../contract/loose-json';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import { gatewayOf } from '../../rules/networks';
import type { NetworksContext } from './context';
import { ownerOf } from './objects';
import { networksOf } from './record';
import type { WorkedObject } from './status';

/**
 * Reads from the record what the status of an object is to show, for one whose status lost it.
 *
 * @param context - of the controller
 * @param worked - the object
 * @returns prefix, parent, gateway and network; nothing where the record has nothing for it
 */
export function heldFields({ parts }: NetworksContext, { key }: Pick<WorkedObject, 'key'>): JsonMap {
  const owner = ownerOf(parts, key);
  for (const network of networksOf(parts, owner)) {
    const fields = parts.tables.look(network, (table) => {
      const [entry] = table.ofOwner(owner);
      return entry === undefined ? undefined : fieldsOf(table, entry, key.of === 'prefix');
    });
    if (fields !== undefined) return fields;
  }
  return {};
}

const present = (fields: Readonly<Record<string, { toString(): string } | undefined>>): JsonMap =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, each]) => (each === undefined ? [] : [[key, String(each)]])),
  );

function fieldsOf(table: NetworkTable, entry: NetworkEntry, isPrefix: boolean): JsonMap {
  const parent = table.around(entry.block).at(-1)?.block;
  if (entry.facts?.kind !== 'network' || parent === undefined)
    return present({ prefix: entry.block, parentPrefix: parent });
  return isPrefix ? declaredFields(table, entry, parent) : givenFields(table, entry, parent);
}

const inSubnet = ({ block }: NetworkEntry, subnet: Prefix): string =>
  `${block.first.toString()}/${String(subnet.length)}`;

// The subnet is what an IPPrefix declares, and its parent is around that.
function declaredFields(table: NetworkTable, entry: NetworkEntry, subnet: Prefix): JsonMap {
  const parentPrefix = table.around(subnet).at(-1)?.block;
  return present({ prefix: inSubnet(entry, subnet), parentPrefix, network: entry.facts?.networkName });
}

// An address that was asked for has the length of its subnet.
function givenFields(table: NetworkTable, entry: NetworkEntry, subnet: Prefix): JsonMap {
  const prefix = entry.facts?.isStatic === true ? inSubnet(entry, subnet) : entry.block;
  return present({ prefix, gateway: gatewayOf(table, subnet), parentPrefix: subnet });
}
