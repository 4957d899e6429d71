import { isMap, textOf, type JsonMap } from '../../contract/loose-json';
import { quoted } from './quoted';

/**
 * Reason for which NetBox did not do what was asked.
 *
 * - `absent`: no such record (404)
 * - `full`: there is no room left, however NetBox or what stands in for it says that
 * - `refused`: the request is wrong, for example a tenant that does not exist; the same again is refused again
 * - `login`: the token is not taken, or lacks a right
 * - `limited`: too many requests; nothing was looked at
 * - `unavailable`: no usable answer; the same again may help
 */
export type FaultKind = 'absent' | 'full' | 'refused' | 'login' | 'limited' | 'unavailable';

/** A call without the answer that was hoped for. */
export interface NetBoxFault {
  readonly kind: FaultKind;
  /** Part of a sentence that begins with NetBox, or with what stands before it. Holds no secret. */
  readonly words: string;
  /** Whether NetBox may have done what was asked. */
  readonly acted: 'no' | 'perhaps';
  /** The token is taken, but lacks the right for this one call. */
  readonly lacksRight?: true;
  /** Seconds before which no other try makes sense. */
  readonly retryAfterSeconds?: number;
}

/** Answer to one call. */
export type NetBoxAnswer =
  { readonly ok: true; readonly body: JsonMap } | { readonly ok: false; readonly fault: NetBoxFault };

/** Answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter?: string | undefined;
  readonly location?: string | undefined;
}

/** Seconds to wait after a 429 that names none. */
const LIMITED_SECONDS = 5;
/** Longest wait that is believed. */
const MOST_SECONDS = 3600;

// NetBox: 409 since 3.1.1, 204 before; others wrap it in 500 or 404 (field case EXT-04)
const NO_ROOM = /insufficient space|not enough (space|free)|no (more )?(free|available)\b|exhausted|\bis full\b/iu;
// NetBox 4.4: "You do not have permission to perform this action."; of a token that it does not know: "Invalid token"
const NO_RIGHT = /permission/iu;

/**
 * Wraps a fault.
 *
 * @param kind - what went wrong
 * @param words - part of a sentence
 * @param more - whether NetBox may have acted, whether a right is missing, and how long to wait
 * @returns the answer
 */
export function failed(
  kind: FaultKind,
  words: string,
  more: Partial<Pick<NetBoxFault, 'acted' | 'lacksRight' | 'retryAfterSeconds'>> = {},
): { readonly ok: false; readonly fault: NetBoxFault } {
  return { ok: false, fault: { kind, words, acted: 'no', ...more } };
}

/**
 * Judges an answer.
 *
 * @param raw - status, body and the headers that matter
 * @param nowMs - for a Retry-After that is a date
 * @returns the JSON object of a success (empty for a 204), else the fault in words that users can act on
 */
export function judge(raw: RawAnswer, nowMs: number): NetBoxAnswer {
  const { status, text } = raw;
  if (status === 204) return { ok: true, body: {} };
  const body = jsonOf(text);
  if (status >= 200 && status < 300) return judgeSuccess(status, body, text);
  const said = saying(body, text);
  if (status === 409 || (status >= 400 && NO_ROOM.test(said))) return failed('full', `answered ${status}${said}`);
  if (status === 429) return failed('limited', 'answered 429, too many requests', waitOf(raw, nowMs));
  if (status >= 500) {
    const wait = waitIfTold(raw, nowMs);
    return failed('unavailable', `answered ${status}${said}`, { acted: 'perhaps', ...wait });
  }
  return judgeRefusal(raw, { isJson: isMap(body), said });
}

function judgeRefusal(
  raw: RawAnswer,
  { isJson, said }: { readonly isJson: boolean; readonly said: string },
): NetBoxAnswer {
  const { status } = raw;
  if (status === 404 && isJson) return failed('absent', `answered 404${said}`);
  if (status === 401 || status === 403) {
    const lacking = status === 403 && NO_RIGHT.test(said) ? { lacksRight: true as const } : {};
    return failed('login', `does not let the token do that: it answered ${status}${said}`, lacking);
  }
  if (status < 400) return failed('refused', `${redirect(raw)}; set the URL that NetBox itself has`);
  return failed('refused', `refuses the request: it answered ${status}${said}`);
}

function judgeSuccess(status: number, body: unknown, text: string): NetBoxAnswer {
  if (isMap(body)) return { ok: true, body };
  const what =
    text.trim() === '' ? 'an empty body' : Array.isArray(body) ? 'a list' : `no JSON object, but ${beginning(text)}`;
  return failed('unavailable', `answered ${status} with ${what}; is the URL that of NetBox?`, { acted: 'perhaps' });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function beginning(text: string): string {
  return quoted(text.trimStart().replaceAll(/\s+/gu, ' '), 60);
}

// `{"detail": "…"}`, or `{"field": ["…"]}` of a validation; anything else shows how it begins.
function saying(body: unknown, text: string): string {
  if (!isMap(body)) return text.trim() === '' ? '' : ` with ${beginning(text)}`;
  const detail = textOf(body['detail']) || textOf(body['error']);
  if (detail !== '') return `: ${quoted(detail, 200)}`;
  const fields = Object.entries(body).map(
    ([field, value]) => `${field}: ${quoted([value].flat().map(plain).join(' '), 200)}`,
  );
  return fields.length === 0 ? '' : `: ${fields.slice(0, 5).join(', ')}`;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function redirect({ status, location = '' }: RawAnswer): string {
  const host = URL.canParse(location) ? ` to ${quoted(new URL(location).origin, 100)}` : '';
  return `answered ${status} and sends us elsewhere${host}`;
}

function waitOf(raw: RawAnswer, nowMs: number): { readonly retryAfterSeconds: number } {
  return { retryAfterSeconds: LIMITED_SECONDS, ...waitIfTold(raw, nowMs) };
}

// RFC 9110 section 10.2.3: seconds or a date
function waitIfTold({ retryAfter = '' }: RawAnswer, nowMs: number): { readonly retryAfterSeconds?: number } {
  const text = retryAfter.trim();
  const seconds = /^\d{1,9}$/u.test(text)
    ? Number(text)
    : (Date.parse(/[a-z]/iu.test(text) ? text : '') - nowMs) / 1000;
  return Number.isNaN(seconds) ? {} : { retryAfterSeconds: Math.min(MOST_SECONDS, Math.max(1, Math.ceil(seconds))) };
}
