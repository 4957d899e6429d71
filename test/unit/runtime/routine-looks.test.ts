import { WorkQueue, type WorkQueueProps } from '../../../operator/runtime/work-queue';
import { IpamError } from '../../../operator/errors/ipam-error';
import { ManualClock } from '../../support/manual-clock';
import { OpenWorks } from '../../support/open-works';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

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

describe('WorkQueue.addRoutine', () => {
  test('does routine looks when nothing else is to be done, a quarter of the workers at most', async () => {
    const queue = queueOf({ workers: 8 });
    for (const key of ['r1', 'r2', 'r3', 'r4']) queue.addRoutine(key);
    expect(works.running).toEqual(['r1', 'r2']);
    add(queue, 'a', 'b');
    expect(works.running).toEqual(['r1', 'r2', 'a', 'b']);
    await works.end('r1');
    expect(works.running).toEqual(['r2', 'a', 'b', 'r3']);
  });

  test('does every fourth time a routine look, however much else there is to do', async () => {
    const queue = queueOf({ workers: 1 });
    for (const key of ['r1', 'r2']) queue.addRoutine(key);
    add(queue, 'a', 'b', 'c', 'd', 'e', 'f');
    for (let i = 0; i < 8; i += 1) await works.end(works.running[0] ?? '');
    expect(works.begun.filter((key) => key.startsWith('r'))).toEqual(['r1', 'r2']);
    expect(works.begun.indexOf('r2')).toBeLessThan(works.begun.indexOf('f'));
  });

  test('works once on a key of the routine that changes before its turn, and at its place among the changes', async () => {
    const queue = queueOf({ workers: 1 });
    add(queue, 'busy');
    for (const key of ['r1', 'r2', 'r3']) queue.addRoutine(key);
    add(queue, 'r3', 'a');
    queue.addRoutine('a');
    for (let i = 0; i < 6; i += 1) await works.end(works.running[0] ?? '');
    expect(works.begun).toHaveLength(5);
    expect(works.begun.slice(0, 3)).toEqual(['busy', 'r3', 'a']);
  });

  test('comes back to a routine look that failed, as a routine look', async () => {
    const queue = queueOf({ workers: 4 });
    queue.addRoutine('r1');
    await works.end('r1', failure);
    queue.addRoutine('r2');
    clock.advance(5);
    expect(works.running).toEqual(['r2']); // a quarter of the workers
    await works.end('r2');
    expect(works.running).toEqual(['r1']);
  });

  test('forgets routine looks at its end', async () => {
    const queue = queueOf({ workers: 1 });
    add(queue, 'a');
    queue.addRoutine('r1');
    const closed = queue.close();
    queue.addRoutine('r2');
    await works.end('a');
    await closed;
    expect(works.begun).toEqual(['a']);
  });
});
