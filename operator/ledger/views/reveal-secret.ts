import type { Address } from '../../addressing/address';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { LedgerContext } from '../records/ledger-context';

/**
 * Reads a secret again, where the installation keeps them recoverable; see `Registry.revealSecret`.
 *
 * @param context - the ledger's parts
 * @param network - network of the address
 * @param address - whose secret
 * @returns the secret, which must never be logged; or refusal `secret/not-recoverable`, `claim/not-found`
 */
export async function revealSecret(
  context: LedgerContext,
  network: string,
  address: Address,
): Promise<Outcome<{ readonly secret: string }>> {
  const { hasher, claims } = context;
  const value = address.toString();
  if (hasher.unseal === undefined) {
    return refuse('secret/not-recoverable', 'secrets are not kept recoverable here; see --recoverable-secrets', {
      value,
    });
  }
  const record = await claims.get({ network, address });
  if (record === undefined) {
    return refuse('claim/not-found', `no claim holds address "${value}" of network "${network}"`, { value });
  }
  const sealed = record.secret?.sealed;
  const secret = sealed === undefined ? undefined : hasher.unseal(sealed);
  if (secret !== undefined) return accept({ secret });
  const why =
    sealed === undefined
      ? 'was shown last before secrets were kept'
      : 'was sealed with a key that is gone, or changed since';
  return refuse(
    'secret/not-recoverable',
    `the secret of address "${value}" ${why}; replace it, or let its owner show it`,
    {
      value,
    },
  );
}
