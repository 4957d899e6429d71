import type { Refusal } from '../../operator/errors/outcome';
import { props } from './containers';
import { DNS_NAME } from './kubernetes-values';
import { refused } from './refused';
import { needed } from './rule';
import { HIDDEN_TEXT, isLate } from './values';

/** One key of a Secret in the operator's namespace. */
export interface SecretKeyReference {
  /** Name of the Secret. */
  readonly name: string;
  /**
   * Key in its data.
   *
   * @default - the key that the prop names
   */
  readonly key?: string;
}

/** A key of a Secret. What is wrong may be the secret itself, so names are judged where no value is shown. */
export const SECRET_KEY = props<SecretKeyReference>({ name: needed(HIDDEN_TEXT, 'absent'), key: HIDDEN_TEXT });

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
