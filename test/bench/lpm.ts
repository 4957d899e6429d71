import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contest, judge, judgeValue, type Entry, type Score } from './free-space/contest';
import type { Load } from './free-space/shape';
import { prefixesOf, queriesOf } from './free-space/shapes/routes';
import type { BenchResult } from './result';

const LIVE = 100_000;
const BUILD_MILLISECONDS = 120_000;

/** Builds the reference in Go in a folder; undefined where Go or the module cannot be had. */
function buildBart(folder: string): string | undefined {
  const program = join(folder, 'bart');
  const build = (go: string): boolean =>
    spawnSync(go, ['build', '-o', program, '.'], {
      cwd: join(__dirname, 'ref/bart'),
      env: { ...process.env, GOTOOLCHAIN: 'local' },
      timeout: BUILD_MILLISECONDS,
    }).status === 0;
  return ['go', '/usr/local/go/bin/go'].some(build) ? program : undefined;
}

function bartEntry(program: string, load: Load): Entry {
  const prefixes = prefixesOf(load);
  const lines = [...prefixes, '', ...queriesOf(load, prefixes), '', ''];
  return { file: 'Go', name: 'bart', load, program: [program, []], input: lines.join('\n') };
}

function againstBart(scores: ReadonlyMap<string, Score>, family: number): BenchResult[] {
  const lookup = { id: `C7 lookup IPv${family} vs Go bart`, gate: 4.5, better: 'lower' } as const;
  const memory = { id: `C7 memory IPv${family} vs Go bart`, gate: 2.2, better: 'lower' } as const;
  const bart = scores.get('bart')?.bytes;
  if (bart === undefined) {
    return [lookup, memory].map((gate) => ({
      ...gate,
      measured: 0,
      verdict: 'skipped',
      note: 'Go or its module bart is missing',
    }));
  }
  const bytes = scores.get('ours')?.bytes ?? Number.NaN;
  const note = `ours ${(bytes / LIVE).toFixed(0)}, bart ${(bart / LIVE).toFixed(0)} bytes a prefix, values included`;
  return [
    judge({ ...lookup, ours: 'ours', other: 'bart' }, scores),
    judgeValue({ ...memory, measured: bytes / bart, note }),
  ];
}

/** Gate C7: the smallest of 100,000 nested prefixes that holds an address. */
export async function bench(quick: boolean): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-bench-'));
  const results: BenchResult[] = [];
  try {
    const bart = buildBart(folder);
    for (const family of [4, 6] as const) {
      const load: Load = { live: LIVE, family };
      const entries: Record<string, Entry> = {
        ours: { file: 'matches', name: 'lookup', load },
        'object trie': { file: 'object-trie', name: 'lookup', load },
        ...(bart === undefined ? {} : { bart: bartEntry(bart, load) }),
      };
      const scores = await contest(entries, { quick });
      const id = `C7 lookup IPv${family} vs object trie with BigInt`;
      results.push(judge({ id, gate: 3, better: 'higher', ours: 'ours', other: 'object trie' }, scores));
      results.push(...againstBart(scores, family));
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
