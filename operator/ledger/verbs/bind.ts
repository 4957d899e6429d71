import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { BindRequest, Grant } from '../../ports/address-book';
import type { AddressRecord, Holder, NewHolder, Owner, SecretProof } from '../../ports/claims';
import { keyAt } from '../records/claim-key';
import { isClaimant, isUnnamedIn, ownerOf, ownHolder, type Claim } from '../records/claims';
import { outdatedProblem } from '../records/expect-version';
import { explain, namesFor } from '../records/holder-words';
import { grantOf } from '../records/grant';
import { changedHolder, keptEnd, sameContent } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { agreeTerms } from '../decisions/terms';
import { orAgain, untilSettled, type Attempt } from '../records/until-settled';

/**
 * Binds a reservation to its stored object; see `AddressBook.bind`. A Service that was made anew under its old name takes
 * over what the old object had.
 *
 * @param context - the ledger's parts
 * @param request - the stored object and its grant
 * @returns the bound grant; or refusal `reservation/missing`, `address/held`, and with terms what {@link agreeTerms} refuses
 */
export async function bind(context: LedgerContext, request: BindRequest): Promise<Outcome<Grant>> {
  return untilSettled(() => context.turns.run(request.grant.address, () => bindOnce(context, request)));
}

/**
 * Writes the stored object into a holder.
 *
 * @param context - the ledger's parts
 * @param claim - the holder on its address
 * @param holder - the holder as it is to be, and the proof of ownership where that changes too
 * @returns the grant, or `again` when the record changed meanwhile; an equal holder is not written
 */
export async function rewrite(
  context: LedgerContext,
  { record, holder: old }: Claim,
  { secret, ...holder }: NewHolder & { readonly secret?: SecretProof },
): Promise<Attempt<Grant>> {
  if (secret === undefined && sameContent(holder, old)) return accept(grantOf({ record, holder: old }, false));
  const { network, address, version } = record;
  const request = { network, address, version, holderId: old.id, holder };
  const written = orAgain(await context.claims.bind(secret === undefined ? request : { ...request, secret }));
  if (written === 'again' || !written.ok) return written;
  const left = written.value.holders.find((each) => each.id === old.id);
  return left === undefined ? 'again' : accept(grantOf({ record: written.value, holder: left }, false));
}

/**
 * Makes the bound form of a holder.
 *
 * @param claim - the holder now, on its address
 * @param owner - the stored object
 * @returns the holder with its owner and without a lease
 */
export function boundHolder({ record, holder }: Claim, owner: Owner): NewHolder {
  // a second bind of the old object leaves the lease of its successor alone
  const expiry = holder.state === 'bound' && holder.owner.uid === owner.uid ? keptEnd(holder) : undefined;
  return changedHolder(holder, { owner, state: 'bound', key: keyAt(holder.key, record.address), expiry });
}

async function bindOnce(context: LedgerContext, request: BindRequest): Promise<Attempt<Grant>> {
  const { claimant, grant, terms } = request;
  const record = await context.claims.get({ network: grant.network, address: grant.address });
  const outdated = record === undefined ? undefined : outdatedProblem(record, request.version);
  if (outdated !== undefined) return outdated;
  const holder = record === undefined ? undefined : grantedHolder(record, { claimant, grant });
  if (record === undefined || holder === undefined || holder.state === 'retained') return missing(record, request);
  const lost = lostProblem({ record, holder }, request);
  if (lost !== undefined) return lost;
  const bound = boundHolder({ record, holder }, ownerOf(claimant));
  if (terms === undefined) return rewrite(context, { record, holder }, bound);
  const agreed = agreeTerms(context, { record, holder }, { claimant, terms });
  return agreed.ok ? rewrite(context, { record, holder }, { ...bound, ...agreed.value }) : agreed;
}

// The grant's own holder, unless that became another owner's meanwhile.
function grantedHolder(record: AddressRecord, { claimant, grant }: BindRequest): Holder | undefined {
  return record.holders.find((each) => each.id === grant.holderId) ?? ownHolder(record, claimant);
}

function lostProblem({ record, holder }: Claim, request: BindRequest): Outcome<never> | undefined {
  const { claimant, grant } = request;
  if (isForeign(holder, claimant)) {
    const value = grant.address.toString();
    return refuse(
      'address/held',
      `address "${value}" cannot be bound: it ${explain({ ...record, holders: [holder] }, namesFor(claimant))}`,
      {
        value,
      },
    );
  }
  // a reservation that another object of the name got since it was read is not taken away from that one
  const isOfOther = holder.state === 'bound' && (holder.owner.uid ?? claimant.serviceUid) !== claimant.serviceUid;
  return grant.state === 'reserved' && isOfOther ? missing(record, request) : undefined;
}

function isForeign(holder: Holder, claimant: BindRequest['claimant']): boolean {
  return !isClaimant(holder, claimant) && !isUnnamedIn(holder, ownerOf(claimant));
}

function missing(
  record: AddressRecord | undefined,
  { grant, claimant }: Pick<BindRequest, 'grant' | 'claimant'>,
): Outcome<never> {
  const value = grant.address.toString();
  const text = `address "${value}" is not reserved any more`;
  return refuse(
    'reservation/missing',
    record === undefined ? text : `${text}; it ${explain(record, namesFor(claimant))}`,
    { value },
  );
}
