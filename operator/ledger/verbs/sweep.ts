import { accept } from '../../errors/outcome';
import type { LiveKind, SweepCount, SweepRequest } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import { boundHolder, rewrite } from './bind';
import type { Claim } from '../records/claims';
import { dropClaim, endClaim } from './end-claim';
import type { LedgerContext } from '../records/ledger-context';
import { LiveObjects } from '../records/live-objects';
import { pruneHistory } from './prune-history';
import { untilSettled, type Attempt } from '../records/until-settled';

type Verdict = 'released' | 'bound' | 'left';

/**
 * Ends leases and retentions that ran out; see `AddressBook.sweep`. A lease needs the list of its cluster, so other clusters
 * keep theirs; a retention ends by its stored time alone, whichever cluster asked for it. Old history goes last.
 *
 * @param context - the ledger's parts
 * @param request - cluster, time, and the kinds that can be listed
 * @returns how many claims ended and how many were bound
 */
export async function sweep(context: LedgerContext, request: SweepRequest): Promise<SweepCount> {
  const count: Count = { released: 0, bound: 0, left: 0 };
  await endRetentions(context, count);
  await endLeases(context, request, count);
  await pruneHistory(context);
  return { released: count.released, bound: count.bound };
}

type Count = Record<Verdict, number>;

async function endRetentions(context: LedgerContext, count: Count): Promise<void> {
  const retentions = await context.claims.list({ by: 'expired', state: 'retained', sinceMs: 0 });
  for (const claim of holdersIn(retentions)) {
    count[await settle(context, claim, (found) => endRetention(context, found))] += 1;
  }
}

async function endLeases(context: LedgerContext, request: SweepRequest, count: Count): Promise<void> {
  const sinceMs = context.clock.nowMs() - request.startedMs;
  const leases = await context.claims.list({ by: 'expired', state: 'reserved', sinceMs });
  const over = holdersIn(leases).filter(({ holder }) => isOver(holder, request));
  const failures: unknown[] = [];
  for (const kind of request.live) {
    const ofKind = over.filter(({ holder: { owner } }) => isOfKind(owner, kind));
    // a kind that cannot be listed now must not hold up the others
    await endLeasesOf(context, { kind, over: ofKind }, count).catch((thrown: unknown) => failures.push(thrown));
  }
  if (failures.length > 0) throw failures[0];
}

function isOfKind(owner: Holder['owner'], { apiVersion, kind }: LiveKind): boolean {
  return owner.apiVersion === apiVersion && owner.kind === kind;
}

async function endLeasesOf(
  context: LedgerContext,
  { kind, over }: { readonly kind: LiveKind; readonly over: readonly Claim[] },
  count: Count,
): Promise<void> {
  if (over.length === 0) return;
  const live = new LiveObjects(await kind.objects());
  for (const claim of over) {
    count[await settle(context, claim, (found) => endLease(context, found, live))] += 1;
  }
}

type Judge = (claim: Claim) => Promise<Attempt<Verdict>>;

// Judges on a fresh record each time, and leaves the claim to the next sweep where others keep changing it. What the store listed as
// over is over by its clock as long as its end is the same.
async function settle(context: LedgerContext, { record, holder }: Claim, judge: Judge): Promise<Verdict> {
  const judgeOnce = async (): Promise<Attempt<Verdict>> => {
    const fresh = await context.claims.get({ network: record.network, address: record.address });
    const still = fresh?.holders.find((each) => each.id === holder.id);
    const isSame = still?.state === holder.state && still.expiresAtMs === holder.expiresAtMs;
    return fresh === undefined || !isSame ? accept('left') : judge({ record: fresh, holder: still });
  };
  const verdict = await untilSettled(() => context.turns.run(record.address, judgeOnce));
  return verdict.ok ? verdict.value : 'left';
}

async function endLease(context: LedgerContext, claim: Claim, live: LiveObjects): Promise<Attempt<Verdict>> {
  const { record, holder } = claim;
  const owner = live.ownerOf(record, holder);
  if (owner !== undefined) {
    const { name, namespace, uid } = owner;
    const bound = boundHolder(claim, { ...holder.owner, name, namespace, uid });
    return told(await rewrite(context, claim, bound), 'bound');
  }
  return told(await endClaim(context, claim), 'released');
}

async function endRetention(context: LedgerContext, claim: Claim): Promise<Attempt<Verdict>> {
  return claim.holder.state === 'retained' ? told(await dropClaim(context, claim, true), 'released') : accept('left');
}

// An address is listed with all of its holders; the one that is over is among them.
function isOver({ state, owner, expiresAtMs }: Holder, { clusterUid, startedMs }: SweepRequest): boolean {
  return state === 'reserved' && owner.cluster === clusterUid && expiresAtMs !== undefined && expiresAtMs < startedMs;
}

function told(done: Attempt<unknown>, verdict: Verdict): Attempt<Verdict> {
  return done === 'again' || !done.ok ? done : accept(verdict);
}

function holdersIn(records: readonly AddressRecord[]): readonly Claim[] {
  return records.flatMap((record) => record.holders.map((holder) => ({ record, holder })));
}
