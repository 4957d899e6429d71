/** Most edits between a mistyped word and the one that is suggested. */
const MAX_EDITS = 3;

/**
 * Finds the known word that a mistyped one most likely meant.
 *
 * @param word - the word as the user wrote it
 * @param known - words to choose from
 * @returns the nearest known word, or undefined when none is close; O(|word| · total length of `known`)
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = MAX_EDITS + 1;
  for (const candidate of known) {
    const edits = editDistance(word, candidate);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

// Levenshtein distance, one row of the table at a time.
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_EDITS) return MAX_EDITS + 1;
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[to.length] ?? 0;
}
