import type { Address } from '../../addressing/address';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { dropClaim, endClaim } from './end-claim';
import { outdatedProblem } from '../records/expect-version';
import { wasStored } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { untilSettled, type Attempt } from '../records/until-settled';

/** Which holder ends. */
export interface ReleaseHolder {
  readonly network: string;
  readonly address: Address;
  readonly holderId: string;
  readonly retain?: boolean;
  readonly version?: number;
}

/**
 * Ends one holder without its secret; see `Registry.release`.
 *
 * @param context - the ledger's parts
 * @param request - the holder, and whether its retention begins
 * @returns end of the quarantine, if one began; or refusal `claim/not-found`
 */
export async function releaseHolder(
  context: LedgerContext,
  request: ReleaseHolder,
): Promise<Outcome<{ readonly quarantinedUntilMs?: number }>> {
  const ended = await untilSettled(() => context.turns.run(request.address, () => endOnce(context, request)));
  if (!ended.ok) return ended;
  return accept(ended.value === undefined ? {} : { quarantinedUntilMs: ended.value });
}

async function endOnce(
  context: LedgerContext,
  { network, address, holderId, retain = false, version }: ReleaseHolder,
): Promise<Attempt<number | undefined>> {
  const record = await context.claims.get({ network, address });
  const holder = record?.holders.find((each) => each.id === holderId);
  if (record === undefined || holder === undefined) {
    const value = address.toString();
    return refuse('claim/not-found', `address "${value}" of network "${network}" has no holder "${holderId}"`, {
      value,
    });
  }
  const outdated = outdatedProblem(record, version);
  if (outdated !== undefined) return outdated;
  if (retain) return endClaim(context, { record, holder });
  return dropClaim(context, { record, holder }, wasStored(holder));
}
