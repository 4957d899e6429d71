import { accept } from '../../errors/outcome';
import type { LiveService } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claim-store';
import { boundHolder, rewrite } from './bind';
import type { Claim } from '../records/claims';
import { dropClaim, endClaim } from './end-claim';
import type { LedgerContext } from '../records/ledger-context';
import { LiveServices } from '../records/live-services';
import { pruneHistory } from './prune-history';
import { untilSettled, type Attempt } from '../records/until-settled';

/** How the complete list of one cluster is made, and when that may begin. */
export interface SweepRequest {
  readonly clusterUid: string;
  readonly startedMs: number;
  readonly live: () => Promise<readonly LiveService[]>;
}

type Verdict = 'released' | 'bound' | 'left';

/**
 * Ends leases and retentions that ran out; see `AddressBook.sweep`. A lease needs the list of its cluster, so other clusters
 * keep theirs; a retention ends by its stored time alone, whichever cluster asked for it. Old history goes last.
 *
 * @param context - the ledger's parts
 * @param request - cluster, time, and the way to the complete list
 * @returns how many claims ended and how many were bound
 */
export async function sweep(
  context: LedgerContext,
  request: SweepRequest,
): Promise<{ released: number; bound: number }> {
  const count: Count = { released: 0, bound: 0, left: 0 };
  await endRetentions(context, count);
  await endLeases(context, request, count);
  await pruneHistory(context);
  return { released: count.released, bound: count.bound };
}

type Count = Record<Verdict, number>;

async function endRetentions(context: LedgerContext, count: Count): Promise<void> {
  const nowMs = context.clock.nowMs();
  const retentions = await context.store.list({ by: 'expired', state: 'retained', beforeMs: nowMs }, nowMs);
  for (const claim of holdersIn(retentions)) {
    count[await settle(context, claim, (found) => endRetention(context, found))] += 1;
  }
}

async function endLeases(context: LedgerContext, request: SweepRequest, count: Count): Promise<void> {
  const { startedMs: beforeMs } = request;
  const leases = await context.store.list({ by: 'expired', state: 'reserved', beforeMs }, context.clock.nowMs());
  const over = holdersIn(leases).filter(({ holder }) => isOver(holder, request));
  if (over.length === 0) return;
  const live = new LiveServices(await request.live());
  for (const claim of over) {
    count[await settle(context, claim, (found) => endLease(context, found, { request, live }))] += 1;
  }
}

type Judge = (claim: Claim) => Promise<Attempt<Verdict>>;

// Judges on a fresh record each time, and leaves the claim to the next sweep where others keep changing it.
async function settle(context: LedgerContext, { record, holder }: Claim, judge: Judge): Promise<Verdict> {
  const judgeOnce = async (): Promise<Attempt<Verdict>> => {
    const fresh = await context.store.get(record.network, record.address, context.clock.nowMs());
    const still = fresh?.holders.find((each) => each.id === holder.id);
    return fresh === undefined || still === undefined ? accept('left') : judge({ record: fresh, holder: still });
  };
  const verdict = await untilSettled(() => context.turns.run(record.address, judgeOnce));
  return verdict.ok ? verdict.value : 'left';
}

async function endLease(
  context: LedgerContext,
  claim: Claim,
  { request, live }: { request: SweepRequest; live: LiveServices },
): Promise<Attempt<Verdict>> {
  const { record, holder } = claim;
  if (!isOver(holder, request)) return accept('left');
  const owner = live.ownerOf(record, holder);
  if (owner !== undefined) {
    const service = { ...holder.service, serviceName: owner.name };
    const bound = boundHolder(holder, { service, namespace: owner.namespace, serviceUid: owner.uid });
    return told(await rewrite(context, claim, bound), 'bound');
  }
  return told(await endClaim(context, claim, context.clock.nowMs()), 'released');
}

async function endRetention(context: LedgerContext, claim: Claim): Promise<Attempt<Verdict>> {
  const nowMs = context.clock.nowMs();
  const { state, expiresAtMs } = claim.holder;
  if (state !== 'retained' || expiresAtMs === undefined || expiresAtMs > nowMs) return accept('left');
  return told(await dropClaim(context, claim, { nowMs, quarantine: true }), 'released');
}

function isOver({ state, service, expiresAtMs }: Holder, { clusterUid, startedMs }: SweepRequest): boolean {
  return (
    state === 'reserved' && service.clusterUid === clusterUid && expiresAtMs !== undefined && expiresAtMs < startedMs
  );
}

function told(done: Attempt<unknown>, verdict: Verdict): Attempt<Verdict> {
  return done === 'again' || !done.ok ? done : accept(verdict);
}

function holdersIn(records: readonly AddressRecord[]): readonly Claim[] {
  return records.flatMap((record) => record.holders.map((holder) => ({ record, holder })));
}
