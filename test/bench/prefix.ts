import { contest, judge, judgeValue } from './free-space/contest';
import type { BenchResult } from './result';

const LIVE = 17_605;

/** Gate C5, and the part of C8 about prefixes. */
export async function bench(quick: boolean): Promise<BenchResult[]> {
  const load = { live: LIVE, family: 4 } as const;
  const scores = await contest(
    {
      ours: { file: 'prefixes', name: 'firstFit', load },
      'gap scan': { file: 'gap-scan', name: 'firstFit', load },
      'segment tree': { file: 'segment-tree', name: 'firstFit', load },
    },
    { quick },
  );
  const note = `${LIVE} live in a /12`;
  return [
    judge(
      { id: 'C5 first-fit prefix vs gap scan', gate: 10, better: 'higher', ours: 'ours', other: 'gap scan', note },
      scores,
    ),
    judge(
      {
        id: 'C5 first-fit prefix vs dense segment tree',
        gate: 3.5,
        better: 'lower',
        ours: 'ours',
        other: 'segment tree',
        note,
      },
      scores,
    ),
    judgeValue({
      id: 'C8 bytes per prefix',
      gate: 20,
      better: 'lower',
      measured: (scores.get('ours')?.bytes ?? Number.NaN) / LIVE,
      note,
    }),
  ];
}
