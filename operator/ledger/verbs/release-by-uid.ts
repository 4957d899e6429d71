import { isIn, type Address } from '../../addressing/address';
import { accept, type Outcome } from '../../errors/outcome';
import type { ReleaseByUid } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import { rewrite } from './bind';
import type { Claim } from '../records/claims';
import { endClaim } from './end-claim';
import { changedHolder } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { untilSettled, type Attempt } from '../records/until-settled';

/**
 * Releases what a stored object holds; see `AddressBook.releaseByUid`. A holder that was bound to a newer object, or that
 * a Service of the same name is just about to take over, is left alone.
 *
 * @param context - the ledger's parts
 * @param request - UID, and the addresses that the object still names
 * @returns the addresses that it gave up; or refusal `store/conflict`, after which the call can be repeated
 */
export async function releaseByUid(
  context: LedgerContext,
  request: ReleaseByUid,
): Promise<Outcome<{ released: readonly Address[] }>> {
  const { serviceUid, keep = [] } = request;
  const records = await context.claims.list({ by: 'uid', uid: serviceUid });
  const released: Address[] = [];
  for (const { network, address } of records) {
    if (isIn(address, keep)) continue;
    const endOnce = async (): Promise<Attempt<boolean>> => {
      const record = await context.claims.get({ network, address });
      return endBound(context, boundClaim(record, request));
    };
    const ended = await untilSettled(() => context.turns.run(address, endOnce));
    if (!ended.ok) return ended;
    if (ended.value) released.push(address);
  }
  return accept({ released });
}

// Only what is bound: a reserved holder with this UID waits for a successor, and the sweep ends it.
function boundClaim(record: AddressRecord | undefined, { serviceUid, clusterUid }: ReleaseByUid): Claim | undefined {
  const holder = record?.holders.find(
    (each) =>
      each.owner.uid === serviceUid &&
      each.state === 'bound' &&
      (clusterUid === undefined || each.owner.cluster === clusterUid),
  );
  return record === undefined || holder === undefined ? undefined : { record, holder };
}

async function endBound(context: LedgerContext, claim: Claim | undefined): Promise<Attempt<boolean>> {
  if (claim === undefined) return accept(false);
  const successor = hasSuccessor(claim.holder, context.clock.nowMs());
  const ended = successor
    ? await rewrite(context, claim, changedHolder(claim.holder, { state: 'reserved' }))
    : await endClaim(context, claim);
  if (ended === 'again' || !ended.ok) return ended;
  return accept(!successor);
}

// The lease that `keep-claim.ts` wrote on a bound holder runs.
function hasSuccessor({ expiresAtMs }: Holder, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs > nowMs;
}
