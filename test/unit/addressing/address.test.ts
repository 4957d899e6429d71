import {
  Address,
  addressFromBigInt,
  addressOf,
  parseAddress,
  unusableReason,
} from '../../../operator/addressing/address';
import type { Refusal } from '../../../operator/errors/outcome';

function canonical(text: string): string {
  return addressOf(text).toString();
}

function refusalOf(text: string): Refusal {
  const outcome = parseAddress(text);
  if (outcome.ok) throw new TypeError(`${text} was accepted as ${outcome.value.toString()}`);
  return outcome.refusal;
}

describe('parseAddress', () => {
  test.each([
    ['2001:DB8:0:0:0:0:0:A', '2001:db8::a'],
    ['2001:0db8:0000:0000:0000:0000:0000:0010', '2001:db8::10'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['FD00:0:0:0::1', 'fd00::1'],
  ])('ADDR-01 reads %s as %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
    expect(addressOf(text).equals(addressOf(expected))).toBe(true);
  });

  test.each([
    ['010.0.0.1', 'the part "010" has a leading zero, which some programs read as octal'],
    ['10.0.0.01', 'the part "01" has a leading zero, which some programs read as octal'],
    ['10.1', 'IPv4 has four decimal parts, not 2'],
    ['1', 'a single number is not an address'],
    ['0x0a000001', 'the part "0x0a000001" is hexadecimal'],
    ['167772161', 'a single number is not an address'],
    ['10.0.0.1.', 'a part between the dots is empty'],
    ['10.0.0.256', 'the part "256" is above 255'],
    ['10.0.0.1/24', 'one address is due here, without a prefix length'],
    ['1٠.0.0.1', 'the character U+0660 has no place in an address'],
    ['１０.0.0.1', 'the character U+FF11 has no place in an address'],
  ])('ADDR-02 refuses %s and says why', (text, why) => {
    const refusal = refusalOf(text);

    expect(refusal.code).toBe('address/malformed');
    expect(refusal.value).toBe(text);
    expect(refusal.message).toContain(`"${text}" is not an IP address: ${why}`);
  });

  test.each(['010.0.0.1', '10.0.0.01', '10.1', '1', '0x0a000001', '167772161', '10.0.0.256'])(
    'ADDR-02 offers no guess for %s',
    (text) => {
      expect(refusalOf(text).suggestion).toBeUndefined();
    },
  );

  test.each([
    ['0x0a.0.0.1', 'the part "0x0a" is hexadecimal'],
    ['10.0.0.1 ', 'blanks are not allowed in an address; write "10.0.0.1"'],
    ['10. 0.0.1', 'blanks are not allowed in an address'],
    ['', 'it is empty'],
    ['10.0.0.1e1', 'the part "1e1" is not a decimal number'],
    ['10.0.0.1,10.0.0.2', 'one address is due here, not a list'],
    ['1::2::3', '"::" may stand only once'],
    [':::', '":::" has no meaning'],
    ['1:2:3:4:5:6:7:', 'it starts or ends with a single colon'],
    ['::12345', 'the group "12345" has more than four digits'],
    ['::g', 'the group "g" is not hexadecimal'],
    ['1:2:3:4:5:6:7', 'IPv6 has eight groups, or fewer with one "::"'],
    ['1:2:3:4:5:6:7:8::', 'it has too many groups beside "::"'],
    ['::ffff:010.0.0.1', 'its end is not an IPv4 address: the part "010" has a leading zero'],
    ['fe80::1%eth0', 'zone ids are not allowed; write "fe80::1"'],
    ['fe80::1%', 'zone ids are not allowed; write "fe80::1"'],
    ['[::1]', 'brackets and quotes are not allowed; write "::1"'],
    ['["192.0.2.10"]', 'this looks like a JSON list; write addresses without brackets and quotes, separated by commas'],
  ])('refuses "%s" and says why', (text, why) => {
    const refusal = refusalOf(text);

    expect(refusal.code).toBe('address/malformed');
    expect(refusal.message).toContain(why);
  });

  test.each([
    ['::ffff:a00:1', '::ffff:10.0.0.1'],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
    ['::10.0.0.1', '::a00:1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:0:1:0:1:0:1:0', '2001:0:1:0:1:0:1:0'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['255.255.255.255', '255.255.255.255'],
    ['0.0.0.0', '0.0.0.0'],
  ])('reads %s as %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test('keeps IPv4 and the IPv4-mapped form of it apart', () => {
    const mapped = addressOf('::ffff:10.0.0.1');

    expect(mapped.family).toBe(6);
    expect(mapped.equals(addressOf('10.0.0.1'))).toBe(false);
  });

  test('cuts very long text in its message and stays quick', () => {
    const refusal = refusalOf('1:'.repeat(500_000));

    expect(refusal.message.length).toBeLessThan(300);
  });

  test('escapes control characters in its message', () => {
    expect(refusalOf('10.0.0.1\n10.0.0.2').message).toContain(String.raw`"10.0.0.1\n10.0.0.2"`);
  });
});

describe('addressOf', () => {
  test('throws the code of the refusal for a wrong constant', () => {
    expect(() => addressOf('10.0.0')).toThrow(expect.objectContaining({ code: 'address/malformed' }) as Error);
  });
});

describe('Address', () => {
  test('ADDR-02 sorts by value, IPv4 first', () => {
    const texts = ['2001:db8::10', '10.0.0.10', '::1', '10.0.0.9', '2001:db8::9', '200.0.0.1', '9.255.255.255'];
    const sorted = texts.map(addressOf).sort((a, b) => a.compareTo(b));

    expect(sorted.map(String)).toEqual([
      '9.255.255.255',
      '10.0.0.9',
      '10.0.0.10',
      '200.0.0.1',
      '::1',
      '2001:db8::9',
      '2001:db8::10',
    ]);
  });

  test.each([
    ['10.0.0.1', '10.0.0.2'],
    ['10.0.0.255', '10.0.1.0'],
    ['127.255.255.255', '128.0.0.0'],
    ['2001:db8::ffff:ffff', '2001:db8::1:0:0'],
    ['2001:db8::ffff:ffff:ffff:ffff', '2001:db8:0:1::'],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ])('steps from %s up to %s and back', (low, high) => {
    expect(String(addressOf(low).next())).toBe(high);
    expect(String(addressOf(high).previous())).toBe(low);
  });

  test('has nothing beyond the ends of a family', () => {
    expect(addressOf('255.255.255.255').next()).toBeUndefined();
    expect(addressOf('0.0.0.0').previous()).toBeUndefined();
    expect(addressOf('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff').next()).toBeUndefined();
    expect(addressOf('::').previous()).toBeUndefined();
  });

  test('writes its canonical text into JSON', () => {
    expect(JSON.stringify({ address: addressOf('2001:DB8::A') })).toBe('{"address":"2001:db8::a"}');
  });

  test('shows its words as unsigned numbers', () => {
    const { w0, w1, w2, w3 } = addressOf('ffff:fffe::8000:0:ffff:fffd');

    expect([w0, w1, w2, w3]).toEqual([0xffff_fffe, 0, 0x8000_0000, 0xffff_fffd]);
    expect(addressOf('255.0.0.1')).toEqual(new Address(4, { w0: 0, w1: 0, w2: 0, w3: 0xff00_0001 }));
  });
});

describe('addressFromBigInt', () => {
  test('takes the whole interval of each family', () => {
    expect(String(addressFromBigInt(4, 0n))).toBe('0.0.0.0');
    expect(String(addressFromBigInt(4, (1n << 32n) - 1n))).toBe('255.255.255.255');
    expect(String(addressFromBigInt(6, 1n))).toBe('::1');
    expect(String(addressFromBigInt(6, (1n << 128n) - 1n))).toBe('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff');
  });

  test.each([
    [4, -1n],
    [4, 1n << 32n],
    [6, -1n],
    [6, 1n << 128n],
  ] as const)('throws for IPv%s and %s', (family, value) => {
    expect(() => addressFromBigInt(family, value)).toThrow(
      expect.objectContaining({ code: 'addressing/out-of-range' }) as Error,
    );
  });
});

describe('unusableReason', () => {
  test.each([
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['::1', 'loopback'],
    ['224.0.0.5', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['169.254.0.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['febf:ffff::1', 'link-local'],
    ['0.1.2.3', 'this-network'],
    ['::ffff:10.0.0.1', 'IPv4-mapped'],
  ])('REQ-07 says of %s that it is %s', (text, reason) => {
    expect(unusableReason(addressOf(text))).toBe(reason);
  });

  test('REQ-07 leaves the form with a zone to the parser, which refuses it', () => {
    expect(parseAddress('fe80::1%eth0').ok).toBe(false);
  });

  test.each([
    '1.0.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '223.255.255.255',
    '240.0.0.1',
    '255.255.255.254',
    '10.0.0.0',
    '2001:db8::1',
    'fd00::1',
    'fec0::1',
    'fe7f::1',
    '::2',
    '::2:0:0:0',
    '64:ff9b::a00:1',
  ])('finds nothing against %s', (text) => {
    expect(unusableReason(addressOf(text))).toBeUndefined();
  });
});
