import { egressAlerts } from '../../../../../constructs/operator/egress-door/egress-alerts';
import { AlertSeries, type Series } from '../../../../support/alert-series';

/** Alerts that hold for these series, each with the minutes for which it has to hold. */
function pending(series: Series): readonly (readonly [string, number])[] {
  return egressAlerts({})
    .filter(({ expr }) => new AlertSeries(series).evaluate(expr).length > 0)
    .map(({ alert, for: pause }) => [alert, Number.parseInt(pause, 10)] as const);
}

/** Alerts that fire after series stood for some minutes. */
const firing = (series: Series, minutes: number): readonly string[] =>
  pending(series).flatMap(([alert, pause]) => (minutes >= pause ? [alert] : []));

const OF = { egressipam: 'bm', node: 'worker-1' };
const node = (allocated: number, capacity?: number): Series => ({
  egressip_ip_allocated: [{ labels: OF, value: allocated }],
  egressip_ip_capacity: capacity === undefined ? [] : [{ labels: OF, value: capacity }],
});

describe('EG-case-63 utilisation of a node', () => {
  test('of 81 % warns after ten minutes, and not before', () => {
    expect(firing(node(81, 100), 11)).toEqual(['HighEgressIPUtilization']);
    expect(firing(node(81, 100), 9)).toEqual([]);
  });

  test('of 96 % is critical alone after five minutes', () => {
    expect(firing(node(96, 100), 6)).toEqual(['ExtremelyHighEgressIPUtilization']);
    expect(firing(node(96, 100), 60)).toEqual(['ExtremelyHighEgressIPUtilization']);
    expect(firing(node(96, 100), 4)).toEqual([]);
  });

  test('of 95 % warns, of 80 % does not', () => {
    expect(firing(node(95, 100), 60)).toEqual(['HighEgressIPUtilization']);
    expect(firing(node(80, 100), 60)).toEqual([]);
  });

  test.each([
    ['unknown', node(50)],
    ['zero', node(50, 0)],
  ])('fires nothing while the capacity is %s', (_title, series) => {
    expect(pending(series)).toEqual([]);
  });

  test('is that of each node by itself', () => {
    const other = { egressipam: 'bm', node: 'worker-2' };
    const series = {
      egressip_ip_allocated: [
        { labels: OF, value: 10 },
        { labels: other, value: 97 },
      ],
      egressip_ip_capacity: [
        { labels: OF, value: 100 },
        { labels: other, value: 100 },
      ],
    };
    const { expr = '' } = egressAlerts({}).find(({ alert }) => alert === 'ExtremelyHighEgressIPUtilization') ?? {};
    expect(new AlertSeries(series).evaluate(expr)).toEqual([{ labels: other, value: 0.97 }]);
  });
});

const pool = (used: number, reserved: number, free: number): Series => ({
  egressip_pool_addresses: Object.entries({ total: used + reserved + free, used, reserved, free }).map(
    ([state, value]) => ({ labels: { egressipam: 'bm', cidr: '10.0.0.0/24', state }, value }),
  ),
});

describe('EG-52 CIDRs and namespaces', () => {
  test.each([
    ['nearly full, of what is not reserved', pool(95, 156, 5), ['EgressIPPoolNearlyExhausted']],
    ['half full', pool(50, 156, 50), []],
    ['full, which is told once a namespace waits', pool(100, 156, 0), []],
    ['reserved as a whole', pool(0, 256, 0), []],
  ])('a CIDR that is %s', (_title, series, alerts) => {
    expect(firing(series, 15)).toEqual(alerts);
  });

  test.each([
    ['EgressIPUnplaced', { egressip_ip_unplaced: [{ labels: { egressipam: 'bm', cidr: 'x' }, value: 1 }] }],
    ['EgressIPAMReconcileFailing', { egressip_reconcile_failed: [{ labels: { egressipam: 'bm' }, value: 1 }] }],
    [
      'EgressIPNamespaceInvalid',
      {
        egressip_namespaces: [
          { labels: { egressipam: 'bm', state: 'assigned' }, value: 9 },
          { labels: { egressipam: 'bm', state: 'invalid' }, value: 1 },
        ],
      },
    ],
  ])('%s fires, and not while its number is 0', (alert, series: Series) => {
    expect(firing(series, 15)).toEqual([alert]);
    const well = Object.entries(series).map(([name, samples]) => [
      name,
      samples.map(({ labels, value }) => ({ labels, value: labels['state'] === 'assigned' ? value : 0 })),
    ]);
    expect(pending(Object.fromEntries(well) as Series)).toEqual([]);
  });

  test('takes the bound of nearly full from the props', () => {
    const strict = egressAlerts({ nearlyFullPercent: 40 }).find(({ alert }) => alert === 'EgressIPPoolNearlyExhausted');
    expect(new AlertSeries(pool(50, 156, 50)).evaluate(strict?.expr ?? '')).toHaveLength(1);
  });
});
