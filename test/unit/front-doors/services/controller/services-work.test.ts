import { IpamError } from '../../../../../operator/errors/ipam-error';
import type { ServicesController } from '../../../../../operator/front-doors/services/index';
import type { ServiceChange, ServiceFeed, ServiceKey } from '../../../../../operator/ports/service-feed';
import { compareAtStart, servicesWork } from '../../../../../operator/front-doors/services/controller/services-work';
import { ManualClock } from '../../../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../../../support/recorded-telemetry';
import { settled } from '../../../../support/settled';

const key = (name: string): ServiceKey => ({ namespace: 'a', name, uid: `uid-of-${name}` });

/** A feed and a controller that do nothing but what a test tells them. */
function world(
  options: {
    readonly compare?: () => Promise<readonly ServiceKey[]>;
    readonly requeueAfterMs?: number;
    readonly adopted?: boolean;
  } = {},
) {
  const clock = new ManualClock();
  const logger = new RecordedLogger();
  const worked: string[] = [];
  const listeners = new Set<(change: ServiceChange) => void>();
  const wakers = new Set<(key: ServiceKey) => void>();
  let sync: () => void = () => undefined;
  const whenSynced = new Promise<void>((resolve) => {
    sync = resolve;
  });
  const heard =
    <T>(all: Set<T>) =>
    (one: T) => {
      all.add(one);
      return () => void all.delete(one);
    };
  const feed: ServiceFeed = {
    synced: () => true,
    whenSynced: () => whenSynced,
    get: () => undefined,
    list: () => [],
    onChange: heard(listeners),
    problem: () => undefined,
  };
  const controller: ServicesController = {
    reconcile: (each) => {
      worked.push(each.name);
      return Promise.resolve(options.requeueAfterMs === undefined ? {} : { requeueAfterMs: options.requeueAfterMs });
    },
    mayBeUnbound: () => false,
    stillUnbound: () => Promise.resolve([]),
    bindLate: () => Promise.resolve(0),
    compare: options.compare ?? (() => Promise.resolve([key('stored')])),
    onWake: heard(wakers),
    adopted: () => options.adopted ?? true,
    whenAdopted: () => Promise.resolve(),
    meets: () => undefined,
    freed: () => undefined,
    spaceChanged: () => undefined,
    rest: () => void worked.push('rest'),
    close: () => undefined,
  };
  const work = servicesWork({ feed, controller, clock, logger, meter: new RecordedMeter(), resyncSeconds: 600 });
  const change = (name: string): void => {
    for (const listener of listeners) listener({ key: key(name) });
  };
  const wake = (name: string): void => {
    for (const listener of wakers) listener(key(name));
  };
  return { feed, controller, work, clock, logger, worked, sync, change, wake, listeners, wakers };
}

describe('servicesWork', () => {
  test('works on nothing before the whole was compared, then on what changed meanwhile and on all that was stored', async () => {
    const { work, worked, sync, change } = world();
    work.begin();
    change('early');
    await settled();
    expect(worked).toEqual([]);
    sync();
    await settled();
    expect(worked).toEqual(['early', 'stored']);
    await work.end();
  });

  test('works on each change and on each Service that is woken', async () => {
    const { work, worked, sync, change, wake } = world({ compare: () => Promise.resolve([]) });
    work.begin();
    sync();
    await settled();
    change('changed');
    wake('woken');
    await settled();
    expect(worked.sort()).toEqual(['changed', 'woken']);
    await work.end();
  });

  test('looks again when the controller asks for it', async () => {
    const { work, clock, worked, sync } = world({ requeueAfterMs: 1_000 });
    work.begin();
    sync();
    await settled();
    clock.advance(1_000);
    await settled();
    expect(worked).toEqual(['stored', 'stored']);
    await work.end();
  });

  test('compares the whole again after the resync time', async () => {
    const { work, clock, worked, sync } = world();
    work.begin();
    sync();
    await settled();
    clock.advance(600_000);
    await settled();
    expect(worked).toEqual(['stored', 'stored']);
    await work.end();
  });

  test('compares again soon when a comparison failed, and gives nothing out until then', async () => {
    let calls = 0;
    const compare = (): Promise<readonly ServiceKey[]> => {
      calls += 1;
      return calls === 1
        ? Promise.reject(new IpamError('store/unavailable', 'away'))
        : Promise.resolve([key('stored')]);
    };
    const { work, clock, logger, worked, sync, change } = world({ compare });
    work.begin();
    sync();
    await settled();
    change('changed');
    await settled();
    expect(worked).toEqual([]);
    expect(logger.lines.map(({ fields }) => fields['code'])).toContain('store/unavailable');
    clock.advance(5_000);
    await settled();
    expect(worked.sort()).toEqual(['changed', 'stored']);
    await work.end();
  });

  test('hears nothing more after its end, and begins anew with a comparison', async () => {
    const { work, clock, worked, sync, listeners, wakers } = world();
    work.begin();
    sync();
    await settled();
    await work.end();
    expect([listeners.size, wakers.size, clock.waiting]).toEqual([0, 0, 0]);
    work.begin();
    await settled();
    expect(worked).toEqual(['stored', 'rest', 'stored']);
    await work.end();
  });
});

describe('compareAtStart', () => {
  test('compares once every Service is known, and again until it worked', async () => {
    let calls = 0;
    const compare = (): Promise<readonly ServiceKey[]> => {
      calls += 1;
      return calls === 1 ? Promise.reject(new IpamError('store/unavailable', 'away')) : Promise.resolve([]);
    };
    const { feed, controller, clock, logger, sync } = world({ compare, adopted: false });
    const stop = compareAtStart({ feed, controller, clock, logger, meter: new RecordedMeter() });
    await settled();
    expect(calls).toBe(0);
    sync();
    await settled();
    clock.advance(5_000);
    await settled();
    expect([calls, clock.waiting]).toEqual([2, 0]);
    await stop();
  });

  test('ends while the first list of the Services does not come', async () => {
    const compare = (): Promise<never> => Promise.reject(new RangeError('compared without a list'));
    const { feed, controller, clock, logger } = world({ compare, adopted: false });
    const stop = compareAtStart({ feed, controller, clock, logger, meter: new RecordedMeter() });
    await settled();
    await stop();
    expect([logger.lines, clock.waiting]).toEqual([[], 0]);
  });

  test('leaves out what the leader in the same process has done already', async () => {
    const compare = (): Promise<never> => Promise.reject(new RangeError('compared twice'));
    const { feed, controller, clock, logger, sync } = world({ compare, adopted: true });
    const stop = compareAtStart({ feed, controller, clock, logger, meter: new RecordedMeter() });
    sync();
    await settled();
    await stop();
    expect(logger.lines).toEqual([]);
  });
});
