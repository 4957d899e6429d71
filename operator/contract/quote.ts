const LONGEST_QUOTE = 80;
// JSON leaves these as they are, but terminals and logs obey them: DEL and C1 controls, line and direction marks
const UNPRINTABLE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/gu;

/** Characters within which every holder has its whole name: namespace and name of 63 each, or three ids. */
export const LONGEST_LABEL = 200;

/**
 * Quotes a user's text for a message.
 *
 * @param text - the text as written
 * @param longest - most characters that are shown
 * @returns the text in quotes, control characters escaped, cut where more would be shown
 */
export function quoteValue(text: string, longest = LONGEST_QUOTE): string {
  let shown = '';
  for (const character of text) {
    const next = escaped(character);
    if (shown.length + next.length > longest) return `"${shown}…"`;
    shown += next;
  }
  return `"${shown}"`;
}

function escaped(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  return json.replace(UNPRINTABLE, (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
