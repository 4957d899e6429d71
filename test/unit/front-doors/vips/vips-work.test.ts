import { vipsWork } from '../../../../operator/front-doors/vips/vips-work';
import type { VipKey, VipsController } from '../../../../operator/front-doors/vips/controller/door-parts';
import type { ObjectFeed } from '../../../../operator/ports/object-feed';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../../support/recorded-telemetry';

const FEED: ObjectFeed = {
  get: () => undefined,
  list: () => [],
  whenSynced: () => Promise.resolve(),
  onChange: () => () => undefined,
} as unknown as ObjectFeed;

const COUNT = 2_000;

test('VIP-T44 lets timers of the process run while thousands of Services are looked at that need nothing', async () => {
  const looked: string[] = [];
  let turns = 0;
  let whenDone: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (whenDone = resolve));
  const keys = Array.from({ length: COUNT }, (_, index): VipKey => ({ of: 'group', name: String(index) }));
  const controller = {
    reconcile: (key: VipKey) => {
      looked.push(key.of === 'group' ? key.name : '');
      if (looked.length === COUNT) whenDone();
      return Promise.resolve({});
    },
    compare: () => Promise.resolve(keys),
    onWake: () => () => undefined,
    rest: () => undefined,
  } as unknown as VipsController;
  const work = vipsWork({
    services: FEED,
    groups: FEED,
    controller,
    resyncSeconds: 600,
    clock: new ManualClock(),
    logger: new RecordedLogger(),
    meter: new RecordedMeter(),
  });
  const beat = (): void => {
    turns += 1;
    if (looked.length < COUNT) setImmediate(beat);
  };
  setImmediate(beat);
  work.begin();
  await done;
  expect(new Set(looked).size).toBe(COUNT);
  expect(turns).toBeGreaterThan(20);
  await work.end();
});
