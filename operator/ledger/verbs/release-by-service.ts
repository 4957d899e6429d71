import type { Address } from '../../addressing/address';
import { quoteValue } from '../../contract/quote';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ReleaseByService } from '../../ports/address-book';
import type { AddressRecord } from '../../ports/claims';
import { equalHashes } from '../../rules/secrets';
import { rewrite } from './bind';
import { ownerOf, sameOwner, type Claim } from '../records/claims';
import { dropClaim, retainClaim } from './end-claim';
import { changedHolder } from '../records/holder-draft';
import { retention, type LedgerContext } from '../records/ledger-context';
import { untilSettled, type Attempt } from '../records/until-settled';
import { comparableHash, proofOf } from '../records/proof';
import { unknownZone } from '../../rules/zone-limits';
import { belongsToZone } from '../decisions/zone-gate';

/**
 * Releases one claim by identity and secret; see `AddressBook.releaseByService`. Works for an address whose zone is gone.
 *
 * @param context - the ledger's parts
 * @param request - zone, address, identity, secret, options
 * @returns the address; or refusal `claim/not-found`, `secret/wrong`, `zone/unknown`
 */
export async function releaseByService(
  context: LedgerContext,
  request: ReleaseByService,
): Promise<Outcome<{ address: Address }>> {
  const { hashes } = proofOf(context.hasher, { value: request.secret, scope: 'shared' });
  return untilSettled(() => context.turns.run(request.address, () => releaseOnce(context, request, hashes)));
}

async function releaseOnce(
  context: LedgerContext,
  request: ReleaseByService,
  hashes: readonly string[],
): Promise<Attempt<{ address: Address }>> {
  const { address } = request;
  const record = await namedRecord(context, request);
  if (record === undefined) return notFound(context, request);
  const value = address.toString();
  const kept = record.secret?.hash ?? '';
  if (!equalHashes(kept, comparableHash(hashes, kept))) {
    return refuse('secret/wrong', `the secret does not own address "${value}"`, { value });
  }
  const holder = record.holders.find((each) =>
    sameOwner(each.owner, ownerOf({ service: request.service, namespace: '' })),
  );
  if (holder === undefined) return accept({ address }); // quarantined: this very claim has ended already
  const ended = await end(context, { record, holder }, request);
  return ended === 'again' || !ended.ok ? ended : accept({ address });
}

async function end(context: LedgerContext, claim: Claim, { options }: ReleaseByService): Promise<Attempt<unknown>> {
  const days = options.retentionPeriodDays;
  if (days === 0) return dropClaim(context, claim, true);
  const { record, holder } = claim;
  const withOptions = { ...holder, options };
  if (holder.state === 'retained') {
    return rewrite(context, claim, changedHolder(withOptions, { expiry: retention(days) }));
  }
  return retainClaim(context, { record, holder: withOptions }, days);
}

async function namedRecord(
  context: LedgerContext,
  { service, zone: name, address }: ReleaseByService,
): Promise<AddressRecord | undefined> {
  if (service.serviceName === '') return undefined;
  const zone = context.zones.current().zone(name);
  const records = await context.claims.list({ by: 'owner', owner: ownerOf({ service, namespace: '' }) });
  return records.find((record) => record.address.equals(address) && belongsToZone(record, name, zone));
}

function notFound(context: LedgerContext, { zone, address, service }: ReleaseByService): Outcome<never> {
  const catalogue = context.zones.current();
  if (catalogue.zone(zone) === undefined) return { ok: false, refusal: unknownZone(catalogue, zone) };
  const value = address.toString();
  return refuse(
    'claim/not-found',
    `service ${quoteValue(service.serviceName)} has no claim on address "${value}" of zone ${quoteValue(zone)}`,
    { value },
  );
}
