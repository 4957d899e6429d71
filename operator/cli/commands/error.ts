import { CATALOGUE, type ErrorCode } from '../../errors/catalogue';
import { CURES } from '../../errors/cures';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { CommandParts } from '../arguments/command-parts';
import type { Report } from '../output/report';

const CODES = Object.keys(CATALOGUE) as readonly ErrorCode[];

/**
 * Adds `ipam error`.
 *
 * @param parts - program and how to run
 */
export function addError({ program, runHere }: CommandParts): void {
  program
    .command('error')
    .description('tell what a code or a reason means, and what to do; needs no server')
    .argument(
      '<word>',
      'code of a message, such as pool/exhausted, or reason of a condition or an Event, such as PoolExhausted',
    )
    .action((word: string) => runHere(() => Promise.resolve(meaningOf(word))));
}

function meaningOf(word: string): Outcome<Report> {
  const wanted = word.toLowerCase();
  const codes = CODES.filter((code) => code === wanted || CATALOGUE[code].reason.toLowerCase() === wanted);
  if (codes.length === 0) return refuse('claim/not-found', `no code and no reason of an error is "${word}"`);
  const found = codes.map((code) => {
    const { reason, summary, retry, http } = CATALOGUE[code];
    return { code, reason, meaning: summary, cure: CURES[code], retry, http };
  });
  return accept({
    value: found,
    table: found.flatMap(({ code, reason, meaning, cure }) => [`${code} (${reason}): ${meaning}`, `  ${cure}`]),
  });
}
