import { GroupGauges, type GroupNumbers } from '../../../../../operator/front-doors/vips/controller/group-gauges';
import type { GroupCounts } from '../../../../../operator/rules/vips/group-life';
import { RecordedMeter } from '../../../../support/recorded-telemetry';

const counts = (allocated: number, free: number): GroupCounts => ({
  total: String(allocated + free),
  allocated: String(allocated),
  free: String(free),
  excluded: '0',
  quarantined: '0',
  foreign: '0',
  outOfRange: '0',
});
const four = (allocated: number, free: number, unready?: string): GroupNumbers => ({
  counts: new Map([[4, counts(allocated, free)]]),
  unready,
});

function gauges() {
  const meter = new RecordedMeter();
  const free = (): Record<string, number> =>
    Object.fromEntries(
      meter
        .of('vip_group_addresses')
        .filter(({ labels }) => labels['state'] === 'free')
        .map(({ labels, value }) => [`${String(labels['group'])} ${String(labels['family'])}`, value]),
    );
  return { meter, free, gauges: new GroupGauges(meter) };
}

describe('GroupGauges', () => {
  test('VIP-T52 tells capacity by state, for each family', () => {
    const { meter, gauges: told } = gauges();
    told.tell('web', {
      counts: new Map([
        [4, counts(5, 0)],
        [6, counts(1, 7)],
      ]),
    });
    const found = meter
      .of('vip_group_addresses')
      .slice(-8)
      .map(({ labels, value }) => [labels['family'], labels['state'], value]);
    expect(found).toEqual([
      ['ipv4', 'allocated', 5],
      ['ipv4', 'quarantined', 0],
      ['ipv4', 'foreign', 0],
      ['ipv4', 'free', 0],
      ['ipv6', 'allocated', 1],
      ['ipv6', 'quarantined', 0],
      ['ipv6', 'foreign', 0],
      ['ipv6', 'free', 7],
    ]);
  });

  test('forgets a group that is gone, and a family that it has no more', () => {
    const { free, gauges: told } = gauges();
    told.tell('a', {
      counts: new Map([
        [4, counts(0, 1)],
        [6, counts(0, 2)],
      ]),
    });
    told.tell('b', four(0, 3));
    told.tell('a', four(1, 0));
    expect(free()).toEqual({ 'a ipv4': 0, 'b ipv4': 3 });
    told.forget('a');
    expect(free()).toEqual({ 'b ipv4': 3 });
    told.clear();
    expect(free()).toEqual({});
  });

  test('has 256 groups by name, and the others as one; a place that is free goes to one of them', () => {
    const { free, gauges: told } = gauges();
    for (let i = 0; i < 258; i++) told.tell(`g${String(i)}`, four(0, 1));
    expect([Object.keys(free()).length, free()['_other ipv4'], free()['g256 ipv4']]).toEqual([257, 2, undefined]);
    told.tell('g257', four(0, 10));
    expect(free()['_other ipv4']).toBe(11);
    told.forget('g0');
    expect([free()['g256 ipv4'], free()['_other ipv4']]).toEqual([1, 10]);
  });

  test('counts groups that are not ready by reason', () => {
    const { meter, gauges: told } = gauges();
    const unready = () => meter.of('vip_groups_unready').map(({ labels, value }) => [labels['reason'], value]);
    told.tell('a', four(0, 1, 'Conflict'));
    told.tell('b', four(0, 1, 'Conflict'));
    expect(unready()).toEqual([['Conflict', 2]]);
    told.tell('a', four(0, 1));
    told.forget('b');
    expect(unready()).toEqual([]);
  });
});
