/**
 * Quotes a text of another program for a message.
 *
 * @param text - of any length
 * @param most - characters that are shown
 * @returns the text on one line in quotes, cut where it is longer
 */
export function quoted(text: string, most: number): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f]+/gu, ' ').trim();
  return `"${line.length > most ? `${line.slice(0, most)}…` : line}"`;
}
