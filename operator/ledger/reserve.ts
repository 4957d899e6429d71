import type { Outcome } from '../errors/outcome';
import { refuse } from '../errors/outcome';
import type { Address } from '../addressing/address';
import type { Grant, ReserveRequest } from '../ports/address-book';
import { checkSecret } from '../rules/secrets';
import { chooseClaim } from './choose-claim';
import { recordsOf } from './claims';
import { commitStep } from './commit-step';
import type { LedgerContext } from './ledger-context';
import { proofOf } from './proof';
import { keyOf, type ReserveCase, type Step } from './reserve-case';
import { untilSettled } from './until-settled';
import { keepWish, wishClaim, wishZone } from './wish-claim';

/**
 * Reserves one address; see `AddressBook.reserve`.
 *
 * @param context - the ledger's parts
 * @param request - who asks, for what
 * @returns the grant or the refusal
 * @remarks two store calls without a wish, three with one that the claimant does not hold
 */
export async function reserve(context: LedgerContext, request: ReserveRequest): Promise<Outcome<Grant>> {
  const { wish, family } = request;
  const secret = checkSecret(request.secret.value, 'secret');
  if (!secret.ok) return secret;
  if (wish !== undefined && wish.family !== family) {
    const value = wish.toString();
    return refuse('address/wrong-family', `address "${value}" is IPv${wish.family}, but IPv${family} was asked for`, {
      value,
    });
  }
  // without a wish nobody knows the address before the first round; a taken one is the store's choice
  let contended = wish;
  return untilSettled(() =>
    context.turns.run(contended, async () => {
      const on = openCase(context, request);
      const step = await decide(context, on);
      if (step.do === 'write') contended ??= step.record.address;
      return commitStep(context, on, step);
    }),
  );
}

function openCase(context: LedgerContext, request: ReserveRequest): ReserveCase {
  const catalogue = context.zones.current();
  const shown = proofOf(context.hasher, request.secret);
  return {
    request,
    catalogue,
    zone: catalogue.zone(request.zone),
    shown,
    previous: request.previousSecret === undefined ? undefined : proofOf(context.hasher, request.previousSecret),
    key: keyOf(request, shown),
    nowMs: context.clock.nowMs(),
    leaseMs: context.leaseMs,
  };
}

async function decide(context: LedgerContext, on: ReserveCase): Promise<Step> {
  const records = await recordsOf(context, on.request.claimant, on.nowMs);
  const { wish } = on.request;
  return wish === undefined
    ? chooseClaim(on, records)
    : (keepWish(on, wish, records) ?? (await wishFromStore(context, on, wish)));
}

async function wishFromStore(context: LedgerContext, on: ReserveCase, address: Address): Promise<Step> {
  const found = wishZone(on, address);
  if ('do' in found) return found;
  const record = await context.store.get(found.zone.network, address, on.nowMs);
  return wishClaim(on, { address, zone: found.zone }, record);
}
