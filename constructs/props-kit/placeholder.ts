import { Lazy } from 'cdk8s';

import { isMap } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';
import type { Refusal } from '../../operator/errors/outcome';

// The prop stands in it, so that a parser's "… is not an address" names the prop without knowing of placeholders.
const PLACEHOLDER = /<late-bound:(\d+):([^<>]*)>/;
/** Whatever is left of a placeholder after it was lower-cased, cut or sanitized. */
const REMAINS = /late-?bound[^a-z\d]?(\d+)/i;

/**
 * Writes the text that stands for a late-bound value until a renderer replaces it.
 *
 * @param id - number of the value
 * @param prop - name for messages, without angle brackets
 * @returns for example `<late-bound:3:image.tag>`
 */
export function placeholderOf(id: number, prop: string): string {
  return `<late-bound:${String(id)}:${prop}>`;
}

/**
 * Splits a text at its placeholders.
 *
 * @param text - any text of a manifest
 * @param propOf - prop of a number, for messages
 * @returns texts and ids in their order, without empty texts
 * @throws {@link IpamError} `settings/invalid` where only a part of a placeholder is left
 */
export function placeholdersIn(
  text: string,
  propOf: (id: number) => string | undefined,
): readonly (string | { readonly id: number })[] {
  // two groups: texts stand at 0, 3, 6 …, ids after them
  const pieces = text.split(PLACEHOLDER);
  return pieces.flatMap((piece, i): readonly (string | { readonly id: number })[] => {
    if (i % 3 === 1) return [{ id: Number(piece) }];
    if (i % 3 === 2 || piece === '') return [];
    const [, id] = REMAINS.exec(piece) ?? [];
    const prop = id === undefined ? undefined : propOf(Number(id));
    if (prop === undefined) return [piece];
    throw new IpamError(
      'settings/invalid',
      `${prop}: the late-bound value was cut up on its way into "${text}"; names and parsed texts need a plain value`,
    );
  });
}

const isDisguised = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';

/**
 * Refuses a `Lazy` of cdk8s where a value is read before it is resolved.
 *
 * @param at - path of the prop
 * @returns the sentence
 */
export function lazyText(at: string): string {
  return `${at === '' ? 'props' : at}: a Lazy of cdk8s is resolved when the manifests are written, but this is read before; give the value itself`;
}

/**
 * Finds late-bound values where synth has to know the value.
 *
 * @param value - a prop, or a map or list of props
 * @param field - path of the prop, for the message
 * @returns one refusal per late-bound value, empty when there is none
 */
export function lateBoundProblems(value: unknown, field: string): readonly Refusal[] {
  if (value instanceof Lazy) return [{ code: 'settings/invalid', field, message: lazyText(field) }];
  const plain: unknown = isDisguised(value) ? value.toJSON() : value;
  if (typeof plain === 'string') {
    const [, , prop] = PLACEHOLDER.exec(plain) ?? [];
    if (prop === undefined) return [];
    const message = `${field}: the late-bound value "${prop}" is known after synth only, but synth has to read it; give a plain value`;
    return [{ code: 'settings/invalid', field, message, value: prop }];
  }
  if (Array.isArray(plain)) {
    return plain.flatMap((item, i) => lateBoundProblems(item, `${field}[${String(i)}]`));
  }
  if (!isMap(plain)) return [];
  return Object.entries(plain).flatMap(([key, inner]) => lateBoundProblems(inner, `${field}.${key}`));
}
