/** One branch of a tree: a line, with its leaves. */
interface Branch {
  readonly line: string;
  readonly leaves: readonly string[];
}

/**
 * Draws branches below a first line.
 *
 * @param branches - from top to bottom
 * @returns their lines
 */
export function drawn(branches: readonly Branch[]): readonly string[] {
  return branches.flatMap(({ line, leaves }, i) => {
    const isLast = i === branches.length - 1;
    const below = leaves.map((text, j) => `${isLast ? '  ' : '│ '} ${j === leaves.length - 1 ? '└─' : '├─'} ${text}`);
    return [`${isLast ? '└─' : '├─'} ${line}`, ...below];
  });
}
