import { TokenBucket } from '../../../operator/runtime/token-bucket';
import { ManualClock } from '../../support/manual-clock';

const never = new AbortController().signal;

let clock: ManualClock;
let bucket: TokenBucket;
let served: number[];

beforeEach(() => {
  clock = new ManualClock();
  bucket = new TokenBucket({ perSecond: 10, burst: 3, clock });
  served = [];
});

function take(id: number, signal = never): Promise<void> {
  return bucket.take(signal).then(() => {
    served.push(id);
  });
}

describe('TokenBucket', () => {
  test('serves a burst at once, then at its rate, in the order of the calls', async () => {
    const calls = [0, 1, 2, 3, 4].map((id) => take(id));
    await Promise.all(calls.slice(0, 3));
    expect(served).toEqual([0, 1, 2]);
    clock.advance(99);
    expect(clock.waiting).toBe(2);
    clock.advance(1);
    await calls[3];
    expect(served).toEqual([0, 1, 2, 3]);
    clock.advance(100);
    await calls[4];

    expect(served).toEqual([0, 1, 2, 3, 4]);
  });

  test('fills up to its burst and no further', async () => {
    clock.advance(60_000);
    await Promise.all([0, 1, 2].map((id) => take(id)));
    const fourth = take(3);

    expect(clock.waiting).toBe(1);
    clock.advance(100);
    await fourth;
  });

  test('gives the token of a call that was aborted to the next', async () => {
    await Promise.all([0, 1, 2].map((id) => take(id)));
    const caller = new AbortController();
    const aborted = take(3, caller.signal);
    caller.abort();
    await aborted;
    const next = take(4);
    clock.advance(100);
    await next;

    expect(clock.waiting).toBe(0);
  });

  test('is not emptied by a clock that is set back', async () => {
    await take(0);
    clock.advance(-3_600_000);
    await take(1);
    await take(2);

    expect(served).toEqual([0, 1, 2]);
  });
});
