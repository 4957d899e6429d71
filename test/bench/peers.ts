import { contest, judge, type Entry } from './free-space/contest';
import type { BenchResult } from './result';

const IN_TYPESCRIPT = 'the shape of the peer in TypeScript';
const LIVE = 10_000;
// 97 % of the pool of 2^14 addresses
const NEARLY_FULL = 15_892;

const ours = (name: string, live: number): Entry => ({ file: 'addresses', name, load: { live, family: 4 } });
const text = (name: string, live: number): Entry => ({ file: 'text-scans', name, load: { live, family: 4 } });

async function lowest(quick: boolean): Promise<BenchResult[]> {
  const scores = await contest(
    {
      ours: ours('lowest', LIVE),
      scan: text('scan', LIVE),
      'map rebuilt': text('rebuildMap', LIVE),
      'set rebuilt': text('rebuildSet', LIVE),
    },
    { quick },
  );
  const gate = { gate: 500, better: 'higher', ours: 'ours', note: `${IN_TYPESCRIPT}, ${LIVE} live` } as const;
  return [
    judge({ ...gate, id: 'C3 lowest free vs scan from start, text keys', other: 'scan' }, scores),
    judge({ ...gate, id: 'C3 lowest free vs map rebuilt and scan', other: 'map rebuilt' }, scores),
    judge({ ...gate, id: 'C3 lowest free vs set rebuilt and scan', other: 'set rebuilt' }, scores),
  ];
}

async function nearlyFull(quick: boolean): Promise<BenchResult> {
  const probe = { ...text('probe', NEARLY_FULL), agrees: false };
  const scores = await contest({ ours: ours('nearlyFull', NEARLY_FULL), probe }, { quick });
  const note = `${IN_TYPESCRIPT}, ${NEARLY_FULL} live`;
  return judge(
    { id: 'C3 lowest free vs random probe, 97 % full', gate: 3, better: 'higher', ours: 'ours', other: 'probe', note },
    scores,
  );
}

async function exact(quick: boolean): Promise<BenchResult> {
  const walk: Entry = { file: 'block-walk', name: 'exactInFragments', load: { live: LIVE, family: 4 } };
  const scores = await contest({ ours: ours('exactInFragments', LIVE), walk }, { quick });
  const note = `${IN_TYPESCRIPT}, ${LIVE} fragments`;
  return judge(
    {
      id: 'C4 exact claim and release vs free-block walk',
      gate: 30,
      better: 'higher',
      ours: 'ours',
      other: 'walk',
      note,
    },
    scores,
  );
}

/** The peer half of gates C3 and C4: shapes of what other IPAMs do for one more allocation. */
export async function bench(quick: boolean): Promise<BenchResult[]> {
  return [...(await lowest(quick)), await nearlyFull(quick), await exact(quick)];
}
