import type { Refusal } from '../../operator/errors/outcome';
import { DNS_NAME } from './kubernetes-values';
import { isLate } from './values';
import type { SecretKeyReference } from '../operator/store/store-props';

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

/** Words that no connection string is, and few tokens. */
const NAME_IN_WORDS = 'a-z, 0-9, - and ., at most 253 characters';
const KEY_IN_WORDS = 'letters, digits, "-", "_" and "."';
const KEY = /^(?!\.{1,2}$)[-._A-Za-z0-9]{1,253}$/;

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
  const nameless = DNS_NAME.judge(name, field).faults.length > 0;
  const keyless = key !== undefined && !isLate(key) && !KEY.test(key);
  return [
    ...(nameless
      ? [refused(field, `give the name of a Secret (${NAME_IN_WORDS}); what it holds belongs into the Secret`)]
      : []),
    ...(keyless
      ? [refused(field, `give a key of the Secret (${KEY_IN_WORDS}); what it holds belongs into the Secret`)]
      : []),
  ];
}
