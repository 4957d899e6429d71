import type { Address } from '../../addressing/address';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { SecretProof } from '../../ports/claims';
import { checkSecret } from '../../rules/secrets';
import { grantedHolders } from '../records/claims';
import { NAMES_ALL } from '../../errors/named-objects';
import { sharersText } from '../records/holder-words';
import { changedHolder } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { comparableHash, keyUnder, proofOf, type ShownProof } from '../records/proof';
import { orAgain, untilSettled, type Attempt } from '../records/until-settled';

/** Which address gets which secret. */
export interface ReplaceSecret {
  readonly network: string;
  readonly address: Address;
  readonly secret: string;
}

/**
 * Gives an address another secret without the old one; see `Registry.replaceSecret`. The rules for the new one are those of
 * any secret.
 *
 * @param context - the ledger's parts
 * @param request - address and secret
 * @returns the new proof; or refusal `secret/invalid`, `claim/not-found`, `secret/shared`
 */
export async function replaceSecret(context: LedgerContext, request: ReplaceSecret): Promise<Outcome<SecretProof>> {
  const checked = checkSecret(request.secret, 'secret');
  if (!checked.ok) return checked;
  const next = proofOf(context.hasher, { value: request.secret, scope: 'shared' });
  return untilSettled(() => context.turns.run(request.address, () => replaceOnce(context, request, next)));
}

async function replaceOnce(
  context: LedgerContext,
  { network, address }: ReplaceSecret,
  next: ShownProof,
): Promise<Attempt<SecretProof>> {
  const record = await context.claims.get({ network, address });
  const value = address.toString();
  const [holder, ...others] = record === undefined ? [] : grantedHolders(record);
  if (record === undefined || holder === undefined) {
    return refuse('claim/not-found', `no claim holds address "${value}" of network "${network}"`, { value });
  }
  const { secret: kept } = record;
  if (kept !== undefined && isSame(kept, next)) return accept(kept);
  if (others.length > 0) {
    const names = sharersText([holder, ...others], record, NAMES_ALL);
    return refuse('secret/shared', `the secret of address "${value}" cannot change while ${names} share it`, { value });
  }
  const key = keyUnder(holder.key, kept, next);
  const { hashes: _hashes, ...secret } = next;
  const change = { network, address, version: record.version, holderId: holder.id };
  const written = orAgain(await context.claims.bind({ ...change, holder: changedHolder(holder, { key }), secret }));
  return written === 'again' || !written.ok ? written : accept(secret);
}

function isSame({ hash }: SecretProof, next: ShownProof): boolean {
  return hash === comparableHash(next.hashes, hash);
}
