import type { Prefix } from '../../addressing/prefix';
import { metadataOf, textOf } from '../../contract/loose-json';
import { objectText } from '../../contract/object-name';
import type { EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import { valueOf } from '../../errors/ipam-error';
import { decideRelease } from '../../rules/networks';
import type { NetworksContext } from './context';
import type { LookAgain, NetworksKey } from './door-parts';
import { feedOf, keyOf, workOfKind, writerOf } from './objects';
import { rebindTo } from './rebinding';

/** Pause before an entry is looked at again whose object is missing and which others use. */
const IN_USE_MS = 5_000;

/** Entry with an owner whose object the watch does not have. */
export type OrphanKey = NetworksKey & { readonly of: 'orphan' };

/**
 * Lists the owners of an entry that are objects of this door.
 *
 * @param entry - on record
 * @returns holder and user; none for one that is no object, and for the subnets of an instance, which go with their last host
 */
export function objectOwners({ owner, user, facts }: NetworkEntry): readonly EntryOwner[] {
  const holder = facts?.role === 'subnet' ? [] : [owner];
  return [...holder, ...(user === undefined ? [] : [user])].filter(({ kind }) => workOfKind(kind) !== undefined);
}

/**
 * Tells whether the object of an owner is missing, as far as the watch knows.
 *
 * @param context - of the controller
 * @param owner - of an entry
 * @returns `missing`, `other` where another object has its name, `stored`
 */
export function stateOf({ parts }: Pick<NetworksContext, 'parts'>, owner: EntryOwner): 'missing' | 'other' | 'stored' {
  const of = workOfKind(owner.kind);
  const object = of && feedOf(parts, of).get(owner.namespace, owner.name);
  if (object === undefined) return 'missing';
  return owner.uid === undefined || metadataOf(object)['uid'] === owner.uid ? 'stored' : 'other';
}

/**
 * Names an entry whose object is missing.
 *
 * @param network - on record
 * @param block - of the entry
 * @returns the key of {@link NetworksContext.missingSince}
 */
export const missingId = (network: string, block: Prefix): string => `${network} ${block.toString()}`;

/**
 * Looks at an entry whose object was found to be missing. It stays for a time: a backup may be restored in any order.
 *
 * @param context - of the controller
 * @param key - of the entry
 * @returns when it is to be looked at again
 * @throws IpamError of record or cluster
 */
export async function lookAtOrphan(context: NetworksContext, key: OrphanKey): Promise<LookAgain> {
  const { parts, missingSince } = context;
  const { network, block } = key;
  const entry = parts.tables.look(network, (table) => table.at(block));
  const missing = entry === undefined ? [] : objectOwners(entry).filter((each) => stateOf(context, each) === 'missing');
  const id = missingId(network, block);
  if (missing.length === 0) {
    missingSince.delete(id);
    return {};
  }
  const nowMs = parts.clock.nowMs();
  const sinceMs = missingSince.get(id) ?? nowMs;
  if (!missingSince.has(id)) tellMissing(context, missing, { network, block });
  missingSince.set(id, sinceMs);
  const leftMs = parts.settings.orphanGraceMs - (nowMs - sinceMs);
  if (leftMs > 0) return { requeueAfterMs: leftMs + 1 };
  let isLeft = false;
  for (const owner of missing) isLeft = (await endOrphan(context, network, owner)) || isLeft;
  // others in it may be missing too, and go a moment later
  if (isLeft) return { requeueAfterMs: IN_USE_MS };
  missingSince.delete(id);
  return {};
}

// The API server itself is asked, since the watch may be behind. True where users keep something of it on record.
async function endOrphan({ parts }: NetworksContext, network: string, owner: EntryOwner): Promise<boolean> {
  const of = workOfKind(owner.kind);
  if (of === undefined) return false;
  const { namespace, name } = owner;
  const { object } = await writerOf(parts, of).read({ namespace, name });
  const uid = textOf(metadataOf(object)['uid']);
  if (object !== undefined && uid === owner.uid) return false;
  if (object !== undefined) {
    await rebindTo({ parts }, keyOf(of, object), { network, owner });
    return false;
  }
  const { left } = valueOf(await parts.tables.decide(network, (table) => decideRelease(table, owner)));
  if (left.length > 0) return true;
  parts.meter.count('network_repairs_total', { kind: 'released' });
  return false;
}

function tellMissing(
  { parts }: NetworksContext,
  missing: readonly EntryOwner[],
  place: { readonly network: string; readonly block: Prefix },
): void {
  const owners = missing.map(objectText).join(', ');
  const fields = { network: place.network, prefix: place.block.toString(), owners };
  parts.logger.warn('an entry is on record for an object that is not stored', {
    ...fields,
    graceMs: parts.settings.orphanGraceMs,
  });
}
