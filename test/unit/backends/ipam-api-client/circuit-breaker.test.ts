import { CircuitBreaker, MOST_REST_MS } from '../../../../operator/backends/ipam-api-client/circuit-breaker';
import { ManualClock } from '../../../support/manual-clock';

const LIMITS = { failures: 3, openMs: 5_000 };
let clock: ManualClock;
let breaker: CircuitBreaker;
beforeEach(() => {
  clock = new ManualClock();
  breaker = new CircuitBreaker(clock, LIMITS);
});

/** Fails as often as it takes to open it. */
function open(): void {
  for (let count = 0; count < LIMITS.failures; count += 1) {
    breaker.enter();
    breaker.failed();
  }
}

describe('CircuitBreaker', () => {
  test('opens after failures in a row, not after as many with a success in between', () => {
    for (const verdict of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) {
      expect(breaker.enter()).toBeUndefined();
      breaker[verdict]();
    }
    expect(breaker.isOpen).toBe(false);
    breaker.failed();
    expect(breaker.isOpen).toBe(true);
  });

  test('says how long nobody may call', () => {
    open();
    clock.advance(1_200);
    expect(breaker.enter()).toBe(3_800);
  });

  test('lets one call try at a time, and everybody after its success', () => {
    open();
    clock.advance(LIMITS.openMs);
    expect([breaker.enter(), breaker.enter()]).toEqual([undefined, LIMITS.openMs]);
    breaker.succeeded();
    expect([breaker.enter(), breaker.enter(), breaker.isOpen]).toEqual([undefined, undefined, false]);
  });

  test('closes its door again when the one call fails', () => {
    open();
    clock.advance(LIMITS.openMs);
    breaker.enter();
    breaker.failed();
    expect(breaker.enter()).toBe(LIMITS.openMs);
    clock.advance(LIMITS.openMs);
    expect(breaker.enter()).toBeUndefined();
  });

  test('lets another call try when the one that tried learned nothing', () => {
    open();
    clock.advance(LIMITS.openMs);
    breaker.enter();
    breaker.gaveUp();
    expect(breaker.enter()).toBeUndefined();
  });

  test('rests as long as the server asks, but no longer than a minute, without counting it as away', () => {
    breaker.rest(2_000);
    breaker.rest(1_000);
    expect([breaker.restMs, breaker.isOpen]).toEqual([2_000, false]);
    clock.advance(2_000);
    expect(breaker.restMs).toBe(0);
    breaker.rest(86_400_000);
    expect(breaker.restMs).toBe(MOST_REST_MS);
  });
});
