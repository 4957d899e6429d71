import { NO_OPTIONS } from '../../contract/claim-options';
import { accept } from '../../errors/outcome';
import { grantedHolders, type Claim } from '../records/claims';
import { changedHolder, wasStored } from '../records/holder-draft';
import { quarantineMs, retention, type LedgerContext } from '../records/ledger-context';
import { orAgain, type Attempt } from '../records/until-settled';

/** When any claimant may have the address again; undefined where none has to wait, or others stay. */
type QuarantineEnd = number | undefined;

/**
 * Ends a claim whose owner is gone: retained for the days that its owner asked for, else over at once. An address that
 * ever belonged to a stored object is then quarantined; one that was never seen is free.
 *
 * @param context - the ledger's parts
 * @param claim - the holder on its address
 * @returns end of the quarantine, if one began; or `again` when the record changed meanwhile
 */
export async function endClaim(context: LedgerContext, claim: Claim): Promise<Attempt<QuarantineEnd>> {
  const { holder } = claim;
  const days =
    wasStored(holder) && holder.state !== 'retained' ? (holder.options ?? NO_OPTIONS).retentionPeriodDays : 0;
  return days > 0 ? retainClaim(context, claim, days) : dropClaim(context, claim, wasStored(holder));
}

/**
 * Turns a holder into a retained one. It keeps the UID: a recall that is never stored ends as what it was, an address in
 * use.
 *
 * @param context - the ledger's parts
 * @param claim - the holder on its address, with the options that it shall keep
 * @param days - length of the retention
 * @returns success, or `again` when the record changed meanwhile
 */
export async function retainClaim(context: LedgerContext, claim: Claim, days: number): Promise<Attempt<undefined>> {
  const { record, holder } = claim;
  const retained = changedHolder(holder, { state: 'retained', expiry: retention(days) });
  const { network, address, version } = record;
  const written = orAgain(
    await context.claims.bind({ network, address, version, holderId: holder.id, holder: retained }),
  );
  return written === 'again' || !written.ok ? written : accept(undefined);
}

/**
 * Ends a holder without retention.
 *
 * @param context - the ledger's parts
 * @param claim - the holder on its address
 * @param wasUsed - whether the address was in use, so that it is quarantined
 * @returns end of the quarantine, if one began; or `again` when the record changed meanwhile
 */
export async function dropClaim(
  context: LedgerContext,
  { record, holder }: Claim,
  wasUsed: boolean,
): Promise<Attempt<QuarantineEnd>> {
  const { network, address, version } = record;
  const request = { network, address, version, holderId: holder.id };
  const pause = wasUsed ? { quarantineMs: quarantineMs(context, record.pool) } : {};
  const released = orAgain(await context.claims.release({ ...request, ...pause }));
  if (released === 'again' || !released.ok) return released;
  const untilMs = released.value?.quarantine?.untilMs;
  // an object that only shows the address may have it now
  const isOver = released.value === undefined || untilMs !== undefined || grantedHolders(released.value).length === 0;
  if (isOver) context.freed.tell({ network, zone: record.pool, address, freeAtMs: untilMs ?? context.clock.nowMs() });
  return accept(untilMs);
}
