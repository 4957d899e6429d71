import type { Refusal } from '../errors/outcome';

/**
 * Refuses a setting.
 *
 * @param field - flag or prop at fault
 * @param message - whole sentence
 * @returns the refusal, `settings/invalid`
 */
export function invalid(field: string, message: string): Refusal {
  return { code: 'settings/invalid', field, message };
}

/**
 * Refuses a setting by a sentence that begins with its name.
 *
 * @param field - flag or prop at fault
 * @param what - the rest of the sentence
 * @returns the refusal, `settings/invalid`
 */
export function invalidField(field: string, what: string): Refusal {
  return invalid(field, `${field}: ${what}`);
}
