import { catalogueRow } from '../../errors/catalogue';
import type { Refusal } from '../../errors/outcome';

/** How the command line ends. */
export const EXIT = { ok: 0, usage: 1, refused: 2, notFound: 3, unavailable: 4, partly: 5 } as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The codes as `--help` shows them. */
export const EXIT_HELP = `
Exit codes:
  0  done
  1  the command line itself is wrong
  2  refused; with doctor: something is bad; with differences: there are some
  3  not found
  4  no answer, or the server cannot serve now; try again later
  5  done in part: the output names what was not
`;

/** Refusals that stay the same however long a script waits. */
const HOPELESS: ReadonlySet<string> = new Set(['store/keys', 'store/lost', 'store/moved', 'store/schema']);

/**
 * Chooses the exit code of a refusal.
 *
 * @param refusal - why a command did not do what was asked
 * @returns the code that scripts look at
 */
export function exitOf({ code }: Refusal): ExitCode {
  if (code === 'settings/invalid') return EXIT.usage;
  if (HOPELESS.has(code)) return EXIT.refused;
  const { http } = catalogueRow(code);
  if (http === 404) return EXIT.notFound;
  return http >= 500 || code === 'api/timeout' ? EXIT.unavailable : EXIT.refused;
}
