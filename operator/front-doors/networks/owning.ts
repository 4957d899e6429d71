import { groupOf } from '../../contract/api-group';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { afterWrite } from '../../errors/after-write';
import { isIpamError } from '../../errors/ipam-error';
import type { OwnerLook, OwnerName } from '../../ports/owner-reader';
import type { NetworksCondition } from '../../rules/networks';
import type { NetworksDoorParts } from './door-parts';
import type { WorkedObject } from './status';

/** An owner in `metadata.ownerReferences`, or what is in the way of it. */
export type Owning = 'changed' | readonly NetworksCondition[];

const WHY: Readonly<Record<Exclude<OwnerLook['state'], 'stored'>, readonly [reason: string, why: string]>> = {
  missing: ['OwnerMissing', 'does not exist; it is looked for again when the allocation changes, and at each resync'],
  unknownKind: ['OwnerKindUnknown', 'is of no kind with namespaces that the API server has'],
  notAllowed: ['OwnerKindNotAllowed', 'is of a kind that the operator may not read (--networks-owner-kinds)'],
};

/**
 * Makes the object that an IPAllocation names as its owner one in `metadata.ownerReferences`, with the UID that it has now, so that the garbage
 * collector ends the allocation with it.
 *
 * @param parts - reader of owners, writer
 * @param worked - the IPAllocation
 * @returns the condition about it, none without an owner; `changed` where the object was written and is to be read again. Its status is
 *   `Unknown` where the cluster does not answer or refuses the write: an owner never keeps an allocation from being decided
 */
export async function linkOwner(
  parts: Pick<NetworksDoorParts, 'owners' | 'allocationWriter'>,
  worked: Pick<WorkedObject, 'key' | 'object'>,
): Promise<Owning> {
  const named = ownerIn(worked.object);
  if (named === undefined) return [];
  const text = `${named.kind} ${named.name}`;
  if (referencesTo(worked.object, named).length > 0) return [condition('True', 'Owned', `ends with ${text}`)];
  try {
    return await addOwner(parts, worked, named);
  } catch (thrown) {
    if (!isIpamError(thrown)) throw thrown;
    return [condition('Unknown', 'OwnerUnknown', `spec.ownerRef: ${text}: ${thrown.message}; it is tried again`)];
  }
}

async function addOwner(
  { owners, allocationWriter }: Pick<NetworksDoorParts, 'owners' | 'allocationWriter'>,
  { key, object }: Pick<WorkedObject, 'key' | 'object'>,
  named: OwnerName,
): Promise<Owning> {
  const look = await owners.look(named);
  if (look.state !== 'stored') {
    const [reason, why] = WHY[look.state];
    return [condition('False', reason, `spec.ownerRef: ${named.kind} ${named.name} ${why}`)];
  }
  const { apiVersion, kind, name } = named;
  afterWrite(await allocationWriter.addOwner(key, { apiVersion, kind, name, uid: look.uid }, object));
  return 'changed';
}

function ownerIn(object: JsonMap): OwnerName | undefined {
  const { apiVersion, kind, name } = mapOf(mapOf(object['spec'])['ownerRef']);
  if (textOf(kind) === '' || textOf(name) === '') return undefined;
  const namespace = textOf(metadataOf(object)['namespace']);
  return { apiVersion: textOf(apiVersion), kind: textOf(kind), name: textOf(name), namespace };
}

// The versions of one kind are one kind. The UID is that of the time at which it was written.
function referencesTo(object: JsonMap, { apiVersion, kind, name }: OwnerName): readonly JsonMap[] {
  return (listOf(metadataOf(object)['ownerReferences']) as readonly JsonMap[]).filter(
    (each) =>
      each['kind'] === kind && each['name'] === name && groupOf(textOf(each['apiVersion'])) === groupOf(apiVersion),
  );
}

function condition(status: NetworksCondition['status'], reason: string, message: string): NetworksCondition {
  return { type: 'Owned', status, reason, message };
}
