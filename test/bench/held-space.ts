import { contest, judge, type Entry } from './free-space/contest';
import type { BenchResult } from './result';

const LIVE = 1_000_000;

const entry = (name: string, live: number): Entry => ({
  file: 'held-space',
  name,
  load: { live, family: 4 },
  agrees: false,
});

/** VIP-T19: the lowest free address of a /8 that is in use, against the same choice in an empty one, and against a walk over what is in use. */
export async function bench(quick: boolean): Promise<BenchResult[]> {
  const live = quick ? LIVE / 10 : LIVE;
  const scores = await contest(
    {
      dense: entry('dense', live),
      quarantined: entry('quarantined', live),
      scattered: entry('scattered', live),
      empty: entry('empty', live),
      walk: entry('walk', live),
    },
    { quick },
  );
  const against = { better: 'lower', other: 'empty', note: `${live} in use` } as const;
  return [
    judge({ ...against, id: 'T19 lowest free of a /8 in use vs empty', gate: 12, ours: 'dense' }, scores),
    judge({ ...against, id: 'T19 lowest free, all quarantined, vs empty', gate: 12, ours: 'quarantined' }, scores),
    judge({ ...against, id: 'T19 lowest free, scattered, vs empty', gate: 12, ours: 'scattered' }, scores),
    judge(
      {
        id: 'T19 lowest free vs a walk over what is in use',
        gate: 1_000,
        better: 'higher',
        ours: 'dense',
        other: 'walk',
      },
      scores,
    ),
  ];
}
