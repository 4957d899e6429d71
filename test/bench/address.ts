import { contest, judge, judgeValue, type Entry } from './free-space/contest';
import type { Load } from './free-space/shape';
import type { BenchResult } from './result';

const LIVE = 1_000_000;

const ours = (name: string, load: Load): Entry => ({ file: 'addresses', name, load });
const bitmap = (name: string, load: Load): Entry => ({ file: 'dense-bitmap', name, load });

/** C3 and C4: how far from a dense bitmap, which is faster but grows with the pool and cannot hold IPv6. */
async function limits(load: Load, quick: boolean): Promise<BenchResult[]> {
  const churn = await contest({ ours: ours('churn', load), bitmap: bitmap('churn', load) }, { quick });
  const exact = await contest({ ours: ours('exact', load), bitmap: bitmap('exact', load) }, { quick });
  const against = { better: 'lower', ours: 'ours', other: 'bitmap', note: `${load.live} live in a /8` } as const;
  return [
    judge({ ...against, id: 'C3 lowest free vs dense bitmap', gate: 3.5 }, churn),
    judge({ ...against, id: 'C4 exact claim and release vs dense bitmap', gate: 2.5 }, exact),
  ];
}

/** C6: full-width IPv6 against what one writes with BigInt, and against IPv4. */
async function ipv6(live: number, quick: boolean): Promise<BenchResult[]> {
  const six: Load = { live, family: 6 };
  const claims = await contest(
    {
      ours: ours('claims', six),
      'chunked BigInt ranges': { file: 'chunked-ranges', name: 'claims', load: six },
      'ours for IPv4': ours('claims', { live, family: 4 }),
      'ours for IPv4, apart': { ...ours('claimsApart', { live, family: 4 }), agrees: false },
    },
    { quick },
  );
  const dense: Load = { live: 50_000, family: 6 };
  const churn = await contest(
    { ours: ours('denseChurn', dense), 'Set of BigInt': { file: 'set-hint', name: 'denseChurn', load: dense } },
    { quick },
  );
  const note = `${live} random in a /48`;
  return [
    judge(
      {
        id: 'C6 IPv6 claim vs chunked BigInt ranges',
        gate: 3,
        better: 'higher',
        ours: 'ours',
        other: 'chunked BigInt ranges',
        note,
      },
      claims,
    ),
    judge(
      { id: 'C6 IPv6 claim vs IPv4 claim', gate: 3.5, better: 'lower', ours: 'ours', other: 'ours for IPv4', note },
      claims,
    ),
    judge(
      {
        id: 'C6 IPv6 claim vs IPv4 claim, as many pages',
        gate: 3.5,
        better: 'lower',
        ours: 'ours',
        other: 'ours for IPv4, apart',
        note: `${live} random in 0.0.0.0/0 instead of a /8: the price of the wider address alone`,
      },
      claims,
    ),
    judge(
      {
        id: 'C6 IPv6 churn vs Set with hint',
        gate: 50,
        better: 'higher',
        ours: 'ours',
        other: 'Set of BigInt',
        note: '50000 dense',
      },
      churn,
    ),
  ];
}

/** C8: bytes of the index for each live address. */
async function memory(live: number): Promise<BenchResult[]> {
  const rows = [
    { id: 'C8 bytes per address, dense', gate: 0.5, name: 'denseMemory', family: 4 },
    { id: 'C8 bytes per address, sparse IPv4', gate: 8, name: 'sparseMemory', family: 4 },
    { id: 'C8 bytes per address, random IPv6', gate: 80, name: 'sparseMemory', family: 6 },
  ] as const;
  const entries = rows.map(({ id, name, family }) => [id, { ...ours(name, { live, family }), agrees: false }] as const);
  const scores = await contest(Object.fromEntries(entries), { quick: true, rounds: 0 });
  return rows.map(({ id, gate }) => {
    const measured = (scores.get(id)?.bytes ?? Number.NaN) / live;
    return judgeValue({ id, gate, better: 'lower', measured, note: `${live} live` });
  });
}

/** Gates C3 and C4 at the limit, C6, and the part of C8 about addresses; the peers of C3 and C4 are in `peers.ts`. */
export async function bench(quick: boolean): Promise<BenchResult[]> {
  return [
    ...(await limits({ live: LIVE, family: 4 }, quick)),
    ...(await ipv6(quick ? LIVE / 10 : LIVE, quick)),
    ...(await memory(LIVE)),
  ];
}
