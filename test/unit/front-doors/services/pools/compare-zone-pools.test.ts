import { PrefixSetBuilder, type PrefixSet } from '../../../../../operator/addressing/prefix-set';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { parsePrefix } from '../../../../../operator/addressing/prefix';
import { MetalLbPools } from '../../../../../operator/backends/metallb/metallb-pools';
import { parseZones, type ZoneCatalogue, type ZoneProps } from '../../../../../operator/contract/zones';
import { compareZonePools, differencesOf } from '../../../../../operator/front-doors/services/pools/compare-zone-pools';
import { PoolView } from '../../../../../operator/front-doors/services/pools/pool-view';
import { ManualClock } from '../../../../support/manual-clock';
import { MemoryObjects } from '../../../../support/memory-objects';
import { RecordedLogger, RecordedMeter } from '../../../../support/recorded-telemetry';
import { settled } from '../../../../support/settled';

const DUAL: ZoneProps = { name: 'lan', prefixes: ['10.0.0.0/24', '2001:db8::/120'], excluded: ['10.0.0.0'] };

const space = (...prefixes: string[]): PrefixSet =>
  prefixes.reduce((all, text) => all.add(valueOf(parsePrefix(text))), new PrefixSetBuilder()).build();

function catalogue(...zones: readonly ZoneProps[]): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones });
  if (!parsed.ok) throw new TypeError('zones');
  return parsed.value;
}

const compared = (pool: PrefixSet | undefined, families: readonly (4 | 6)[] = [4, 6]) => {
  const [zone] = catalogue(DUAL).zones;
  if (zone === undefined) throw new TypeError('no zone');
  return differencesOf(zone, pool, families).map(({ kind, problem }) => `${kind}: ${problem}`);
};

describe('differencesOf', () => {
  test.each<[string, PrefixSet]>([
    ['the prefixes of the zone', space('10.0.0.0/24', '2001:db8::/120')],
    ['all but what the zone excludes', space('10.0.0.0/24', '2001:db8::/120').subtract(space('10.0.0.0/32'))],
  ])('FU-14 finds nothing where the pool holds %s', (_what, pool) => {
    expect(compared(pool)).toEqual([]);
  });

  test('FU-14 needs no pool for a family that the cluster does not have', () => {
    expect(compared(space('10.0.0.0/24'), [4])).toEqual([]);
    expect(compared(undefined, [])).toEqual([]);
  });

  test('FU-14 names what only one of them has', () => {
    expect(compared(undefined)).toEqual(['missing: there is no MetalLB pool "lan"']);
    expect(compared(space('10.0.0.0/25', '10.0.1.0/32', '2001:db8::/120'))).toEqual([
      'narrower: MetalLB pool "lan" lacks 10.0.0.128-10.0.0.255 of zone "lan", so it is not announced',
      'wider: MetalLB pool "lan" holds 10.0.1.0, which zone "lan" does not',
    ]);
  });
});

test('FU-14 a long difference is told in short', () => {
  const even = Array.from({ length: 10 }, (_, i) => `10.0.0.${String(2 * i + 1)}/32`);
  const [narrower] = compared(space('10.0.0.0/24', '2001:db8::/120').subtract(space(...even)));
  expect(narrower).toContain('lacks 10.0.0.1, 10.0.0.3, 10.0.0.5 and 7 ranges more of zone "lan"');
});

describe('compareZonePools', () => {
  const clock = new ManualClock();
  const logger = new RecordedLogger();
  const meter = new RecordedMeter();
  const objects = new MemoryObjects();
  let zones = catalogue({ name: 'lan', prefixes: ['10.0.0.0/24'] });
  let zonesChanged = (): void => undefined;
  const source = {
    current: () => zones,
    onChange: (listener: () => void) => {
      zonesChanged = listener;
      return () => undefined;
    },
  };
  const isServed = () => Promise.resolve(objects.isServed);
  const view = new PoolView({ pools: new MetalLbPools({ objects, zones: source, isServed }), logger });
  const cluster = { families: () => Promise.resolve([4] as const) };
  const stop = compareZonePools({ view, zones: source, cluster, clock, logger, meter });

  const told = async (): Promise<readonly unknown[]> => {
    for (let i = 0; i < 3; i += 1) {
      clock.advance(1_000);
      await settled();
    }
    return meter.of('zone_pool_mismatch').map(({ labels }) => `${labels['zone'] ?? ''} ${labels['kind'] ?? ''}`);
  };

  test('FU-14 tells by metric and log, again after each change of pool or zone, and logs each difference once', async () => {
    expect(await told()).toEqual(['lan missing']);
    objects.edit('lan', { addresses: ['10.0.0.0/24'] });
    expect(await told()).toEqual([]);
    zones = catalogue({ name: 'lan', prefixes: ['10.0.0.0/23'] });
    zonesChanged();
    expect(await told()).toEqual(['lan narrower']);
    objects.edit('lan', { addresses: ['10.0.0.0/22'] });
    expect(await told()).toEqual(['lan wider']);
    objects.handle('lan');
    expect(await told()).toEqual(['lan wider']);
    objects.isServed = false;
    objects.remove('lan');
    expect(await told()).toEqual(['lan missing']);
    const lines = logger.lines.filter(({ message }) => message === 'zone and pool of one name differ');
    expect(lines.map(({ fields }) => fields['problem'])).toEqual([
      'there is no MetalLB pool "lan"',
      'MetalLB pool "lan" lacks 10.0.1.0-10.0.1.255 of zone "lan", so it is not announced',
      'MetalLB pool "lan" holds 10.0.2.0-10.0.3.255, which zone "lan" does not',
      'there is no MetalLB pool "lan"',
    ]);
    stop();
    expect(clock.waiting).toBe(0);
  });
});
