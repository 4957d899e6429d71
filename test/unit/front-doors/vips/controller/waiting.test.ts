import { addressOf } from '../../../../../operator/addressing/address';
import { Waiting } from '../../../../../operator/front-doors/vips/controller/waiting';
import { RecordedMeter } from '../../../../support/recorded-telemetry';
import { vipRefusal } from '../../../../../operator/rules/vips/refusals';

const key = (name: string) => ({ namespace: 'test', name, uid: `uid-${name}` });
const noFree = [vipRefusal('NoFreeAddress', 'none is free', { groups: ['g'] })];
const wished = [vipRefusal('RequestedAddressInUse', 'in use', { addresses: [addressOf('1.1.1.1')], groups: ['g'] })];

function line() {
  const meter = new RecordedMeter();
  const waiting = new Waiting(meter);
  const woken: string[] = [];
  waiting.onWake((work) => {
    if (work.of === 'service') woken.push(work.name);
  });
  return { waiting, woken, meter };
}

describe('Waiting', () => {
  test('VIP-T52 counts those that wait by their reason, and tells 0 once none does', () => {
    const { waiting, meter } = line();
    waiting.park(key('a'), noFree, { createdMs: 1 });
    waiting.park(key('b'), noFree, { createdMs: 2 });
    waiting.park(key('b'), wished, { createdMs: 2 });
    const last = (): Record<string, number> =>
      Object.fromEntries(
        meter.of('vip_services_waiting').map(({ labels, value }) => [String(labels['reason']), value] as const),
      );
    expect(last()).toEqual({ NoFreeAddress: 1, RequestedAddressInUse: 1 });
    waiting.leave('uid-a', true);
    waiting.clear();
    expect(last()).toEqual({ NoFreeAddress: 0, RequestedAddressInUse: 0 });
  });

  test('VIP-T05 POOL-08 wakes the oldest one for a freed address, and none besides', () => {
    const { waiting, woken } = line();
    waiting.park(key('young'), noFree, { createdMs: 2 });
    waiting.park(key('old'), noFree, { createdMs: 1 });
    waiting.freed(addressOf('1.1.1.4'), ['g']);
    expect(woken).toEqual(['old']);
  });

  test('hands an address on that the woken one could not take, to each once', () => {
    const { waiting, woken } = line();
    waiting.park(key('a'), noFree, { createdMs: 1 });
    waiting.park(key('b'), noFree, { createdMs: 2 });
    waiting.freed(addressOf('1.1.1.4'), ['g']);
    waiting.park(key('a'), noFree, { createdMs: 1 });
    waiting.leave('uid-b', false);
    expect(woken).toEqual(['a', 'b']);
  });

  test('wakes one that was looked at while an address of its group was freed', () => {
    const { waiting, woken } = line();
    const since = waiting.mark();
    waiting.freed(addressOf('1.1.1.4'), ['g']);
    waiting.park(key('late'), noFree, { createdMs: 1, since });
    expect(woken).toEqual(['late']);
  });

  test('ends the turn with the one that took the address', () => {
    const { waiting, woken } = line();
    waiting.park(key('a'), noFree, { createdMs: 1 });
    waiting.park(key('b'), noFree, { createdMs: 2 });
    waiting.freed(addressOf('1.1.1.4'), ['g']);
    waiting.leave('uid-a', true);
    expect(woken).toEqual(['a']);
  });

  test('VIP-T11 wakes all that wish the address, and none for another address of its group', () => {
    const { waiting, woken } = line();
    waiting.park(key('y'), wished, { createdMs: 2 });
    waiting.park(key('x'), wished, { createdMs: 1 });
    waiting.freed(addressOf('1.1.1.2'), ['g']);
    expect(woken).toEqual([]);
    waiting.freed(addressOf('1.1.1.1'), []);
    expect(woken).toEqual(['x', 'y']);
  });

  test('wakes all, those of one namespace alone, or none once they are forgotten', () => {
    const { waiting, woken } = line();
    waiting.park(key('a'), noFree, { createdMs: 1 });
    waiting.park({ ...key('b'), namespace: 'other' }, noFree, { createdMs: 2 });
    waiting.wakeAll('other');
    expect(woken).toEqual(['b']);
    waiting.wakeAll();
    expect(woken).toEqual(['b', 'a', 'b']);
    waiting.clear();
    waiting.wakeAll();
    expect(woken).toHaveLength(3);
  });

  test('stops telling a listener that went', () => {
    const waiting = new Waiting(new RecordedMeter());
    const woken: unknown[] = [];
    const stop = waiting.onWake((each) => woken.push(each));
    stop();
    waiting.wake({ of: 'group', name: 'g' });
    expect(woken).toEqual([]);
  });
});
