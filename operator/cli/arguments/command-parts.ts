import { InvalidArgumentError, type Command } from 'commander';
import type { Outcome } from '../../errors/outcome';
import { accept } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import type { ReadInput } from './input-file';
import type { Report } from '../output/report';

/** Parts that commands have in common; one file adds one command. */
export interface CommandParts {
  readonly program: Command;
  /** Does the work against the server of the options, prints its report, and sets the exit code. */
  readonly run: (work: (api: ApiCaller) => Promise<Outcome<Report>>) => Promise<void>;
  /** The same for work without a server. */
  readonly runHere: (work: () => Promise<Outcome<Report>>) => Promise<void>;
  /** Opens the server of the options, for work that may do without. */
  readonly connect: () => Outcome<ApiCaller>;
  /** Variables of the process. */
  readonly env: NodeJS.ProcessEnv;
  /** Reads standard input to its end. */
  readonly input: ReadInput;
  /** Writes bytes to standard output, where a command makes a file. */
  readonly output: NodeJS.WritableStream;
  /** Files and folders under way, which are removed when a signal ends the program. */
  readonly drafts: Set<string>;
}

/** The option without which a command that takes something away changes nothing. */
export const YES = ['--yes', 'do it; without this the command only tells what it would do', false] as const;

/** Entries of one call; the most that version 3 gives. */
const PAGE_ENTRIES = 1_000;

/** Which page is read next. */
export interface NextPage {
  readonly limit: number;
  readonly after?: string;
}

/** One page of a listing. */
interface Listed<T> {
  readonly entries: readonly T[];
  readonly next?: string;
}

/**
 * Reads a listing to its end.
 *
 * @param read - reads one page
 * @param limit - most entries; all of them where it is undefined
 * @returns the entries in the order of the server
 */
export async function allPages<T>(
  read: (page: NextPage) => Promise<Outcome<Listed<T>>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Outcome<readonly T[]>> {
  const entries: T[] = [];
  let after: string | undefined;
  do {
    const page = await read({
      limit: Math.min(PAGE_ENTRIES, limit - entries.length),
      ...(after === undefined ? {} : { after }),
    });
    if (!page.ok) return page;
    for (const entry of page.value.entries) entries.push(entry);
    after = page.value.next;
  } while (after !== undefined && entries.length < limit);
  return accept(entries);
}

/**
 * Reads a whole number of the command line.
 *
 * @param text - as it was given
 * @returns the number
 * @throws InvalidArgumentError, which the parser turns into a message
 */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('Give a whole number from 1 on.');
  return Number(text);
}
