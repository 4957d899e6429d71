import fc from 'fast-check';

import { EgressProgram, egressPrograms } from '../../../../support/egress-programs';

// more of them by hand, such as EGRESS_PROGRAMS=5000
const RUNS = Number(process.env['EGRESS_PROGRAMS'] ?? 300);

/** Found a node that was given addresses after their claims had gone. */
const OVERTAKEN = [
  { what: 'listOff', name: 'b', which: 0 },
  { what: 'nsBack', name: 'c', which: 0 },
  { what: 'removed', name: 'a', which: 8 },
  { what: 'broken', name: '', which: 7 },
  { what: 'ipamGone', name: 'alt', which: 3 },
  { what: 'ipamGone', name: 'bm', which: 0 },
];

test.each(['door', 'dataplane'] as const)(
  'EG-case-68 where the %s chooses, no address is given twice, none is sent from without its claim, and all settles',
  async (chooser) => {
    await fc.assert(
      fc.asyncProperty(egressPrograms, async (steps) => {
        const program = new EgressProgram(chooser);
        try {
          await program.begin();
          for (const each of steps) await program.take(each);
          await program.settle();
          // what the settled state does not show, such as the order of a list, may still have been under way
          let written = await program.compareAgain();
          for (let more = 0; more < 3 && written.length > 0; more++) written = await program.compareAgain();
          expect(written).toEqual([]);
        } finally {
          await program.world.close();
        }
        expect(program.breaches).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 2), endOnFailure: true, examples: [[OVERTAKEN], [OVERTAKEN], [OVERTAKEN]] },
    );
  },
  20 * 60_000,
);
