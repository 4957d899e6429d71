import fc from 'fast-check';
import { FairLine } from '../../../operator/runtime/fair-line';
import { WorkQueue, type WorkQueueProps } from '../../../operator/runtime/work-queue';
import { IpamError } from '../../../operator/errors/ipam-error';
import { ManualClock } from '../../support/manual-clock';
import { OpenWorks } from '../../support/open-works';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';
import { settled } from '../../support/settled';

const failure = new IpamError('store/unavailable', 'with a secret in it');
let clock: ManualClock;
let logger: RecordedLogger;
let meter: RecordedMeter;
let works: OpenWorks;

beforeEach(() => {
  clock = new ManualClock();
  logger = new RecordedLogger();
  meter = new RecordedMeter();
  works = new OpenWorks();
});

const queueOf = (props: Partial<WorkQueueProps<string>> = {}): WorkQueue<string> =>
  new WorkQueue<string>({
    name: 'services',
    textOf: (key) => key,
    handle: works.handle,
    workers: 2,
    clock,
    logger,
    meter,
    random: () => 1 - Number.EPSILON,
    ...props,
  });

const add = (queue: WorkQueue<string>, ...keys: readonly string[]): void => {
  for (const key of keys) queue.add(key);
};

describe('WorkQueue', () => {
  test('works on as many keys at a time as it has workers, first come first served', async () => {
    add(queueOf(), 'a', 'b', 'c', 'd');
    expect(works.running).toEqual(['a', 'b']);
    await works.end('b');
    expect(works.running).toEqual(['a', 'c']);
    await works.end('a');
    expect(works.running).toEqual(['c', 'd']);
  });

  test('works once on a key that was added several times before its turn', async () => {
    add(queueOf({ workers: 1 }), 'a', 'b', 'b', 'b');
    await works.end('a');
    await works.end('b');
    expect(works.begun).toEqual(['a', 'b']);
  });

  test('works again, once and afterwards, on a key that was added while it was worked on', async () => {
    const queue = queueOf();
    add(queue, 'a', 'a', 'a');
    expect(works.begun).toEqual(['a']);
    await works.end('a');
    expect(works.begun).toEqual(['a', 'a']);
    await works.end('a');
    expect(works.begun).toEqual(['a', 'a']);
  });

  test('takes the newest of two keys with one text', async () => {
    const seen: number[] = [];
    const queue = new WorkQueue<{ readonly name: string; readonly version: number }>({
      name: 'q',
      textOf: ({ name }) => name,
      workers: 1,
      clock,
      logger,
      meter,
      handle: ({ version }) => {
        seen.push(version);
        return Promise.resolve();
      },
    });
    queue.add({ name: 'a', version: 1 });
    queue.add({ name: 'a', version: 2 });
    queue.add({ name: 'a', version: 3 });
    await settled();
    expect(seen).toEqual([1, 3]);
  });

  test('lets a key that comes again and again hold up no other', async () => {
    const queue = queueOf({ workers: 1 });
    add(queue, 'hot', 'cold', 'hot');
    await works.end('hot');
    expect(works.running).toEqual(['cold']);
  });

  test('serves groups in turn', async () => {
    const queue = queueOf({ workers: 1, groupOf: (key) => key.slice(0, 1) });
    add(queue, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    for (const key of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await works.end(key);
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  test.each([
    ['5 minutes', undefined, 300_000],
    ['what its owner says', 30_000, 30_000],
  ])('waits twice as long after each failure, from 5 ms up to %s', async (_title, mostBackoffMs, most) => {
    queueOf(mostBackoffMs === undefined ? {} : { mostBackoffMs }).add('a');
    await settled();
    const waits: unknown[] = [];
    for (let turn = 0; turn < 20; turn++) {
      await works.end('a', failure);
      const { waitMs } = logger.lines.at(-1)?.fields ?? {};
      waits.push(Math.round(Number(waitMs)));
      clock.advance(Number(waitMs) - 1);
      expect(works.running).toEqual([]);
      clock.advance(1);
      expect(works.running).toEqual(['a']);
    }
    expect(waits.slice(0, 6)).toEqual([5, 10, 20, 40, 80, 160]);
    expect(waits.slice(-3)).toEqual([most, most, most]);
  });

  test('spreads its waiting times between half and all', async () => {
    queueOf({ random: () => 0 }).add('a');
    await works.end('a', failure);
    expect(logger.lines[0]?.fields).toMatchObject({ waitMs: 2.5 });
  });

  test('begins anew with the waiting times after a success', async () => {
    const queue = queueOf();
    queue.add('a');
    for (let turn = 0; turn < 5; turn++) {
      await works.end('a', failure);
      clock.advance(1000);
    }
    await works.end('a');
    queue.add('a');
    await works.end('a', failure);
    expect(logger.lines.at(-1)?.fields).toMatchObject({ failures: 1 });
  });

  test('waits as long as the failure asks for', async () => {
    queueOf().add('a');
    await works.end('a', new IpamError('cluster/unavailable', 'busy', { retryAfterSeconds: 30 }));
    clock.advance(29_999);
    expect(works.running).toEqual([]);
    clock.advance(1);
    expect(works.running).toEqual(['a']);
  });

  test('ends the waiting of a failed key when its object changes', async () => {
    const queue = queueOf();
    queue.add('a');
    for (let turn = 0; turn < 15; turn++) {
      await works.end('a', failure);
      queue.add('a');
      expect(works.running).toEqual(['a']);
    }
    await works.end('a');
    clock.advance(600_000);
    expect(works.running).toEqual([]);
  });

  test('goes on at once with a key that failed after it had been added again', async () => {
    const queue = queueOf();
    add(queue, 'a', 'a');
    await works.end('a', failure);
    expect(works.running).toEqual(['a']);
    expect(clock.waiting).toBe(0);
  });

  test('logs the code of a failure and never its text', async () => {
    queueOf().add('a');
    await works.end('a', failure);
    clock.advance(10);
    await works.end('a', new TypeError('foreign secret'));
    expect(logger.lines.map(({ fields }) => fields['code'])).toEqual(['store/unavailable', 'internal']);
    expect(logger.lines[1]?.fields).toMatchObject({ queue: 'services', object: 'a', failures: 2 });
    expect(logger.text).not.toContain('secret');
  });

  test('survives a handler that throws before it returns a promise', async () => {
    const queue = queueOf({
      handle: () => {
        throw failure;
      },
    });
    queue.add('a');
    await settled();
    expect(meter.of('queue_retries_total')).toEqual([
      { labels: { queue: 'services' }, value: 1, name: 'queue_retries_total' },
    ]);
  });

  test('works later on a key, at the earliest of the times', () => {
    const queue = queueOf();
    queue.addAfter('a', 5000);
    queue.addAfter('a', 1000);
    queue.addAfter('a', 9000);
    clock.advance(999);
    expect(works.running).toEqual([]);
    clock.advance(1);
    expect(works.running).toEqual(['a']);
    expect(clock.waiting).toBe(0);
  });

  test('works at once on a key whose time is now or was', () => {
    const queue = queueOf();
    queue.addAfter('a', 0);
    queue.addAfter('b', -5);
    expect(works.running).toEqual(['a', 'b']);
  });

  test('forgets what waits, and how often it failed', async () => {
    const queue = queueOf({ workers: 1 });
    add(queue, 'a', 'b');
    await works.end('a', failure);
    queue.addAfter('c', 1000);
    for (const key of ['a', 'c']) queue.forget(key);
    await works.end('b', failure);
    queue.forget('b');
    clock.advance(600_000);
    expect(works.begun).toEqual(['a', 'b']);
    queue.add('a');
    await works.end('a', failure);
    expect(logger.lines.at(-1)?.fields).toMatchObject({ object: 'a', failures: 1 });
  });

  test('forgets a key that waits in line or was added while it was worked on', async () => {
    const queue = queueOf({ workers: 1 });
    add(queue, 'a', 'a', 'b');
    queue.forget('a');
    queue.forget('b');
    await works.end('a');
    expect(works.begun).toEqual(['a']);
    expect(meter.of('queue_depth').at(-1)?.value).toBe(0);
  });

  test('ends after the work under way and starts nothing more', async () => {
    const queue = queueOf({ workers: 1 });
    add(queue, 'a', 'b', 'a');
    queue.addAfter('c', 10);
    let ended = false;
    const closing = queue.close().then(() => (ended = true));
    queue.add('d');
    queue.addAfter('e', 10);
    clock.advance(1000);
    await settled();
    expect(ended).toBe(false);
    await works.end('a', failure);
    await closing;
    await queue.close();
    clock.advance(600_000);
    expect(works.begun).toEqual(['a']);
    expect(clock.waiting).toBe(0);
  });

  test('ends at once when nothing is under way', async () => {
    await expect(queueOf().close()).resolves.toBeUndefined();
  });

  test('measures its depth, its retries and how long a look takes', async () => {
    const queue = queueOf({ workers: 1 });
    add(queue, 'a', 'b', 'c');
    expect(meter.of('queue_depth').at(-1)).toMatchObject({ value: 2, labels: { queue: 'services' } });
    clock.advance(250);
    await works.end('a');
    clock.advance(500);
    await works.end('b', failure);
    expect(meter.of('queue_work_seconds')).toMatchObject([
      { value: 0.25, labels: { queue: 'services', result: 'ok' } },
      { value: 0.5, labels: { queue: 'services', result: 'failed' } },
    ]);
    expect(meter.of('queue_retries_total')).toHaveLength(1);
  });

  test('never loses a key, whatever is added, delayed and failed in which order', async () => {
    const step = fc.record({
      what: fc.constantFrom('add' as const, 'delay' as const, 'end' as const, 'fail' as const, 'pass' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      ms: fc.integer({ min: 0, max: 2000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        works = new OpenWorks();
        clock = new ManualClock();
        const queue = queueOf({ handle: works.handle });
        const due = new Set<string>(); // asked for, and no look began since
        const begun = (): void => {
          for (const key of works.begun.splice(0)) due.delete(key);
        };
        const take: Record<(typeof steps)[number]['what'], (key: string, ms: number) => Promise<void> | void> = {
          add: (key) => {
            due.add(key);
            queue.add(key);
          },
          delay: (key, ms) => {
            due.add(key);
            queue.addAfter(key, ms + 1);
          },
          end: (key) => works.end(key),
          fail: (key) => {
            begun();
            if (works.running.includes(key)) due.add(key);
            return works.end(key, failure);
          },
          pass: (_key, ms) => {
            clock.advance(ms);
          },
        };
        for (const { what, key, ms } of steps) {
          await take[what](key, ms);
          begun();
        }
        for (let turn = 0; turn < 12; turn++) {
          clock.advance(300_000);
          for (const key of works.running) await works.end(key);
          begun();
        }
        expect([...due]).toEqual([]);
        expect(works.running).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('FairLine', () => {
  const place = (text: string, item = 0): { text: string; group: string; item: number } => ({
    text,
    item,
    group: text.slice(0, 1),
  });

  test('keeps the place of one who comes again, with the new item', () => {
    const line = new FairLine<number>();
    line.push(place('a1', 1));
    line.push(place('a2', 2));
    line.push(place('a1', 3));
    expect(line.size).toBe(2);
    expect([line.shift()?.item, line.shift()?.item, line.shift()]).toEqual([3, 2, undefined]);
  });

  test('lets one leave, and ignores one who is not there', () => {
    const line = new FairLine<number>();
    line.push(place('a1'));
    line.push(place('b1'));
    line.remove('a1', 'a');
    line.remove('a1', 'a');
    line.remove('x', 'y');
    expect(line.size).toBe(1);
    expect(line.shift()?.text).toBe('b1');
  });

  test('puts one who was served or left and comes again behind those who stayed', () => {
    const line = new FairLine<number>();
    for (const text of ['a1', 'a2', 'a3', 'a4']) line.push(place(text));
    const first = line.shift()?.text;
    line.remove('a2', 'a');
    for (const text of ['a1', 'a2']) line.push(place(text));
    const rest = Array.from({ length: 4 }, () => line.shift()?.text);
    expect([first, ...rest, line.size]).toEqual(['a1', 'a3', 'a4', 'a1', 'a2', 0]);
  });

  test('sends everybody away', () => {
    const line = new FairLine<number>();
    line.push(place('a1'));
    line.clear();
    expect([line.size, line.shift()]).toEqual([0, undefined]);
  });
});
