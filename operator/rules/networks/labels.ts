import { familyBits } from '../../addressing/address';
import { parsePrefix, type Prefix } from '../../addressing/prefix';
import { NEPHIO } from '../../contract/nephio';
import type { EntryDraft, EntryFacts, NetworkEntry } from '../../contract/networks/entry';
import type { Instance } from './types';

/** Labels by key. */
export type Labels = Readonly<Record<string, string>>;

/** Name that entries of the system itself have. */
const SYSTEM_NAME = 'net';

const familyText = ({ family }: Prefix): string => (family === 4 ? 'ipv4' : 'ipv6');

/**
 * Reads the prefix that an entry was given from.
 *
 * @param facts - of the entry
 * @returns the prefix; undefined where there is none
 */
function parentIn(facts: EntryFacts | undefined): Prefix | undefined {
  if (facts?.parent === undefined) return undefined;
  const parsed = parsePrefix(facts.parent);
  return parsed.ok ? parsed.value : undefined;
}

function names(entry: NetworkEntry | EntryDraft, facts: EntryFacts): Labels {
  const { block, owner } = entry;
  if (facts.role !== 'subnet') {
    const origin = facts.role === 'allocation' ? 'allocation' : 'prefix';
    return { [NEPHIO.prefixName]: owner.name, [NEPHIO.allocationName]: owner.name, [NEPHIO.origin]: origin };
  }
  return {
    [NEPHIO.prefixName]: SYSTEM_NAME,
    [NEPHIO.allocationName]: `${block.first.toString()}-${String(block.length)}`,
    [NEPHIO.origin]: 'system',
  };
}

// Subnet or parent of an entry; a declared prefix has none.
function placeOf({ block }: NetworkEntry | EntryDraft, facts: EntryFacts, parent: Prefix | undefined): Labels {
  if (facts.role === 'subnet') return { [NEPHIO.network]: block.first.toString() };
  if (facts.role === 'prefix' || parent === undefined) return {};
  const isOne = block.length === familyBits(block.family) && parent.length < block.length;
  return {
    [NEPHIO.network]: parent.first.toString(),
    ...(isOne ? { [NEPHIO.parentPrefixLength]: String(parent.length) } : {}),
  };
}

/**
 * Gives the labels that selectors compare and the status of the NetworkInstance shows: those of the author, and over them those of the system.
 *
 * @param entry - any entry
 * @param instance - its NetworkInstance
 * @param parent - prefix around it; by default the one that it was given from
 * @returns every label
 */
export function labelsOf(entry: NetworkEntry | EntryDraft, instance: Pick<Instance, 'name'>, parent?: Prefix): Labels {
  const { block, facts, labels } = entry;
  if (facts === undefined) return labels;
  return {
    ...labels,
    [NEPHIO.networkInstance]: instance.name,
    [NEPHIO.prefixKind]: facts.kind,
    [NEPHIO.addressFamily]: familyText(block),
    [NEPHIO.prefixLength]: String(block.length),
    ...names(entry, facts),
    ...placeOf(entry, facts, parent ?? parentIn(facts)),
    ...(facts.networkName === undefined ? {} : { [NEPHIO.networkName]: facts.networkName }),
    ...(facts.kind === 'pool' ? { [NEPHIO.pool]: 'true' } : {}),
    ...(facts.isGateway === true ? { [NEPHIO.gateway]: 'true' } : {}),
  };
}

/**
 * Gives the labels of the reserved first address of a subnet, which no claim holds.
 *
 * @param subnet - entry of the subnet
 * @param instance - its NetworkInstance
 * @returns every label
 */
export function labelsOfFirst(subnet: NetworkEntry, instance: Pick<Instance, 'name'>): Labels {
  const { first, family, length } = subnet.block;
  return {
    ...labelsOf(subnet, instance),
    [NEPHIO.prefixLength]: String(familyBits(family)),
    [NEPHIO.allocationName]: first.toString(),
    [NEPHIO.parentPrefixLength]: String(length),
  };
}
