import type { IncomingHttpHeaders } from 'node:http';
import type { Expectation } from '../../../ports/address-book';

/** One tag of a list (RFC 9110, section 8.8.3). */
const TAG = /(W\/)?"([\u0021\u0023-\u007e\u0080-\u00ff]*)"/gu;
/** The whole of a list. */
const LIST = /^[ \t,]*(?:(?:W\/)?"[\u0021\u0023-\u007e\u0080-\u00ff]*"[ \t]*(?:,[ \t,]*|$))+$/u;
const VERSION = /^\d{1,15}$/u;

/**
 * Reads the conditions of a request: `If-Match` compares strongly, so a weak tag is none; `If-None-Match` weakly.
 *
 * @param headers - of the request
 * @returns which versions the claim must have, or must not have; empty without such headers
 */
export function expectationOf(headers: IncomingHttpHeaders): Expectation {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  return {
    ...(match === undefined ? {} : { match: versionsIn(match, false) }),
    ...(noneMatch === undefined ? {} : { noneMatch: versionsIn(noneMatch, true) }),
  };
}

// A tag that is none of ours matches no version.
function versionsIn(header: string, weak: boolean): 'any' | readonly number[] {
  if (header.trim() === '*') return 'any';
  if (!LIST.test(header)) return [];
  const tags = [...header.matchAll(TAG)].filter(([, isWeak]) => weak || isWeak === undefined);
  return tags
    .map(([, , tag = '']) => tag)
    .filter((tag) => VERSION.test(tag))
    .map(Number);
}
