import type { NetworkEntryAnswer, NetworkOwnerAnswer } from '../../contract/ipam-api/networks-pages';
import type { EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import { readInstance } from '../../rules/networks';
import { OWN_CLUSTER } from './objects';
import type { NetworksPagesParts } from './networks-pages-parts';

/** The network of an instance on record. */
export interface RecordedNetwork {
  readonly network: string;
  /** `namespace/name`; empty where no stored instance has it. */
  readonly instance: string;
}

/**
 * Lists the networks of stored instances, and those that have something on record without one.
 *
 * @param parts - record and instances
 * @returns those of instances first
 */
export function recordedNetworks({ instances, known }: NetworksPagesParts): readonly RecordedNetwork[] {
  const all = new Map<string, string>();
  for (const object of instances.list()) {
    const { network, namespace, name } = readInstance(object);
    all.set(network, `${namespace}/${name}`);
  }
  for (const { network } of known.find({ by: 'cluster', cluster: OWN_CLUSTER }))
    if (!all.has(network)) all.set(network, '');
  return [...all].map(([network, instance]) => ({ network, instance }));
}

/**
 * Shows an entry.
 *
 * @param entry - on record
 * @param of - its network
 * @returns the answer about it
 */
export function entryAnswer(entry: NetworkEntry, { network, instance }: RecordedNetwork): NetworkEntryAnswer {
  const { block, facts, owner, user, takenAtMs } = entry;
  return {
    prefix: block.toString(),
    instance,
    network,
    ...(facts === undefined ? {} : { role: facts.role, kind: facts.kind }),
    holder: ownerAnswer(owner),
    ...(user === undefined ? {} : { user: ownerAnswer(user) }),
    since: new Date(takenAtMs).toISOString(),
  };
}

const ownerAnswer = ({ kind, namespace, name }: EntryOwner): NetworkOwnerAnswer => ({ kind, namespace, name });

/**
 * Names the instance of a network in sentences.
 *
 * @param of - the network
 * @returns its instance, or the name of the network
 */
export function instanceText({ network, instance }: RecordedNetwork): string {
  return instance === '' ? `network ${network}, which no stored NetworkInstance has` : `NetworkInstance ${instance}`;
}
