import { SERVICE } from '../../../contract/service-identity';
import type { Address } from '../../../addressing/address';
import type { Holder } from '../../../ports/claims';
import type { ObjectKey } from '../../../ports/object-feed';
import { decideOrphan } from '../../../rules/vips';
import type { OrphanDecision } from '../../../rules/vips/orphans';
import type { VipsContext } from './context';
import { heldRecords, isForMigration, isHolder, placeOf } from './record';
import { giveBack } from './take';
import { readVipService } from './vip-service';
import { factsOf } from './vips-view';

/**
 * Decides about a holder whose Service the watch does not have; the API server itself is asked.
 *
 * @param context - of the controller
 * @param holder - of an address on record
 * @param since - whether the deletion was seen, and for how long the Service is missing
 * @returns what becomes of it
 * @throws IpamError `cluster/unavailable`
 */
async function judge(
  { parts, waiting }: VipsContext,
  { owner }: Holder,
  since: { readonly isDeletionSeen: boolean; readonly missingForMs: number },
): Promise<OrphanDecision> {
  const stored = readVipService(await parts.cluster.service(owner.namespace, owner.name));
  const { uid } = owner;
  const decision = decideOrphan({
    ...(uid === undefined ? {} : { uid }),
    ...(stored === undefined ? {} : { stored: { uid: stored.key.uid, isOurs: factsOf(parts, stored).isOurs } }),
    isUidStored: stored !== undefined && stored.key.uid === uid,
    ...since,
    graceMs: parts.settings.orphanGraceMs,
  });
  // the Service of that name goes on with the address
  if (stored !== undefined && decision !== 'release') waiting.wake({ of: 'service', ...stored.key });
  return decision;
}

/**
 * Ends what a Service holds whose deletion the watch told, entries that name it without its UID included.
 *
 * @param context - of the controller
 * @param key - of the Service
 * @throws IpamError of record or cluster
 */
export async function releaseDeleted(context: VipsContext, key: ObjectKey): Promise<void> {
  const { known, settings } = context.parts;
  const since = { isDeletionSeen: true, missingForMs: settings.orphanGraceMs };
  for (const { address, holders } of heldRecords(known, key)) {
    const mine = holders.find((each) => isHolder(each, key));
    if (mine === undefined || isForMigration(mine) || (await judge(context, mine, since)) !== 'release') continue;
    await giveBack(context, address, ({ id }) => id === mine.id);
  }
}

/** Addresses on record whose Services are missing, and since when. */
export class Orphans {
  readonly #missingSince = new Map<string, number>();

  /**
   * Looks at an address whose Service was found to be missing. It stays for a time: a backup may be restored in any order.
   *
   * @param context - of the controller
   * @param address - on record
   * @returns milliseconds after which it is to be looked at again; undefined where nothing is left to do
   * @throws IpamError of record or cluster
   */
  async look(context: VipsContext, address: Address): Promise<number | undefined> {
    const { parts } = context;
    const nowMs = parts.clock.nowMs();
    const record = parts.known.at(placeOf(address));
    let again: number | undefined;
    for (const holder of record?.holders ?? []) {
      if (!isMissing(context, holder)) continue;
      const sinceMs = this.#missingSince.get(holder.id) ?? nowMs;
      if (!this.#missingSince.has(holder.id)) this.#tell(context, holder, address);
      this.#missingSince.set(holder.id, sinceMs);
      const decision = await judge(context, holder, { isDeletionSeen: false, missingForMs: nowMs - sinceMs });
      if (decision === 'wait') again = parts.settings.orphanGraceMs - (nowMs - sinceMs) + 1;
      else this.#missingSince.delete(holder.id);
      if (decision !== 'release') continue;
      await giveBack(context, address, ({ id }) => id === holder.id);
      parts.meter.count('vip_repairs_total', { kind: 'released' });
    }
    return again;
  }

  #tell({ parts }: VipsContext, { owner }: Holder, address: Address): void {
    const { namespace, name } = owner;
    const fields = { namespace, name, address: address.toString(), graceMs: parts.settings.orphanGraceMs };
    parts.logger.warn('an address is on record for a service that is not stored', fields);
  }
}

/**
 * Tells whether the Service of a holder is missing, as far as the watch knows.
 *
 * @param context - of the controller
 * @param holder - of an address on record
 * @returns false for a holder that is no Service, or that a migration keeps
 */
export function isMissing({ parts }: Pick<VipsContext, 'parts'>, holder: Holder): boolean {
  const { kind, namespace, name } = holder.owner;
  return kind === SERVICE.kind && !isForMigration(holder) && parts.services.get(namespace, name) === undefined;
}
