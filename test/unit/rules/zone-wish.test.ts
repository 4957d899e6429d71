import { addressOf } from '../../../operator/addressing/address';
import { parseZones } from '../../../operator/contract/zones';
import { unprovenNamespace } from '../../../operator/rules/zone-limits';
import { loopingPool, zoneWishProblems, type ZoneWish } from '../../../operator/rules/zone-wish';

const parsed = parseZones({
  version: 1,
  zones: [
    { name: 'v4', prefixes: ['10.0.0.0/24'], excluded: ['10.0.0.1'] },
    { name: 'team', prefixes: ['10.2.0.0/24'], namespaces: { matchLabels: { team: 'a' } } },
    {
      name: 'not',
      prefixes: ['10.3.0.0/24'],
      namespaces: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] },
    },
    { name: 'any', prefixes: ['10.4.0.0/24'], namespaces: {} },
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

describe('zoneWishProblems, as text', () => {
  test.each([
    ['x'.repeat(20_000), `"${'x'.repeat(80)}…"`],
    ['a\n\0b', '"a\\n\\u0000b"'],
  ])('quotes and cuts the name of a zone (%#)', (zone, quoted) => {
    const [problem] = zoneWishProblems(catalogue, { zone, field: 'f', families: [4], addresses: [] });
    expect(problem?.message).toMatch(/^f: no zone is named /u);
    expect(problem?.message).toContain(`named ${quoted}; the zones are "v4"`);
  });

  test.each(['10.9.0.1', '10.0.0.1'])('names the place that wishes %s', (text) => {
    const field = 'spec.loadBalancerIP';
    const wish = { zone: 'v4', field: 'f', families: [4] as const, addresses: [addressOf(text)] };
    const [there] = zoneWishProblems(catalogue, { ...wish, addressFields: { 4: field } });
    expect(there?.field).toBe(field);
    expect(there?.message).toMatch(/^spec\.loadBalancerIP: address "10/u);
    expect(zoneWishProblems(catalogue, wish)[0]?.field).toBe('metadata.annotations[ipam.vitistack.io/addresses]');
  });
});

describe('unprovenNamespace', () => {
  test.each([
    ['v4', '', undefined],
    ['any', '', undefined],
    ['team', 'a', undefined],
    ['team', '', 'zone/forbidden'],
    ['not', '', 'zone/forbidden'],
  ])('of zone %s and namespace "%s" is %s', (name, namespace, code) => {
    const zone = catalogue.zone(name)!;
    const problem = unprovenNamespace(zone, namespace);
    expect(problem?.code).toBe(code);
    expect(problem?.message ?? '').toMatch(
      code === undefined ? /^$/u : /^zone "\w+" is open to some namespaces only, /u,
    );
  });
});

describe('loopingPool', () => {
  test('names the pool and the way out', () => {
    const zone = catalogue.zones[0]!;
    expect(loopingPool(zone, 6).message).toContain('pool "v4" (zone "v4") has IPv6 addresses');
  });
});
