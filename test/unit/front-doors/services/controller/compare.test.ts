import { ControllerWorld } from '../../../../support/controller-world';
import { service } from '../../../../support/review-builder';

/** Counts turns of the event loop, in each of which an admission could be answered. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}

describe('comparison of everything', () => {
  test('FU-07 lets admissions go first again and again, however many Services there are', async () => {
    const zones = { version: 1 as const, zones: [{ name: 'inet', prefixes: ['10.0.0.0/16'] }] };
    const world = new ControllerWorld({ zones });
    for (let i = 0; i < 2_500; i++) {
      const address = `10.0.${String(i >> 8)}.${String(i & 255)}`;
      const keys = { 'metallb.io/address-pool': 'inet', 'metallb.io/loadBalancerIPs': address };
      const annotations = { 'ipam.vitistack.io/zone': 'inet', 'ipam.vitistack.io/addresses': address, ...keys };
      world.force(service(annotations, {}, { name: `s${String(i)}`, uid: `uid-${String(i)}` }));
    }
    await world.compare();
    expect(await world.bound()).toHaveLength(2_500);
    const turns = countTurns();
    await world.controller.compare();
    expect(turns()).toBeGreaterThanOrEqual(12);
  });
});
