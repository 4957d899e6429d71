import { metadataOf } from '../../contract/loose-json';
import type { EntryOwner } from '../../contract/networks/entry';
import type { NetworksContext } from './context';
import type { NetworksObjectKey } from './door-parts';
import { KINDS, OWN_CLUSTER, ownerOf, writerOf } from './objects';
import { rebind } from './record';

/** Owner of an entry that had the name of an object, and another UID. */
export interface FormerOwner {
  readonly network: string;
  readonly owner: EntryOwner;
}

/**
 * Gives an object what is on record under its name with another UID, as after a restore, before anything is decided about it.
 *
 * @param context - of the controller
 * @param key - of the object
 * @throws IpamError of record or cluster
 */
export async function takeOver(context: NetworksContext, key: NetworksObjectKey): Promise<void> {
  for (const former of formerOwners(context, key)) await rebindTo(context, key, former);
}

/**
 * Gives an object the entries of a former owner. The API server itself is asked whether the object is stored: the watch may be behind, and
 * the former one be the newer of both.
 *
 * @param context - of the controller
 * @param key - of the object
 * @param former - owner on record
 * @returns false where the object is not stored
 * @throws IpamError of record or cluster
 */
export async function rebindTo(
  { parts }: Pick<NetworksContext, 'parts'>,
  key: NetworksObjectKey,
  { network, owner }: FormerOwner,
): Promise<boolean> {
  const { object } = await writerOf(parts, key.of).read(key);
  if (object === undefined || metadataOf(object)['uid'] !== key.uid) return false;
  await rebind(parts, network, { from: owner, to: ownerOf(parts, key) });
  parts.meter.count('network_repairs_total', { kind: 'rebound' });
  return true;
}

function formerOwners({ parts }: NetworksContext, key: NetworksObjectKey): readonly FormerOwner[] {
  const { namespace, name, uid } = key;
  const all = new Map<string, FormerOwner>();
  for (const { network, holders } of parts.known.find({ by: 'name', cluster: OWN_CLUSTER, namespace, name }))
    for (const { owner } of holders)
      if (isNamed(owner, key) && owner.uid !== undefined && owner.uid !== uid)
        all.set(`${network} ${owner.uid}`, { network, owner });
  return [...all.values()];
}

const isNamed = ({ kind, namespace, name }: EntryOwner, key: NetworksObjectKey): boolean =>
  kind === KINDS[key.of] && namespace === key.namespace && name === key.name;
