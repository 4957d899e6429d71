import { NO_OPTIONS } from '../../contract/claim-options';
import { DAY_MS } from '../../contract/durations';
import { serviceIdentity } from '../../contract/service-identity';
import { IpamError } from '../../errors/ipam-error';
import { accept } from '../../errors/outcome';
import type { AddressRecord, Holder } from '../../ports/claims';
import type { CleanupEntry } from '../../ports/registry';
import type { Claim } from '../records/claims';
import { endClaim } from './end-claim';
import { wasStored } from '../records/holder-draft';
import { quarantineMs, type LedgerContext } from '../records/ledger-context';
import { untilSettled, type Attempt } from '../records/until-settled';

/** Which cluster is gone, and whether only to tell. */
export interface ClearCluster {
  readonly clusterUid: string;
  readonly dryRun: boolean;
}

/**
 * Ends what a cluster holds; see `Registry.clearCluster`. What is retained already goes its way.
 *
 * @param context - the ledger's parts
 * @param request - which cluster, and whether only to tell
 * @returns what ended and what stands against it, lowest address first
 * @throws {@link IpamError} `store/conflict` when others kept changing an address; asking again does the rest
 */
export async function clearCluster(
  context: LedgerContext,
  { clusterUid, dryRun }: ClearCluster,
): Promise<readonly CleanupEntry[]> {
  // a standing claim is of no cluster
  if (clusterUid === '') return [];
  const entries: CleanupEntry[] = [];
  const records = await context.claims.list({ by: 'cluster', cluster: clusterUid });
  for (const record of records) {
    for (const { id } of record.holders.filter((each) => isAffected(each, clusterUid))) {
      const entry = await clearOne(context, record, { holderId: id, clusterUid, dryRun });
      if (entry !== undefined) entries.push(entry);
    }
  }
  // a cluster that is gone shows nothing any more
  if (!dryRun) await context.occupied?.forget(clusterUid);
  return entries;
}

function isAffected({ owner, state }: Holder, clusterUid: string): boolean {
  return owner.cluster === clusterUid && state !== 'retained';
}

async function clearOne(
  context: LedgerContext,
  { network, address }: AddressRecord,
  { holderId, clusterUid, dryRun }: ClearCluster & { readonly holderId: string },
): Promise<CleanupEntry | undefined> {
  const clearOnce = async (): Promise<Attempt<CleanupEntry | undefined>> => {
    const record = await context.claims.get({ network, address });
    const holder = record?.holders.find((each) => each.id === holderId);
    if (record === undefined || holder === undefined || !isAffected(holder, clusterUid)) return accept(undefined);
    const entry = entryOf(context, { record, holder }, context.clock.nowMs());
    if (dryRun || entry.verdict === 'denied') return accept(entry);
    const ended = await endClaim(context, { record, holder });
    return ended === 'again' || !ended.ok ? ended : accept(entry);
  };
  const cleared = await untilSettled(() => context.turns.run(address, clearOnce));
  if (cleared.ok) return cleared.value;
  throw new IpamError(cleared.refusal.code, cleared.refusal.message);
}

function entryOf(context: LedgerContext, { record, holder }: Claim, nowMs: number): CleanupEntry {
  const { network, pool: zone, address, holders } = record;
  const { owner, options = NO_OPTIONS } = holder;
  const about = { network, zone, address, service: serviceIdentity(owner), namespace: owner.namespace };
  if (options.denyExternalCleanup) return { ...about, verdict: 'denied' };
  if (wasStored(holder) && options.retentionPeriodDays > 0) {
    return { ...about, verdict: 'retained', untilMs: nowMs + options.retentionPeriodDays * DAY_MS };
  }
  if (holders.length > 1) return { ...about, verdict: 'joined' };
  const untilMs = wasStored(holder) ? nowMs + quarantineMs(context, zone) : nowMs;
  return { ...about, verdict: 'released', ...(untilMs > nowMs ? { untilMs } : {}) };
}
