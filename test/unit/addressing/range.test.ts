import { addressOf } from '../../../operator/addressing/address';
import { prefixOf } from '../../../operator/addressing/prefix';
import { PrefixSetBuilder } from '../../../operator/addressing/prefix-set';
import {
  parseBlock,
  parseRange,
  rangeOf,
  rangeOfPrefix,
  rangeToPrefixes,
  type Range,
} from '../../../operator/addressing/range';
import { valueOf } from '../../../operator/errors/ipam-error';
import type { Outcome, Refusal } from '../../../operator/errors/outcome';

function refusalOf(outcome: Outcome<unknown>): Refusal {
  if (outcome.ok) throw new TypeError('the text was accepted');
  return outcome.refusal;
}

const range = (text: string): Range => valueOf(parseRange(text));

describe('parseRange', () => {
  test('ADDR-08 refuses a reversed range and offers the right order', () => {
    const refusal = refusalOf(parseRange('192.0.2.149-192.0.2.140'));

    expect(refusal.code).toBe('range/reversed');
    expect(refusal.suggestion).toBe('192.0.2.140-192.0.2.149');
    expect(refusal.message).toContain('"192.0.2.149-192.0.2.140" ends before it starts');
  });

  test('ADDR-08 refuses ends of two families', () => {
    const refusal = refusalOf(parseRange('192.0.2.1-2001:db8::1'));

    expect(refusal.code).toBe('range/mixed-families');
    expect(refusal.message).toContain('mixes IPv4 and IPv6');
  });

  test.each([
    ['192.0.2.10-20', '"20" is not an IP address'],
    ['192.0.2.10,192.0.2.12', 'two addresses with one dash'],
    ['2001:db8::1-2001:db8::100/116', 'without a prefix length'],
    ['192.0.2.10-192.0.2.20-192.0.2.30', 'two addresses with one dash'],
    ['192.0.2.10', 'two addresses with one dash'],
    ['-192.0.2.10', 'it is empty'],
    ['192.0.2.10-', 'it is empty'],
    [' 192.0.2.10-192.0.2.20', 'blanks are not allowed'],
    ['192.0.2.10-192.0.2.20 ', 'blanks are not allowed'],
    ['192.0.2.10\n-192.0.2.20', 'blanks are not allowed'],
    ['fe80::1%a-fe80::2', 'zone ids are not allowed'],
  ])('ADDR-08 refuses %j', (text, why) => {
    const refusal = refusalOf(parseRange(text));

    expect(refusal.code).toBe('range/malformed');
    expect(refusal.message).toContain(`${JSON.stringify(text)} is not a range: `);
    expect(refusal.message).toContain(why);
  });

  test.each(['192.0.2.10 - 192.0.2.20', '192.0.2.10-192.0.2.20', '192.0.2.10\t- 192.0.2.20'])(
    'ADDR-08 takes %j, with blanks around the dash only',
    (text) => {
      expect(range(text).toString()).toBe('192.0.2.10-192.0.2.20');
      expect(range(text).count).toBe(11n);
    },
  );

  test('ADDR-08 lets an overlapping list be merged to exactly 21 addresses', () => {
    const set = new PrefixSetBuilder();
    for (const text of ['192.0.2.0/28', '192.0.2.8-192.0.2.20']) set.add(valueOf(parseBlock(text)));

    expect(set.build().count()).toBe(21n);
    expect(set.build().toString()).toBe('192.0.2.0-192.0.2.20');
  });

  test('takes a range of one address', () => {
    expect(range('192.0.2.10-192.0.2.10').toString()).toBe('192.0.2.10');
  });

  test('takes linear time on long runs of blanks, with and without a dash', () => {
    const blanks = ' '.repeat(200_000);
    const started = process.cpuUsage();
    const codes = [`192.0.2.1${blanks}x`, `192.0.2.1${blanks}x${blanks}-192.0.2.2`].map(
      (text) => refusalOf(parseRange(text)).code,
    );

    expect(codes).toEqual(['range/malformed', 'range/malformed']);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000); // quadratic time would be minutes
  });
});

describe('parseBlock', () => {
  test.each([
    ['192.0.2.10', '192.0.2.10'],
    ['192.0.2.0/28', '192.0.2.0-192.0.2.15'],
    ['2001:DB8::/126', '2001:db8::-2001:db8::3'],
    ['192.0.2.10 - 192.0.2.20', '192.0.2.10-192.0.2.20'],
  ])('reads %s as %s', (text, expected) => {
    expect(valueOf(parseBlock(text)).toString()).toBe(expected);
  });

  test.each([
    ['192.0.2.8/28', 'prefix/host-bits-set'],
    ['192.0.2.300', 'address/malformed'],
    ['192.0.2.9-192.0.2.1', 'range/reversed'],
    ['192.0.2.0/28-192.0.2.1', 'range/malformed'],
    ['', 'address/malformed'],
  ])('refuses %j with %s', (text, code) => {
    expect(refusalOf(parseBlock(text)).code).toBe(code);
  });
});

describe('Range', () => {
  test('throws for ends that make no range', () => {
    const outOfRange = expect.objectContaining({ code: 'addressing/out-of-range' }) as Error;

    expect(() => rangeOf(addressOf('10.0.0.2'), addressOf('10.0.0.1'))).toThrow(outOfRange);
    expect(() => rangeOf(addressOf('10.0.0.2'), addressOf('::1'))).toThrow(outOfRange);
  });

  test.each([
    ['10.0.0.5-10.0.0.9', '10.0.0.9-10.0.0.12', true],
    ['10.0.0.5-10.0.0.9', '10.0.0.10-10.0.0.12', false],
    ['10.0.0.5-10.0.0.9', '10.0.0.6-10.0.0.7', true],
    ['10.0.0.5-10.0.0.9', '10.0.0.1-10.0.0.5', true],
    ['10.0.0.5-10.0.0.9', '10.0.0.1-10.0.0.4', false],
  ])('%s overlaps %s: %s', (one, other, expected) => {
    expect(range(one).overlaps(range(other))).toBe(expected);
    expect(range(other).overlaps(range(one))).toBe(expected);
  });

  test('overlaps a prefix that it touches', () => {
    expect(range('10.0.0.5-10.0.0.9').overlaps(prefixOf('10.0.0.8/29'))).toBe(true);
    expect(range('10.0.0.5-10.0.0.9').overlaps(prefixOf('10.0.0.16/28'))).toBe(false);
  });

  test('contains both ends, and nothing of the other family', () => {
    const some = range('10.0.0.5-10.0.0.9');
    const inside = ['10.0.0.4', '10.0.0.5', '10.0.0.9', '10.0.0.10', '::5'].map((text) =>
      some.contains(addressOf(text)),
    );

    expect(inside).toEqual([false, true, true, false, false]);
  });

  test('counts all of IPv6 exactly', () => {
    expect(rangeOfPrefix(prefixOf('::/0')).count).toBe(1n << 128n);
  });

  test('equals another range by value', () => {
    expect(range('10.0.0.0-10.0.0.3').equals(rangeOfPrefix(prefixOf('10.0.0.0/30')))).toBe(true);
    expect(range('10.0.0.0-10.0.0.3').equals(range('10.0.0.0-10.0.0.4'))).toBe(false);
    expect(range('10.0.0.0-10.0.0.3').equals(range('10.0.0.1-10.0.0.3'))).toBe(false);
  });

  test('writes itself into JSON as text', () => {
    expect(JSON.stringify([range('10.0.0.0 - 10.0.0.3')])).toBe('["10.0.0.0-10.0.0.3"]');
  });
});

describe('rangeToPrefixes', () => {
  test.each([
    ['0.0.0.0-255.255.255.255', ['0.0.0.0/0']],
    ['10.0.0.1-10.0.0.1', ['10.0.0.1/32']],
    ['10.0.0.1-10.0.0.6', ['10.0.0.1/32', '10.0.0.2/31', '10.0.0.4/31', '10.0.0.6/32']],
    ['192.0.2.0-192.0.2.20', ['192.0.2.0/28', '192.0.2.16/30', '192.0.2.20/32']],
    ['255.255.255.254-255.255.255.255', ['255.255.255.254/31']],
    ['2001:db8::-2001:db8:0:1:ffff:ffff:ffff:ffff', ['2001:db8::/63']],
  ])('covers %s', (text, expected) => {
    expect(rangeToPrefixes(range(text)).map(String)).toEqual(expected);
  });

  test('needs at most 62 prefixes for IPv4 and 254 for IPv6', () => {
    const worst6 = '::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe';

    expect(rangeToPrefixes(range('0.0.0.1-255.255.255.254'))).toHaveLength(62);
    expect(rangeToPrefixes(range(worst6))).toHaveLength(254);
  });
});
