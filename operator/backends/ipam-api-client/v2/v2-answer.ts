import { parseAddress, type Address } from '../../../addressing/address';
import { catalogueRow, isErrorCode, type ErrorCode } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import { isMap, textOf, type JsonMap } from '../../../contract/loose-json';
import { V2_MESSAGES } from '../../../contract/ipam-api/v2';
import { MOST_REST_MS } from '../circuit-breaker';
import type { Doubt, V2Call, V2Result } from './v2-call';

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
  /** Milliseconds from now that it asks to wait, by its header `retry-after`. */
  readonly retryAfterMs?: number;
}

/** Which operation was answered. */
export type Operation = 'register' | 'release';

/** Longest text of another system that gets into a message. */
const MAX_QUOTED = 200;
const USUAL_REST_MS = 5_000;

/** Answer of the original before it looks at anything: the address has not changed. */
const UNLOOKED = /^failed to fetch zones: /u;
/** The same about one zone: its list of containers was not read, or has none of the family. */
const ZONE_UNREAD = /^no prefixes found for zone .* with IP family /u;
// Texts of the original, up to v1.0.40. It answers 500 to nearly every refusal; only its text tells them apart (services.md 5.2).
const ORIGINAL: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^Could not register address: no match/u, 'secret/wrong'],
  [/^Could not register address: secret mismatch\./u, 'secret/wrong'],
  [/^Could not register address: (service mismatch|multiple services registered)\./u, 'secret/shared'],
  [/^Could not register address: the requested address is not valid for the provided zone/u, 'address/outside-zone'],
  [/^Could not register address: no available prefix found/u, 'pool/exhausted'],
  [/^invalid zone '/u, 'claim/invalid'],
  [/^(invalid IP address format|invalid ip |retention period cannot be|Key: 'IpamApiRequest\.)/u, 'claim/invalid'],
];
// Texts of servers that stand in for it.
const TEXTS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/no match|not match|wrong secret|secret does not|not authori[sz]ed/iu, 'secret/wrong'],
  [/exhaust|no (free|available|more)|not enough|insufficient|is full/iu, 'pool/exhausted'],
  [/outside|not (with)?in |not (part|contained)|does not (belong|lie)/iu, 'address/outside-zone'],
  [/(other|multiple|several|more than one) services?|shared/iu, 'secret/shared'],
];
/** Signs of a dependency that is away, behind a status that claims a mistake of ours. */
const AWAY = /netbox|dial tcp|lookup |connection|timed? ?out|EOF|context deadline|mongo|Get "http/iu;

/**
 * Understands an answer of version 2, of the original or of ours, and what stands in between.
 *
 * @param operation - what was asked
 * @param call - with what; its secrets are taken out of every text
 * @param answer - status and body
 * @returns what became of the call
 */
export function understand(operation: Operation, call: V2Call, answer: RawAnswer): V2Result {
  const json = jsonOf(answer.body);
  if (answer.status === 429) return tooMany(answer);
  if (json === undefined) return withoutJson(operation, call, answer);
  if (answer.status === 200 || answer.status === 201) return success(operation, call, json);
  return refusal({ operation, call, answer, json });
}

/**
 * Says that no answer came.
 *
 * @param doubt - what the call may have left behind
 * @param why - of the network, for a person
 * @returns the failed call
 */
export function unanswered(doubt: Doubt, why: string): V2Result {
  return failed(doubt, `the IPAM-API gave no answer (${why})`);
}

function success(operation: Operation, call: V2Call, json: JsonMap): V2Result {
  const message = textOf(json['message']);
  // the length of the prefix is that of the record there, not of the host (EXT-07)
  const address = addressIn(textOf(json['address']));
  if (operation === 'release') return { as: 'done', fresh: false, ...(address === undefined ? {} : { address }) };
  if (address === undefined) return failed('done', 'the IPAM-API answered success without an address');
  if (address.family !== call.family) {
    return failed('done', `the IPAM-API answered "${address.toString()}", which is not IPv${String(call.family)}`);
  }
  if (call.address !== undefined && !call.address.equals(address)) {
    const asked = call.address.toString();
    return failed('done', `the IPAM-API answered "${address.toString()}" to a call for "${asked}"`);
  }
  return { as: 'done', address, fresh: message === V2_MESSAGES.registered };
}

function addressIn(text: string): Address | undefined {
  const parsed = parseAddress(text.split('/', 1)[0] ?? '');
  return parsed.ok ? parsed.value : undefined;
}

interface Refused {
  readonly operation: Operation;
  readonly call: V2Call;
  readonly answer: RawAnswer;
  readonly json: JsonMap;
}

function refusal({ operation, call, answer: { status }, json }: Refused): V2Result {
  const text = cleaned(textOf(json['message']), call);
  const code = textOf(json['code']);
  if (isErrorCode(code)) return ours(code, text);
  const said = `the IPAM-API answered ${String(status)}: ${text}`;
  if (isLogin(status)) return noLogin(said);
  return operation === 'release' ? releaseRefusal(status, said) : registerRefusal(call, { status, text, said });
}

function registerRefusal(
  call: V2Call,
  { status, text, said }: { readonly status: number; readonly text: string; readonly said: string },
): V2Result {
  const own = ofOriginal(text, said);
  if (own !== undefined) return own;
  const known = TEXTS.find(([pattern]) => pattern.test(text))?.[1];
  if (known !== undefined && !AWAY.test(text)) return final(known, said);
  const chooses = call.address === undefined;
  if (status === 409 || (status === 404 && chooses)) return final(chooses ? 'pool/exhausted' : 'secret/wrong', said);
  return isMistake(status, text) ? final('claim/invalid', said) : failed('done', said);
}

function ofOriginal(text: string, said: string): V2Result | undefined {
  const code = ORIGINAL.find(([pattern]) => pattern.test(text))?.[1];
  if (code !== undefined) return final(code, said);
  if (UNLOOKED.test(text)) return failed('no', said);
  return ZONE_UNREAD.test(text) ? { ...failed('no', said), ofZone: true } : undefined;
}

// The original answers 400 too when NetBox cannot be asked for its zones.
function isMistake(status: number, text: string): boolean {
  return status >= 400 && status < 500 && !AWAY.test(text);
}

function releaseRefusal(status: number, said: string): V2Result {
  // every failure of a release is a 404 there, that of the database too: the caller has to confirm it
  return status === 404 ? final('claim/not-found', said) : failed('done', said);
}

// Our own server says which case it is.
function ours(code: ErrorCode, text: string): V2Result {
  const { retry } = catalogueRow(code);
  if (code === 'pool/exhausted' || code === 'zone/quota') return final(code, text);
  if (code === 'address/held') return final('secret/wrong', text);
  if (code === 'store/deadline') return failed('running', text);
  return retry === 'never' ? final(code, text) : failed('done', text);
}

function withoutJson(operation: Operation, call: V2Call, { status, body }: RawAnswer): V2Result {
  const kind = kindOf(body);
  const said = `the IPAM-API answered ${String(status)} with ${kind}`;
  // the original answers every unknown path with its welcome page
  if (status === 200 && kind === 'a web page') return failed('no', `${said}; does its URL lead to version 2?`);
  if (isLogin(status)) return noLogin(said);
  const chooses = operation === 'register' && call.address === undefined;
  if (status === 204 && chooses) return final('pool/exhausted', said);
  return failed(DOUBTS[status] ?? (status >= 500 || status < 300 ? 'running' : 'no'), said);
}

// A gateway that lost its server, and a server whose handler fell over.
const DOUBTS: Readonly<Record<number, Doubt>> = { 500: 'done', 502: 'cut', 503: 'cut' };

function kindOf(body: string): string {
  if (body.trim() === '') return 'nothing';
  return /<(!doctype|html|head|body)/iu.test(body) ? 'a web page' : 'no JSON';
}

function isLogin(status: number): boolean {
  return status === 401 || status === 403;
}

function noLogin(said: string): V2Result {
  return final('api/anonymous', `${said}; the operator has no right to call it`);
}

function tooMany({ retryAfterMs = USUAL_REST_MS }: RawAnswer): V2Result {
  const seconds = Math.max(1, Math.ceil(Math.min(retryAfterMs, MOST_REST_MS) / 1_000));
  const message = `the IPAM-API has too many calls and asks to wait ${String(seconds)} s`;
  return {
    as: 'failed',
    doubt: 'no',
    refusal: { code: 'store/unavailable', message, retryAfterSeconds: seconds },
  };
}

function final(code: ErrorCode, message: string): V2Result {
  return { as: 'refused', refusal: { code, message } };
}

function failed(doubt: Doubt, message: string): V2Result & { readonly as: 'failed' } {
  const refusal: Refusal = { code: 'store/unavailable', message };
  return { as: 'failed', doubt, refusal };
}

function cleaned(text: string, { secret, newSecret = '' }: V2Call): string {
  let clean = text;
  for (const each of [secret, newSecret]) if (each !== '') clean = clean.replaceAll(each, '[secret]');
  const line = clean.replace(/[\u0000-\u001f\u007f]+/gu, ' ').trim();
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line;
}

function jsonOf(body: string): JsonMap | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isMap(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
