import type { ErrorCode } from './catalogue';

/** An expected refusal: a value, not an exception (style rule 9). */
export interface Refusal {
  readonly code: ErrorCode;
  /** One sentence: what failed, which value, what is allowed, the holder in the way. Never holds a secret. */
  readonly message: string;
  /** Path of the field at fault, for example `metadata.annotations[ipam.vitistack.io/zone]`. */
  readonly field?: string;
  /** The value at fault as its author wrote it. */
  readonly value?: string;
  /** A value that would be accepted. */
  readonly suggestion?: string;
  /** Seconds until a new try can help; with the retry classes `after` and `backoff` only. */
  readonly retryAfterSeconds?: number;
}

/** Success with a value, or one refusal. */
export type Outcome<V> = { readonly ok: true; readonly value: V } | { readonly ok: false; readonly refusal: Refusal };

/**
 * Says where a refused wish stands. The place comes first, so that the message makes sense where only its text is shown.
 *
 * @param refusal - what is wrong
 * @param field - path of the field at fault
 * @returns the refusal with field and prefixed message; a refusal that has a field already stays as it is
 */
export function refusedAt(refusal: Refusal, field: string): Refusal {
  return refusal.field === undefined ? { ...refusal, field, message: `${field}: ${refusal.message}` } : refusal;
}

/**
 * Wraps a success.
 *
 * @param value - the result
 * @returns the successful outcome
 */
export function accept<V>(value: V): Outcome<V> {
  return { ok: true, value };
}

/**
 * Wraps a refusal.
 *
 * @param code - code of the catalogue
 * @param message - one full sentence for the caller
 * @param details - field, value, suggestion, waiting time
 * @returns the refused outcome
 */
export function refuse(
  code: ErrorCode,
  message: string,
  details: Omit<Refusal, 'code' | 'message'> = {},
): Outcome<never> {
  return { ok: false, refusal: { code, message, ...details } };
}
