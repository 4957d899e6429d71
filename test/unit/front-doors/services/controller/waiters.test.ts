import { addressOf } from '../../../../../operator/addressing/address';
import { Waiters } from '../../../../../operator/front-doors/services/controller/waiters';
import type { Refusal } from '../../../../../operator/errors/outcome';
import { ManualClock } from '../../../../support/manual-clock';
import { RecordedMeter } from '../../../../support/recorded-telemetry';

const key = (name: string) => ({ namespace: 'a', name, uid: `u-${name}` });
const exhausted: Refusal = { code: 'pool/exhausted', message: 'full', value: 'z' };
const held: Refusal = { code: 'address/held', message: 'held', value: '10.0.0.1' };

function line() {
  const clock = new ManualClock();
  const meter = new RecordedMeter();
  const waiters = new Waiters({ clock, meter });
  const woken: string[] = [];
  waiters.onWake(({ name }) => woken.push(name));
  const free = (text: string, inMs = 0): void => {
    waiters.freed({ network: 'default', zone: 'z', address: addressOf(text), freeAtMs: clock.nowMs() + inMs });
  };
  return { clock, meter, waiters, woken, free };
}

describe('Waiters', () => {
  test('looks ever more rarely at what nothing wakes, every five minutes at the least', () => {
    const { waiters } = line();
    const pauses = Array.from({ length: 9 }, () => waiters.park(key('a'), { code: 'secret/missing', message: 'none' }));
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1_000));
  });

  test('comes back when the refusal says that it can help', () => {
    const { waiters } = line();
    expect(waiters.park(key('a'), { ...held, code: 'address/quarantined', retryAfterSeconds: 7 })).toBe(7_100);
  });

  test('gives each freed address to one waiter, the longest waiting first', () => {
    const { waiters, woken, free } = line();
    for (const name of ['a', 'b', 'c']) waiters.park(key(name), exhausted);
    free('10.0.0.7');
    free('10.0.0.8');
    expect(woken).toEqual(['a', 'b']);
    waiters.park(key('a'), exhausted);
    free('10.0.0.9');
    expect(woken).toEqual(['a', 'b', 'a']);
  });

  test('CONC-01 serves first who waited longest, also after a restart put the line in another order', () => {
    const { clock, waiters, woken, free } = line();
    waiters.park(key('new'), exhausted);
    waiters.park(key('old'), exhausted, { toldMs: clock.nowMs() - 60_000 });
    waiters.park(key('older'), exhausted, { toldMs: clock.nowMs() - 90_000 });
    waiters.park(key('older'), exhausted);
    for (const last of [7, 8, 9]) free(`10.0.0.${String(last)}`);
    expect(woken).toEqual(['older', 'old', 'new']);
  });

  test('wakes those who wait for any address at the end of a quarantine, those who asked for this one at once', () => {
    const { clock, waiters, woken, free } = line();
    waiters.park(key('any'), exhausted);
    waiters.park(key('this'), held);
    free('10.0.0.1', 300_000);
    expect(woken).toEqual(['this']);
    clock.advance(300_000);
    expect(woken).toEqual(['this', 'any']);
  });

  test('passes a turn on that its Service did not need', () => {
    const { meter, waiters, woken, free } = line();
    for (const name of ['a', 'b', 'c']) waiters.park(key(name), exhausted);
    free('10.0.0.7');
    waiters.leave('u-a', false);
    waiters.leave('u-b', true);
    expect(woken).toEqual(['a', 'b']);
    expect(meter.sum('services_waiting')).toBe(1);
  });

  test('wakes nobody for an address of another zone, and everybody when the zones changed', () => {
    const { waiters, woken, free } = line();
    waiters.park(key('a'), { ...exhausted, value: 'elsewhere' });
    waiters.park(key('b'), held);
    free('10.0.0.7');
    expect(woken).toEqual([]);
    waiters.wakeAll();
    expect(woken).toEqual(['a', 'b']);
  });

  test('tells every listener but those who left', () => {
    const { waiters, woken, free } = line();
    const others: string[] = [];
    const stop = waiters.onWake(({ name }) => others.push(name));
    waiters.park(key('a'), exhausted);
    free('10.0.0.7');
    stop();
    waiters.wake(key('b'));
    expect([woken, others]).toEqual([['a', 'b'], ['a']]);
  });

  test('lets everybody go at once, with the numbers and the timers of them', () => {
    const { clock, meter, waiters, woken, free } = line();
    waiters.park(key('a'), exhausted);
    free('10.0.0.7', 5_000);
    waiters.clear();
    clock.advance(5_000);
    free('10.0.0.8');
    expect([meter.sum('services_waiting'), clock.waiting, woken]).toEqual([0, 0, []]);
    expect(meter.of('services_waiting').at(-1)).toMatchObject({ value: 0, labels: { reason: 'PoolExhausted' } });
  });

  test('counts those who wait by reason', () => {
    const { meter, waiters } = line();
    waiters.park(key('a'), exhausted);
    waiters.park(key('b'), exhausted);
    waiters.park(key('b'), held);
    waiters.leave('u-a', true);
    const last = new Map(meter.of('services_waiting').map(({ labels, value }) => [labels['reason'], value]));
    expect(last).toEqual(
      new Map([
        ['PoolExhausted', 0],
        ['AddressHeld', 1],
      ]),
    );
  });

  test('leaves no timer behind', () => {
    const { clock, waiters, free } = line();
    waiters.park(key('a'), exhausted);
    free('10.0.0.1', 300_000);
    waiters.close();
    expect(clock.waiting).toBe(0);
  });
});
