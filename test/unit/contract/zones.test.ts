import { addressOf } from '../../../operator/addressing/address';
import { parseZones, type ZoneProps, type ZonesDocument } from '../../../operator/contract/zones';
import { toZonesDocument } from '../../../operator/contract/zones-document';
import type { Refusal } from '../../../operator/errors/outcome';

const inet: ZoneProps = { name: 'inet', prefixes: ['83.118.168.0/22', '2a05:1234::/64'] };
const document = (...zones: readonly object[]): unknown => ({ version: 1, zones });

function problemsOf(input: unknown): readonly Refusal[] {
  const outcome = parseZones(input);
  return outcome.ok ? [] : outcome.problems;
}
const messagesOf = (input: unknown): string[] => problemsOf(input).map(({ message }) => message);

function zoneOf(props: object) {
  const outcome = parseZones(document(props));
  if (!outcome.ok) throw new TypeError(outcome.problems.map(({ message }) => message).join('\n'));
  return outcome.value.zones[0]!;
}

describe('parseZones', () => {
  test('gives every zone by name, in the order of the document', () => {
    const outcome = parseZones({
      version: 1,
      services: { defaultZone: 'hnet-private' },
      zones: [inet, { name: 'hnet-private', prefixes: ['172.16.0.0/12'] }],
    });
    expect(outcome.ok).toBe(true);
    if (!outcome.ok) return;
    expect(outcome.value.names).toEqual(['inet', 'hnet-private']);
    expect(outcome.value.defaultZone).toBe('hnet-private');
    expect(outcome.value.zone('inet')?.families).toEqual([4, 6]);
    expect(outcome.value.zone('hnet-private')?.families).toEqual([4]);
    expect(outcome.value.zone('other')).toBeUndefined();
  });

  test('fills in network, quarantine and draining', () => {
    expect(zoneOf(inet)).toMatchObject({ network: 'default', quarantineSeconds: 300, draining: false });
    expect(zoneOf(inet)).not.toHaveProperty('quota');
  });

  test('keeps what the author wrote', () => {
    const namespaces = { matchLabels: { team: 'web' } };
    const zone = zoneOf({ ...inet, network: 'red', quarantineSeconds: 0, quota: 7, draining: true, namespaces });
    expect(zone).toMatchObject({ network: 'red', quarantineSeconds: 0, quota: 7, draining: true, namespaces });
  });

  test('refuses a zone of which every address is excluded', () => {
    const zones = [{ name: 'z', prefixes: ['10.0.0.0/30'], excluded: ['10.0.0.0/31', '10.0.0.2-10.0.0.3'] }];
    const parsed = parseZones({ version: 1, zones });
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      {
        code: 'zone/invalid',
        field: 'zones[0].excluded',
        message:
          'zones[0].excluded: every address of the zone (10.0.0.0/30) is excluded, so it could give none; exclude less',
      },
    ]);
  });

  test('takes excluded addresses, ranges and CIDRs out of the space', () => {
    const zone = zoneOf({
      name: 'a',
      prefixes: ['10.0.0.0/28', '2001:db8::/124'],
      excluded: ['10.0.0.0', '10.0.0.2 - 10.0.0.3', '10.0.0.8/29', '2001:db8::/125'],
    });
    expect(zone.space.ranges(4).map(String)).toEqual(['10.0.0.1', '10.0.0.4-10.0.0.7']);
    expect(zone.space.ranges(6).map(String)).toEqual(['2001:db8::8-2001:db8::f']);
    expect(zone.space.contains(addressOf('10.0.0.2'))).toBe(false);
  });

  test('POOL-11 refuses an unknown key of a zone, with its path and the nearest allowed key', () => {
    const [problem] = problemsOf(
      document({ name: 'a', prefixes: ['10.1.157.0/25'], exclude: ['10.1.157.1-10.1.157.20'] }),
    );
    expect(problem).toMatchObject({ code: 'zone/invalid', field: 'zones[0].exclude', suggestion: 'excluded' });
    expect(problem?.message).toContain('unknown field "exclude"');
    expect(problem?.message).toContain('did you mean "excluded"?');
  });

  const misspelt = [
    {
      where: 'the document',
      input: { version: 1, zones: [inet], service: {} },
      field: 'service',
      suggestion: 'services',
    },
    {
      where: 'services',
      input: { version: 1, zones: [inet], services: { defaultzone: 'inet' } },
      field: 'services.defaultzone',
      suggestion: 'defaultZone',
    },
    {
      where: 'a selector',
      input: document({ ...inet, namespaces: { matchLabel: {} } }),
      field: 'zones[0].namespaces.matchLabel',
      suggestion: 'matchLabels',
    },
    {
      where: 'a selector expression',
      input: document({ ...inet, namespaces: { matchExpressions: [{ key: 'a', operator: 'Exists', value: ['x'] }] } }),
      field: 'zones[0].namespaces.matchExpressions[0].value',
      suggestion: 'values',
    },
  ];
  test.each(misspelt)('POOL-11 refuses an unknown key of $where', ({ input, field, suggestion }) => {
    expect(problemsOf(input)).toEqual([expect.objectContaining({ code: 'zone/invalid', field, suggestion })]);
  });

  test('names no nearest key where none is alike', () => {
    const [problem] = problemsOf(document({ ...inet, colour: 'red' }));
    expect(problem).not.toHaveProperty('suggestion');
    expect(problem?.message).toContain('allowed here are name, network, prefixes, excluded');
  });

  test('reports every problem of a document at once', () => {
    const fields = problemsOf({
      version: 3,
      services: { defaultZone: 'innet' },
      zones: [
        { name: 'a', prefixes: ['10.0.0.1/24'], exclude: [] },
        { name: 'B', prefixes: [], quota: 0 },
        { name: 'inet', prefixes: ['11.0.0.0/8'], excluded: ['12.0.0.1'], quarantineSeconds: 1.5 },
      ],
    }).map(({ field }) => field);
    expect(fields.toSorted()).toEqual([
      'services.defaultZone',
      'version',
      'zones[0].exclude',
      'zones[0].prefixes[0]',
      'zones[1].name',
      'zones[1].prefixes',
      'zones[1].quota',
      'zones[2].excluded[0]',
      'zones[2].quarantineSeconds',
    ]);
  });

  test('suggests the network where a prefix has host bits', () => {
    const [problem] = problemsOf(document({ name: 'a', prefixes: ['10.0.0.9/24'] }));
    expect(problem).toMatchObject({
      code: 'prefix/host-bits-set',
      field: 'zones[0].prefixes[0]',
      value: '10.0.0.9/24',
      suggestion: '10.0.0.0/24',
    });
  });

  test.each([
    [
      'a number for a name',
      { name: 12, prefixes: ['10.0.0.0/24'] },
      'zones[0].name: must be text, but is number 12 (put it in quotes)',
    ],
    [
      'upper case in a name',
      { name: 'Inet', prefixes: ['10.0.0.0/24'] },
      'zones[0].name: must be a DNS label (a-z, 0-9 and -, at most 63), but is "Inet"',
    ],
    ['a name of 64 characters', { name: 'a'.repeat(64), prefixes: ['10.0.0.0/24'] }, `but is "${'a'.repeat(64)}"`],
    ['no prefix', { name: 'a', prefixes: [] }, 'zones[0].prefixes: must not be empty'],
    ['no prefixes at all', { name: 'a' }, 'zones[0].prefixes: missing, but required'],
    [
      'a text for draining',
      { ...inet, draining: 'yes' },
      'zones[0].draining: must be true or false, but is string "yes"',
    ],
    [
      'a negative quarantine',
      { ...inet, quarantineSeconds: -1 },
      'zones[0].quarantineSeconds: must be at least 0, but is -1',
    ],
    [
      'a reversed range',
      { ...inet, excluded: ['83.118.168.9-83.118.168.2'] },
      'zones[0].excluded[0]: "83.118.168.9-83.118.168.2" ends before it starts',
    ],
    [
      'loopback addresses',
      { name: 'a', prefixes: ['127.0.0.0/8'] },
      'holds addresses that no Service can use (loopback)',
    ],
    [
      'multicast addresses',
      { name: 'a', prefixes: ['ff00::/8'] },
      'holds addresses that no Service can use (multicast)',
    ],
    ['the name of the pool that must not exist', { ...inet, name: 'ipam-waiting' }, '"ipam-waiting" is reserved'],
    [
      'In without values',
      { ...inet, namespaces: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'operator In needs at least one entry in values',
    ],
    [
      'Exists with values',
      { ...inet, namespaces: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] } },
      'operator Exists takes no values',
    ],
    [
      'an unknown operator',
      { ...inet, namespaces: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      'must be one of ["In","NotIn","Exists","DoesNotExist"]',
    ],
  ])('refuses %s', (_what, zone, text) => {
    expect(messagesOf(document(zone))).toEqual([expect.stringContaining(text)]);
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['text', 'zones'],
  ])('refuses %s as document', (_what, input) => {
    expect(messagesOf(input)).toEqual([expect.stringContaining('the document: must be a map of fields')]);
  });

  test('refuses a document without zones', () => {
    expect(messagesOf({ version: 1, zones: [] })).toEqual(['zones: must not be empty']);
  });

  test('names both zones of one network that share addresses', () => {
    const [problem, ...rest] = problemsOf(
      document(
        { name: 'wide', prefixes: ['10.0.0.0/8'] },
        { name: 'narrow', prefixes: ['192.0.2.0/24', '10.4.0.0/16'] },
      ),
    );
    expect(rest).toEqual([]);
    expect(problem).toMatchObject({ code: 'zone/overlap', field: 'zones[1].prefixes[1]', value: '10.4.0.0/16' });
    expect(problem?.message).toContain('of zone "narrow" overlaps "10.0.0.0/8" of zone "wide" (zones[0].prefixes[0])');
  });

  test('finds an overlap although another nested prefix lies between the two', () => {
    const fields = problemsOf(
      document(
        { name: 'a', prefixes: ['10.0.0.0/8'] },
        { name: 'b', prefixes: ['10.1.0.0/16'] },
        { name: 'c', prefixes: ['10.200.0.0/16'] },
      ),
    ).map(({ field }) => field);
    expect(fields).toEqual(['zones[1].prefixes[0]', 'zones[2].prefixes[0]']);
  });

  test('refuses a prefix twice in one zone', () => {
    expect(messagesOf(document({ name: 'a', prefixes: ['10.0.0.0/24', '10.0.0.0/24'] }))).toEqual([
      'zones[0].prefixes[1]: "10.0.0.0/24" overlaps "10.0.0.0/24" of the same zone (zones[0].prefixes[0]); keep one of them',
    ]);
  });

  test('POOL-06 lets zones of different networks hold the same addresses', () => {
    expect(
      problemsOf(
        document(
          { name: 'red', network: 'red', prefixes: ['10.0.0.0/24'] },
          { name: 'blue', network: 'blue', prefixes: ['10.0.0.0/24'] },
        ),
      ),
    ).toEqual([]);
  });

  test('names both places of a name that is used twice', () => {
    expect(messagesOf(document(inet, { ...inet, prefixes: ['10.0.0.0/24'] }))).toEqual([
      'zones[1].name: "inet" is already the name of another zone (zones[0].name); names are unique',
    ]);
  });

  test('refuses an excluded block outside of every prefix', () => {
    const [problem] = problemsOf(document({ ...inet, excluded: ['83.118.172.1'] }));
    expect(problem).toMatchObject({ field: 'zones[0].excluded[0]', value: '83.118.172.1' });
    expect(problem?.message).toContain('lies in no prefix of the zone (83.118.168.0/22, 2a05:1234::/64)');
  });

  test('refuses a default zone that does not exist, with the nearest name', () => {
    const [problem] = problemsOf({ version: 1, services: { defaultZone: 'inte' }, zones: [inet] });
    expect(problem).toMatchObject({
      code: 'zone/unknown',
      field: 'services.defaultZone',
      value: 'inte',
      suggestion: 'inet',
    });
  });

  test('checks 2,000 zones in less than a second of CPU', () => {
    const zones = Array.from({ length: 2000 }, (_, i) => ({
      name: `z${String(i)}`,
      prefixes: [`10.${String(i >> 8)}.${String(i & 255)}.0/24`],
    }));
    const before = process.threadCpuUsage().user;
    expect(problemsOf(document(...zones))).toEqual([]);
    expect((process.threadCpuUsage().user - before) / 1_000).toBeLessThan(1_000);
  });
});

describe('toZonesDocument', () => {
  test('writes what parseZones reads', () => {
    const written: ZonesDocument = toZonesDocument({ zones: [inet], defaultZone: 'inet' });
    expect(written).toEqual({ version: 2, services: { defaultZone: 'inet' }, zones: [inet] });
    expect(problemsOf(written)).toEqual([]);
  });

  test('leaves services out where no default zone is set', () => {
    expect(toZonesDocument({ zones: [inet] })).toEqual({ version: 2, zones: [inet] });
  });
});

describe('parseZones of plain JavaScript', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const selector = (namespaces: unknown): object => ({ namespaces });
  test.each<[string, object, string]>([
    ['a map of conditions', selector({ matchExpressions: {} }), 'namespaces.matchExpressions: must be a list'],
    ['a text of conditions', selector({ matchExpressions: 'a' }), 'namespaces.matchExpressions: must be a list'],
    ['a number of conditions', selector({ matchExpressions: 7 }), 'namespaces.matchExpressions: must be a list'],
    [
      'an operator that is a symbol',
      selector({ matchExpressions: [{ key: 'a', operator: Symbol('In'), values: ['b'] }] }),
      'but is Symbol(In)',
    ],
    [
      'an operator that holds itself',
      selector({ matchExpressions: [{ key: 'a', operator: circular }] }),
      'but is a map that JSON cannot hold',
    ],
    ['a bigint', { quota: 7n }, 'quota: must be a whole number, but is bigint 7'],
    [
      'a label key with a blank',
      selector({ matchLabels: { 'a b': 'c' } }),
      'namespaces.matchLabels: must be a label key, but is "a b"',
    ],
  ])('refuses %s', (_name, more, message) => {
    const outcome = parseZones({ version: 1, zones: [{ name: 'a', prefixes: ['192.0.2.0/24'], ...more }] });
    const found = outcome.ok ? [] : outcome.problems.map((problem) => problem.message);
    expect(found).toContainEqual(expect.stringContaining(message));
  });
});
