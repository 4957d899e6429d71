import { addressOf } from '../../../operator/addressing/address';
import { parseZones } from '../../../operator/contract/zones';
import { loopingPool, zoneWishProblems, type ZoneWish } from '../../../operator/rules/zone-wish';

const parsed = parseZones({
  version: 1,
  zones: [
    { name: 'v4', prefixes: ['10.0.0.0/24'], excluded: ['10.0.0.1'] },
    { name: 'old', prefixes: ['10.1.0.0/24'], draining: true },
  ],
});
if (!parsed.ok) throw new TypeError('zones of the test');
const catalogue = parsed.value;
const problems = (wish: Partial<ZoneWish>): readonly string[] =>
  zoneWishProblems(catalogue, { zone: 'v4', field: 'f', families: [4], addresses: [], ...wish }).map(
    ({ code }) => code,
  );

describe('zoneWishProblems', () => {
  test.each<{ what: string; wish: Partial<ZoneWish>; codes: readonly string[] }>([
    { what: 'a good wish', wish: { addresses: [addressOf('10.0.0.9')] }, codes: [] },
    { what: 'an unknown zone', wish: { zone: 'x' }, codes: ['zone/unknown'] },
    { what: 'an unknown zone that gives nothing new', wish: { zone: 'x', families: [] }, codes: [] },
    { what: 'a family without prefix', wish: { families: [4, 6] }, codes: ['zone/no-family'] },
    { what: 'a draining zone', wish: { zone: 'old' }, codes: ['zone/draining'] },
    { what: 'an address outside', wish: { addresses: [addressOf('10.9.0.1')] }, codes: ['address/outside-zone'] },
    { what: 'an excluded address', wish: { addresses: [addressOf('10.0.0.1')] }, codes: ['address/excluded'] },
  ])('$what: $codes', ({ wish, codes }) => {
    expect(problems(wish)).toEqual(codes);
  });
});

describe('loopingPool', () => {
  test('names the pool and the way out', () => {
    const zone = catalogue.zones[0]!;
    expect(loopingPool(zone, 6).message).toContain('pool "v4" (zone "v4") has IPv6 addresses');
  });
});
