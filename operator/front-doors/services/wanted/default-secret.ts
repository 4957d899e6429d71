import { randomInt } from 'node:crypto';

import { DEFAULT_SECRET, IPAM, OPERATOR_NAMESPACE, SECRET_KEY } from '../../../contract/group';
import { LONGEST_LABEL, quoteValue } from '../../../contract/quote';
import { annotationPath } from '../../../contract/service-annotations';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { ClaimantSecret } from '../../../ports/address-book';
import type { Cluster, SecretView } from '../../../ports/cluster';
import { checkSecret } from '../../../rules/secrets';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 32;
const FIELD = annotationPath(IPAM.secret);

/**
 * Reads the secret that a Service names. The cluster's own one is made at first need; it proves ownership only inside
 * the namespace that took the address.
 *
 * @param cluster - where Secrets are; each call reads anew, so that a Secret applied a moment ago is seen (W-28)
 * @param namespace - of the Service
 * @param name - `default`, or a Secret of that namespace
 * @returns the secret; or refusal `secret/missing`, `secret/invalid`, never with its content
 */
export async function readClaimSecret(
  cluster: Pick<Cluster, 'secret' | 'ensureSecret'>,
  namespace: string,
  name: string,
): Promise<Outcome<ClaimantSecret>> {
  if (name === DEFAULT_SECRET)
    return valueIn(await defaultSecret(cluster), { where: OPERATOR_NAMESPACE, name, scope: 'namespace' });
  const secret = await cluster.secret(namespace, name);
  if (secret !== undefined) return valueIn(secret, { where: namespace, name, scope: 'shared' });
  const message = `${FIELD}: there is no Secret ${quoteValue(name)} in namespace ${quoteValue(namespace)}; make it first, or use "${DEFAULT_SECRET}"`;
  return refuse('secret/missing', message, { field: FIELD, value: name });
}

async function defaultSecret(cluster: Pick<Cluster, 'secret' | 'ensureSecret'>): Promise<SecretView> {
  const stored = await cluster.secret(OPERATOR_NAMESPACE, DEFAULT_SECRET);
  return stored ?? (await cluster.ensureSecret(OPERATOR_NAMESPACE, DEFAULT_SECRET, { [SECRET_KEY]: randomSecret() }));
}

/**
 * Makes a secret that cannot be guessed (W-19).
 *
 * @returns 32 letters and digits
 */
export function randomSecret(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function valueIn(
  secret: SecretView,
  place: { where: string; name: string; scope: ClaimantSecret['scope'] },
): Outcome<ClaimantSecret> {
  // only for a refusal: to quote a name costs as much as all the rest of reading the Secret
  const label = (): string => `${FIELD}: Secret ${quoteValue(`${place.where}/${place.name}`, LONGEST_LABEL)}`;
  const details = { field: FIELD, value: place.name };
  if (secret.type !== 'Opaque') {
    return refuse('secret/invalid', `${label()} is of type ${quoteValue(secret.type)}; type Opaque is due`, details);
  }
  const value = secret.data[SECRET_KEY];
  if (value === undefined)
    return refuse('secret/invalid', `${label()} has no key "${SECRET_KEY}"; put the secret there`, details);
  const checked = checkSecret(value, FIELD);
  if (checked.ok) return accept({ value, scope: place.scope });
  return refuse('secret/invalid', `${label()}: ${checked.refusal.message}`, details);
}
