/** Oldest Node.js that this program runs on; the package says the same to npm. */
const OLDEST = [20, 19] as const;

/**
 * Says that a Node.js is too old for this program.
 *
 * @param program - its name
 * @param version - of the Node.js, for example `20.19.0`
 * @returns one sentence; undefined for one that is new enough
 */
export function nodeProblem(program: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `${program} needs Node.js ${OLDEST.join('.')} or newer, and this is ${version}`;
}
