import {
  hasServiceWish,
  parseAddressList,
  parseServiceAnnotations,
} from '../../../operator/contract/service-annotations';

const FIELD = 'metadata.annotations[k]';
const texts = (text: string): readonly string[] | string => {
  const parsed = parseAddressList(text, FIELD);
  return parsed.ok ? parsed.value.map(String) : parsed.refusal.message;
};

describe('parseAddressList', () => {
  test.each([
    ['192.0.2.10, 2001:db8::10', ['192.0.2.10', '2001:db8::10']],
    ['192.0.2.10,', ['192.0.2.10']],
    [' \t192.0.2.10/32 , 2001:DB8::10/128 ,', ['192.0.2.10', '2001:db8::10']],
    ['', []],
    ['  ', []],
  ])('REQ-07 reads %p', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  test.each([
    ['192.0.2.10,192.0.2.11', 'has two IPv4 addresses (192.0.2.10 and 192.0.2.11)'],
    ['2001:db8::1,2001:DB8::1', 'has two IPv6 addresses'],
    ['192.0.2.10 192.0.2.11', 'blanks are not allowed'],
    ['["192.0.2.10"]', 'looks like a JSON list; write addresses without brackets and quotes, separated by commas'],
    ['192.0.2.10,,2001:db8::1', 'has an empty entry between commas'],
    [',192.0.2.10', 'has an empty entry between commas'],
    ['192.0.2.0/24', 'is more than one address'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['224.0.0.5', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['fe80::1%eth0', 'zone ids are not allowed'],
    ['::ffff:192.0.2.10', 'IPv4-mapped'],
    ['192.0.2.10,nonsense', '"nonsense" is not'],
    ['010.0.0.1', 'leading zero'],
  ])('REQ-07 refuses %p', (text, expected) => {
    expect(texts(text)).toContain(expected);
    expect(texts(text)).toContain(FIELD);
  });
});

describe('parseServiceAnnotations', () => {
  test('reads all seven keys', () => {
    const { wish, problems } = parseServiceAnnotations({
      'ipam.vitistack.io/addresses': '2001:db8::1,192.0.2.1',
      'ipam.vitistack.io/ip-family': 'dual',
      'ipam.vitistack.io/zone': 'inet',
      'ipam.vitistack.io/secret': 'mine.v2',
      'ipam.vitistack.io/retention-period-days': '30',
      'ipam.vitistack.io/deny-external-cleanup': 'T',
      'ipam.vitistack.io/allow-local-shared-ip': 'k',
      other: 'ignored',
    });

    expect(problems).toEqual([]);
    expect({ ...wish, addresses: wish.addresses.map(String) }).toEqual({
      addresses: ['2001:db8::1', '192.0.2.1'],
      ipFamily: 'dual',
      zone: 'inet',
      secret: 'mine.v2',
      retentionPeriodDays: 30,
      denyExternalCleanup: true,
      allowLocalSharedIp: 'k',
    });
  });

  test('leaves out what was not asked for', () => {
    expect(parseServiceAnnotations({})).toEqual({ wish: { addresses: [] }, problems: [] });
  });

  test.each(['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False'])(
    'takes the flag %p',
    (text) => {
      const { wish } = parseServiceAnnotations({ 'ipam.vitistack.io/deny-external-cleanup': text });
      expect(wish.denyExternalCleanup).toBe('1tT'.includes(text[0] ?? ''));
    },
  );

  test.each([
    ['ip-family', ['', 'IPv4', 'ipv46', 'Dual'], '"ipv4", "ipv6" or "dual" in lower case'],
    ['zone', ['', ' '], 'the name of a zone'],
    ['secret', ['', 'Mine', '../x', 'a_b', '-a'], '"default" or the name of an Opaque Secret'],
    ['retention-period-days', ['', '-1', '31', '0x1', '1e1', ' 1', '1.0'], 'a whole number of days from 0 to 30'],
    ['deny-external-cleanup', ['', 'yes', 'tRUE', 'on'], '"true" or "false"'],
  ])('W-17 refuses values of %s and says what is allowed', (name, values, allowed) => {
    for (const value of values) {
      const { problems } = parseServiceAnnotations({ [`ipam.vitistack.io/${name}`]: value });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatchObject({
        code: 'wish/malformed',
        field: `metadata.annotations[ipam.vitistack.io/${name}]`,
        value,
      });
      expect(problems[0]?.message).toContain(allowed);
    }
  });

  test.each([
    ['zonee', 'ipam.vitistack.io/zone'],
    ['adresses', 'ipam.vitistack.io/addresses'],
    ['Zone', 'ipam.vitistack.io/zone'],
  ])('refuses the key %s and names the nearest one', (name, suggestion) => {
    const key = `ipam.vitistack.io/${name}`;
    const { problems } = parseServiceAnnotations({ [key]: 'inet' });
    const field = `metadata.annotations[${key}]`;
    const message = `${field}: there is no such key; did you mean ${suggestion}?`;
    expect(problems).toEqual([{ code: 'wish/malformed', field, message, suggestion }]);
  });

  test('lists the keys where none is alike, and leaves keys of others alone', () => {
    const { problems } = parseServiceAnnotations({
      'ipam.vitistack.io/colour-of-the-moon-at-midnight': 'x',
      'ipam.example/zonee': 'x',
      'ipam.vitistack.io/reservation': 'x',
    });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/there is no such key; the keys are ipam\.vitistack\.io\/addresses, .*opt-out$/u),
    ]);
  });

  test('bounds what it says of thousands of long unknown keys', () => {
    const entries = Array.from({ length: 5_000 }, (_, i) => [`ipam.vitistack.io/${i}${'\n'.repeat(500)}`, '']);
    const { problems } = parseServiceAnnotations(Object.fromEntries(entries) as Record<string, string>);
    expect(problems.map(({ message }) => message).join('; ').length).toBeLessThan(10_000);
    expect(JSON.stringify(problems.map(({ message }) => message))).not.toContain('\\n\\n\\n'.repeat(30));
  });

  test('tells every problem at once', () => {
    const { problems } = parseServiceAnnotations({
      'ipam.vitistack.io/addresses': 'x',
      'ipam.vitistack.io/ip-family': 'x',
      'ipam.vitistack.io/retention-period-days': 'x',
    });
    expect(problems).toHaveLength(3);
  });
});

describe('hasServiceWish', () => {
  test.each([
    [{}, false],
    [{ 'metallb.io/address-pool': 'x' }, false],
    [{ 'ipam.vitistack.io/addresses': ' ' }, false],
    [{ 'ipam.vitistack.io/reservation': 'x' }, false],
    [{ 'ipam.vitistack.io/zone': 'x' }, true],
    [{ 'ipam.vitistack.io/allow-local-shared-ip': '' }, true],
  ])('of %p is %p', (annotations, expected) => {
    expect(hasServiceWish(annotations as Record<string, string>)).toBe(expected);
  });
});
