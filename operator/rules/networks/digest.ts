import type { LabelSelector } from '../../contract/label-selector';

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MASK = 0xffffffffffffffffn;

/**
 * Orders texts by their characters, whatever the language of the machine is.
 *
 * @param a - any text
 * @param b - another one
 * @returns below 0 where the first one comes first
 */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// One text for selectors that choose the same, however they are written.
function sortedSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly unknown[] {
  const labels = Object.entries(matchLabels).sort(([a], [b]) => byText(a, b));
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => [
    key,
    operator,
    [...values].sort(byText),
  ]);
  return [labels, expressions.map((each) => JSON.stringify(each)).sort(byText)];
}

/**
 * Writes a short text that differs where two requests differ (FNV-1a of 64 bits). It is stored, so it never changes for one request.
 *
 * @param parts - kind, prefix and other values of the request, in a fixed order
 * @param selector - for requests that select
 * @returns 16 hex digits
 */
export function requestDigest(
  parts: readonly (string | number | boolean | undefined)[],
  selector?: LabelSelector,
): string {
  const values = parts.map((part) => part ?? null);
  const text = JSON.stringify(selector === undefined ? values : [...values, sortedSelector(selector)]);
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * PRIME) & MASK;
  return hash.toString(16).padStart(16, '0');
}
