import type { Refusal } from '../../operator/errors/outcome';

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
