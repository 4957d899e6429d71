import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
