import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAddress } from '../../operator/addressing/address';
import { parsePrefix } from '../../operator/addressing/prefix';

/** One input with the verdict of Go's net/netip; see test/fixtures/addresses/generate.go. */
export interface CorpusRow {
  readonly input: string;
  readonly verdict: 'address' | 'prefix' | 'host-bits' | 'neither';
  /** Canonical text; the masked prefix where host bits are set; empty for `neither`. */
  readonly canonical: string;
}

const VERDICTS: Readonly<Record<string, CorpusRow['verdict']>> = {
  a: 'address',
  p: 'prefix',
  h: 'host-bits',
  '-': 'neither',
};

function row(line: string): CorpusRow {
  const [word = '', canonical = '', json = ''] = line.split('\t');
  const verdict = VERDICTS[word];
  if (verdict === undefined) throw new TypeError(`not a line of the corpus: ${line}`);
  const input = JSON.parse(json) as string;
  return { input, verdict, canonical: canonical === '=' ? input : canonical };
}

/** Reads the frozen corpus of more than 20,000 inputs. */
export function readCorpus(): readonly CorpusRow[] {
  const text = readFileSync(join(__dirname, '../fixtures/addresses/corpus.tsv'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(row);
}

/** Tells the result of our two parsers for one input, in the words of the corpus. */
function verdictOf(input: string): Omit<CorpusRow, 'input'> {
  const address = parseAddress(input);
  const prefix = parsePrefix(input);
  if (address.ok) return { verdict: 'address', canonical: address.value.toString() };
  if (prefix.ok) return { verdict: 'prefix', canonical: prefix.value.toString() };
  if (prefix.refusal.code !== 'prefix/host-bits-set') return { verdict: 'neither', canonical: '' };
  return { verdict: 'host-bits', canonical: prefix.refusal.suggestion ?? '' };
}

/** The rows where our verdict or our canonical text is another one, with ours beside it. */
export function disagreementsWith(
  corpus: readonly CorpusRow[],
): readonly { readonly expected: CorpusRow; readonly got: Omit<CorpusRow, 'input'> }[] {
  return corpus
    .map((expected) => ({ expected, got: verdictOf(expected.input) }))
    .filter(({ expected, got }) => expected.verdict !== got.verdict || expected.canonical !== got.canonical);
}
