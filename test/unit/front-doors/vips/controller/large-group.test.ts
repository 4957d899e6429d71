import { collectGarbage } from '../../../../support/arrays-held';
import { settled } from '../../../../support/settled';
import { VipsDoorWorld } from '../../../../support/vips-door-world';

const COUNT = 10_000;
/** The page allows one allocation so much of the controller's CPU, and so much more memory. */
const MOST_CPU_MS = 50;
const MOST_BYTES = 10_000_000;
/** The first ones find code that was never run. */
const TRIES = 5;

const addressAt = (index: number): string => [10, 0, Math.floor(index / 256), index % 256].join('.');

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('R19 VIP-T19 one more address of a /8 in which 10,000 are given costs milliseconds of CPU, and little memory', async () => {
  const world = new VipsDoorWorld();
  world.namespace('test');
  world.group('eight', { segment: '10.0.0.0/8' });
  for (let index = 0; index < COUNT; index++)
    world.held(addressAt(index), { group: 'eight', name: `s${String(index)}` });
  await world.open();
  try {
    await world.controller.compare();
    const before = heapBytes();
    const costs: number[] = [];
    for (let index = COUNT; index < COUNT + TRIES; index++) {
      const key = world.service(`s${String(index)}`);
      await settled();
      const from = process.cpuUsage();
      await world.controller.reconcile(key);
      const { user, system } = process.cpuUsage(from);
      costs.push((user + system) / 1_000);
      expect(world.shown(`s${String(index)}`)).toBe(addressAt(index));
    }
    expect(Math.min(...costs)).toBeLessThan(MOST_CPU_MS);
    expect(heapBytes() - before).toBeLessThan(MOST_BYTES);
  } finally {
    await world.close();
  }
});
