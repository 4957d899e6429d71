import type { EntryFacts, EntryRole, PrefixKind } from '../../contract/networks/entry';
import { isMap, mapOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { AddressRecord, ClaimDoor } from '../../ports/claims';
import { present } from './claim-details';

const ROLES: readonly EntryRole[] = ['prefix', 'subnet', 'host', 'allocation'];
const KINDS: readonly PrefixKind[] = ['network', 'loopback', 'pool', 'aggregate'];
const DOORS: readonly ClaimDoor[] = ['networks', 'egress', 'grpc'];

/** Parts of a record that a network whose space nests needs beside its holder. */
export type EntryParts = Pick<AddressRecord, 'door' | 'entry' | 'labels'>;

/**
 * Reads what a claim of a network whose space nests says beside its holder.
 *
 * @param spec - of the stored claim
 * @returns the parts of the record that are there
 */
export function readEntry(spec: JsonMap): EntryParts {
  return {
    ...present(
      'door',
      DOORS.find((each) => each === spec['door']),
    ),
    ...present('entry', isMap(spec['entry']) ? factsOf(spec['entry'], textOf(spec['pool'])) : undefined),
    ...present('labels', labelsOf(spec['labels'])),
  };
}

/**
 * Writes what a draft says beside its holder; the parent of its facts is the pool of the claim.
 *
 * @param draft - of the claim
 * @param stored - spec of the stored claim, whose labels stay where the draft knows of none
 * @returns fields of the spec
 */
export function writeEntry({ entry, labels }: EntryParts, stored: JsonMap): JsonMap {
  const { parent: _parent, ...facts } = entry ?? {};
  const isBare = labels !== undefined && Object.keys(labels).length === 0;
  return {
    ...present('labels', isBare ? undefined : (labels ?? stored['labels'])),
    ...present('entry', entry === undefined ? undefined : facts),
  };
}

// Undefined for facts of another version of the kind: their claim then only blocks its space.
function factsOf(entry: JsonMap, pool: string): EntryFacts | undefined {
  const role = ROLES.find((each) => each === entry['role']);
  const kind = KINDS.find((each) => each === entry['kind']);
  if (role === undefined || kind === undefined) return undefined;
  const text = (key: string): string | undefined => (typeof entry[key] === 'string' ? entry[key] : undefined);
  const flag = (key: string): boolean | undefined => (typeof entry[key] === 'boolean' ? entry[key] : undefined);
  return Object.freeze({
    role,
    kind,
    ...present('networkName', text('networkName')),
    ...present('isGateway', flag('isGateway')),
    ...present('isStatic', flag('isStatic')),
    ...present('parent', pool === '' ? undefined : pool),
    ...present('range', text('range')),
    ...present('request', text('request')),
  });
}

function labelsOf(labels: unknown): Readonly<Record<string, string>> | undefined {
  const texts = Object.entries(mapOf(labels)).filter((each): each is [string, string] => typeof each[1] === 'string');
  return texts.length === 0 ? undefined : Object.freeze(Object.fromEntries(texts));
}
