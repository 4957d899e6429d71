import { refuse, type Outcome } from '../errors/outcome';
import { parse4, parse6 } from './address-codec';

const LONGEST_QUOTE = 64;

/**
 * Quotes text of a user for a message.
 *
 * @param text - the text as written
 * @returns the text in double quotes, control characters escaped, cut after 64 characters
 */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}

interface Reason {
  readonly why: string;
  readonly suggestion?: string;
}

// Offers text only when it would be accepted.
function reason(why: string, candidate: string): Reason {
  const accepted = parse4(candidate, 0) >= 0 || parse6(candidate);
  return accepted ? { why, suggestion: candidate } : { why };
}

function blankReason(text: string): Reason | undefined {
  if (!/\s/u.test(text)) return undefined;
  return reason('blanks are not allowed in an address', text.trim());
}

function bracketReason(text: string): Reason | undefined {
  if (/^\[\s*["']/u.test(text)) {
    return { why: 'this looks like a JSON list; write addresses without brackets and quotes, separated by commas' };
  }
  if (/^[["']/u.test(text)) return reason('brackets and quotes are not allowed', text.replace(/[[\]"']/gu, ''));
  return undefined;
}

function signReason(text: string): Reason | undefined {
  if (/[,;]/u.test(text)) return { why: 'one address is due here, not a list' };
  if (text.includes('%')) return reason('zone ids are not allowed', text.slice(0, text.indexOf('%')));
  if (text.includes('/')) {
    return reason('one address is due here, without a prefix length', text.slice(0, text.indexOf('/')));
  }
  const stranger = /[^0-9a-z.:-]/iu.exec(text);
  if (stranger === null) return undefined;
  const code = stranger[0].codePointAt(0) ?? 0;
  return { why: `the character U+${code.toString(16).toUpperCase().padStart(4, '0')} has no place in an address` };
}

function partReason(part: string): string | undefined {
  if (part === '') return 'a part between the dots is empty';
  if (/^0x/iu.test(part)) return `the part ${quoted(part)} is hexadecimal`;
  if (!/^[0-9]+$/u.test(part)) return `the part ${quoted(part)} is not a decimal number`;
  if (part.length > 1 && part.startsWith('0')) {
    return `the part ${quoted(part)} has a leading zero, which some programs read as octal`;
  }
  return Number(part) > 255 ? `the part ${quoted(part)} is above 255` : undefined;
}

// Why dotted (or unparted) text is no IPv4 address; nothing is suggested, since every repair would be a guess.
function why4(text: string): string {
  const parts = text.split('.');
  if (parts.length === 1 && /^[0-9]+$/u.test(text)) return 'a single number is not an address';
  for (const part of parts) {
    const why = partReason(part);
    if (why !== undefined) return why;
  }
  return `IPv4 has four decimal parts, not ${String(parts.length)}`;
}

function groupReason(group: string): string | undefined {
  if (!/^[0-9a-f]*$/iu.test(group)) return `the group ${quoted(group)} is not hexadecimal`;
  return group.length > 4 ? `the group ${quoted(group)} has more than four digits` : undefined;
}

function colonReason(text: string): string | undefined {
  if (text.includes(':::')) return '":::" has no meaning';
  if (text.split('::').length > 2) return '"::" may stand only once';
  return /^:[^:]|[^:]:$/u.test(text) ? 'it starts or ends with a single colon' : undefined;
}

// Why text with colons is no IPv6 address.
function why6(text: string): string {
  const colons = colonReason(text);
  if (colons !== undefined) return colons;
  const groups = text.split(':');
  const tail = groups.at(-1) ?? '';
  const dotted = tail.includes('.');
  if (dotted && parse4(tail, 0) < 0) return `its end is not an IPv4 address: ${why4(tail)}`;
  for (const group of dotted ? groups.slice(0, -1) : groups) {
    const why = groupReason(group);
    if (why !== undefined) return why;
  }
  return text.includes('::') ? 'it has too many groups beside "::"' : 'IPv6 has eight groups, or fewer with one "::"';
}

function explain(text: string): Reason {
  if (text === '') return { why: 'it is empty' };
  const found = bracketReason(text) ?? blankReason(text) ?? signReason(text);
  if (found !== undefined) return found;
  return { why: text.includes(':') ? why6(text) : why4(text) };
}

/**
 * Explains why text is not one IP address; called only after the codec refused it, so it may be slow.
 *
 * @param text - the text as written
 * @returns refusal `address/malformed`
 */
export function refuseAddress(text: string): Outcome<never> {
  const { why, suggestion } = explain(text);
  const help = suggestion === undefined ? '' : `; write "${suggestion}"`;
  return refuse('address/malformed', `${quoted(text)} is not an IP address: ${why}${help}`, {
    value: text,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}
