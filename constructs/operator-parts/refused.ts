import type { Refusal } from '../../operator/errors/outcome';
import type { SecretKeyReference } from './store-props';

/**
 * Refuses a prop.
 *
 * @param field - path of the prop, with which the message begins
 * @param message - the rest of the sentence
 * @param details - value and suggestion
 * @returns the refusal, `settings/invalid`
 */
export function refused(field: string, message: string, details: Partial<Refusal> = {}): Refusal {
  return { code: 'settings/invalid', field, message: `${field}: ${message}`, ...details };
}

/** What no name of a Secret holds, but every connection string and many a token. */
const NO_NAME = /[\s/@=]/;

/**
 * Checks a reference to a Secret. A wrong one is never quoted: it may be the secret itself.
 *
 * @param field - path of the prop
 * @param reference - the reference; undefined is accepted
 * @returns at most one problem for each part of the reference
 */
export function secretProblems(field: string, reference: SecretKeyReference | undefined): readonly Refusal[] {
  if (reference === undefined) return [];
  const { name, key } = reference;
  // plain JavaScript may leave the name out
  const nameless = typeof (name as unknown) !== 'string' || name === '' || NO_NAME.test(name);
  return [
    ...(nameless ? [refused(field, 'give the name of a Secret; what it holds belongs into the Secret')] : []),
    ...(key !== undefined && (key === '' || NO_NAME.test(key))
      ? [refused(field, 'give a key of the Secret; what it holds belongs into the Secret')]
      : []),
  ];
}
