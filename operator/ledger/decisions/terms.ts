import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { BindTerms, Claimant } from '../../ports/address-book';
import type { NewHolder, SecretProof } from '../../ports/claims';
import type { Claim } from '../records/claims';
import { labelOf, namesFor, sharersText } from '../records/holder-words';
import { sameTerms } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { othersOn } from './keep-claim';
import { blockersOf, unshareable, type Sharing } from './sharing-check';
import { keyUnder, proofOf, prove, refreshed, type ShownProof } from '../records/proof';

/** Terms of a holder and its address that change. */
export type AgreedTerms = Pick<NewHolder, 'options' | 'writtenKeys'> &
  Partial<Pick<NewHolder, 'sharing' | 'key'>> & { readonly secret?: SecretProof };

/**
 * Judges the terms of a stored object against all others on its address. The holder that is bound to the very object, and
 * a reservation made for it, may change the secret by the word of the object; what an older object of the same name left must
 * be proven.
 *
 * @param context - the ledger's parts
 * @param claim - the holder on its address
 * @param asked - the stored object and its terms
 * @returns what to write; or refusal `secret/wrong`, `secret/shared`, `sharing/refused`
 */
export function agreeTerms(
  context: LedgerContext,
  claim: Claim,
  asked: { readonly claimant: Claimant & { serviceUid: string }; readonly terms: BindTerms },
): Outcome<AgreedTerms> {
  const { options, writtenKeys, sharing } = asked.terms;
  if (sharing !== undefined && !sameTerms(sharing, claim.holder.sharing)) {
    const stays: Sharing = { owner: claim.holder.owner, terms: sharing, stays: true };
    const [blocker] = blockersOf(stays, othersOn(claim));
    if (blocker !== undefined) return { ok: false, refusal: unshareable(claim.record, blocker) };
  }
  const rotation = rotationOf(context, claim, asked);
  if (!rotation.ok) return rotation;
  return accept({ options, writtenKeys, ...(sharing === undefined ? {} : { sharing }), ...rotation.value });
}

function rotationOf(
  context: LedgerContext,
  { record, holder }: Claim,
  { claimant, terms }: { readonly claimant: Claimant & { serviceUid: string }; readonly terms: BindTerms },
): Outcome<Pick<AgreedTerms, 'secret' | 'key'>> {
  if (terms.secret === undefined) return accept({});
  const shown = proofOf(context.hasher, terms.secret);
  if (prove(record, claimant, shown) === 'proven') return accept(underNewestKey({ record, holder }, shown));
  const value = record.address.toString();
  if (holder.state === 'bound' && holder.owner.uid !== undefined && holder.owner.uid !== claimant.serviceUid) {
    const message = `the secret is not the one under which "${labelOf(holder.owner)}" held address "${value}" before it was made anew`;
    return refuse('secret/wrong', message, { value });
  }
  const others = othersOn({ record, holder });
  if (others.length > 0) {
    const message = `the secret of address "${value}" cannot change while ${sharersText(others, record, namesFor(claimant))} share it`;
    return refuse('secret/shared', message, { value });
  }
  const key = keyUnder(holder.key, record.secret, shown);
  return accept({ secret: shown, ...(key === undefined ? {} : { key }) });
}

function underNewestKey({ record, holder }: Claim, shown: ShownProof): Pick<AgreedTerms, 'secret' | 'key'> {
  const secret = refreshed(record.secret, shown);
  if (secret === undefined) return {};
  const key = keyUnder(holder.key, record.secret, secret);
  return { secret, ...(key === undefined ? {} : { key }) };
}
