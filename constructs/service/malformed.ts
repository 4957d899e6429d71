import type { Refusal } from '../../operator/errors/outcome';

/**
 * Refuses a prop by a sentence that begins with its name.
 *
 * @param field - path of the prop at fault
 * @param text - the rest of the sentence
 * @returns the refusal, `wish/malformed`
 */
export function malformed(field: string, text: string): Refusal {
  return { code: 'wish/malformed', field, message: `${field}: ${text}` };
}
