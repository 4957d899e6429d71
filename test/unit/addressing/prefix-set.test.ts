import { addressOf } from '../../../operator/addressing/address';
import { prefixOf } from '../../../operator/addressing/prefix';
import { PrefixSet, PrefixSetBuilder, type Block } from '../../../operator/addressing/prefix-set';
import { parseBlock } from '../../../operator/addressing/range';
import { valueOf } from '../../../operator/errors/ipam-error';

const block = (text: string): Block => valueOf(parseBlock(text));

function setOf(...texts: readonly string[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const text of texts) builder.add(block(text));
  return builder.build();
}

describe('PrefixSetBuilder', () => {
  test('lets a later call win over an earlier one', () => {
    const builder = new PrefixSetBuilder().add(prefixOf('10.0.0.0/29')).subtract(prefixOf('10.0.0.0/30'));

    expect(builder.add(addressOf('10.0.0.1')).build().toString()).toBe('10.0.0.1, 10.0.0.4-10.0.0.7');
  });

  test('may be used again without changing what it built before', () => {
    const builder = new PrefixSetBuilder().add(prefixOf('10.0.0.0/30'));
    const before = builder.build();
    const after = builder.subtract(addressOf('10.0.0.0')).build();

    expect(before.toString()).toBe('10.0.0.0-10.0.0.3');
    expect(after.toString()).toBe('10.0.0.1-10.0.0.3');
  });

  test('takes whole sets', () => {
    const built = new PrefixSetBuilder().add(setOf('10.0.0.0/30', '::/126')).subtract(setOf('::1-::2')).build();

    expect(built.toString()).toBe('10.0.0.0-10.0.0.3, ::, ::3');
  });

  test('builds the one empty set from nothing', () => {
    expect(new PrefixSetBuilder().build()).toBe(PrefixSet.EMPTY);
    expect(new PrefixSetBuilder().add(addressOf('::1')).subtract(prefixOf('::/0')).build()).toBe(PrefixSet.EMPTY);
  });

  test('ignores what lies outside when it subtracts', () => {
    expect(new PrefixSetBuilder().add(prefixOf('10.0.0.0/30')).subtract(block('10.0.0.2-10.9.0.0')).build()).toEqual(
      setOf('10.0.0.0-10.0.0.1'),
    );
  });
});

describe('PrefixSet', () => {
  test('ADDR-08 merges an overlapping list to exactly 21 addresses', () => {
    const set = setOf('192.0.2.0/28', '192.0.2.8-192.0.2.20');

    expect(set.count()).toBe(21n);
    expect(set.ranges().map(String)).toEqual(['192.0.2.0-192.0.2.20']);
    expect(set.prefixes().map(String)).toEqual(['192.0.2.0/28', '192.0.2.16/30', '192.0.2.20/32']);
  });

  test.each([
    [['10.0.0.0-10.0.0.4', '10.0.0.5-10.0.0.9'], '10.0.0.0-10.0.0.9'],
    [['10.0.0.5-10.0.0.9', '10.0.0.0-10.0.0.3'], '10.0.0.0-10.0.0.3, 10.0.0.5-10.0.0.9'],
    [['10.0.0.0-10.0.0.9', '10.0.0.2-10.0.0.3'], '10.0.0.0-10.0.0.9'],
    [['255.255.255.255', '::'], '255.255.255.255, ::'],
    [['::/1', '8000::/1'], '::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('merges %j to %s', (texts, expected) => {
    expect(setOf(...texts).toString()).toBe(expected);
  });

  test('keeps the families apart and in order', () => {
    const set = setOf('2001:db8::/126', '10.0.0.0/30', '::1');

    expect(set.ranges(4).map(String)).toEqual(['10.0.0.0-10.0.0.3']);
    expect(set.ranges(6).map(String)).toEqual(['::1', '2001:db8::-2001:db8::3']);
    expect([set.count(4), set.count(6), set.count()]).toEqual([4n, 5n, 9n]);
    expect(set.prefixes(6).map(String)).toEqual(['::1/128', '2001:db8::/126']);
  });

  test.each([
    ['10.0.0.3', false],
    ['10.0.0.4', true],
    ['10.0.0.7', true],
    ['10.0.0.8', false],
    ['10.0.0.15', false],
    ['10.0.0.16', true],
    ['0.0.0.0', false],
    ['255.255.255.255', false],
    ['::a00:4', false],
    ['2001:db8::8000:0:0:0', true],
    ['2001:db8:0:1::', false],
  ])('contains %s: %s', (text, expected) => {
    const set = setOf('10.0.0.4/30', '10.0.0.16/30', '2001:db8::/64');

    expect(set.contains(addressOf(text))).toBe(expected);
  });

  test.each([
    ['10.0.0.0/30', true],
    ['10.0.0.4/31', true],
    ['10.0.0.4/30', false],
    ['10.0.0.0/29', false],
    ['10.0.0.8/32', false],
    ['::/128', false],
  ])('contains all of %s: %s', (text, expected) => {
    expect(setOf('10.0.0.0-10.0.0.5').containsPrefix(prefixOf(text))).toBe(expected);
  });

  test.each([
    ['10.0.0.10-10.0.0.20', '10.0.0.12-10.0.0.13', '10.0.0.10-10.0.0.11, 10.0.0.14-10.0.0.20'],
    ['10.0.0.10-10.0.0.20', '10.0.0.1-10.0.0.12', '10.0.0.13-10.0.0.20'],
    ['10.0.0.10-10.0.0.20', '10.0.0.18-10.0.0.30', '10.0.0.10-10.0.0.17'],
    ['10.0.0.10-10.0.0.20', '10.0.0.0/24', ''],
    ['10.0.0.10-10.0.0.20', '10.0.0.21-10.0.0.30', '10.0.0.10-10.0.0.20'],
    ['0.0.0.0/0', '0.0.0.0', '0.0.0.1-255.255.255.255'],
    ['0.0.0.0/0', '255.255.255.255', '0.0.0.0-255.255.255.254'],
  ])('%s without %s is "%s"', (have, hole, expected) => {
    expect(setOf(have).subtract(setOf(hole)).toString()).toBe(expected);
  });

  test('subtracts one hole that reaches over several ranges', () => {
    const have = setOf('10.0.0.0-10.0.0.5', '10.0.0.8-10.0.0.9', '10.0.0.12-10.0.0.20');

    expect(have.subtract(setOf('10.0.0.4-10.0.0.14')).toString()).toBe('10.0.0.0-10.0.0.3, 10.0.0.15-10.0.0.20');
  });

  test('keeps what two sets share', () => {
    const one = setOf('10.0.0.0-10.0.0.5', '10.0.0.8-10.0.0.20', '::/126');
    const other = setOf('10.0.0.4-10.0.0.9', '10.0.0.12', '10.0.0.14-10.0.0.30', '::2/127');

    expect(one.intersect(other).toString()).toBe(
      '10.0.0.4-10.0.0.5, 10.0.0.8-10.0.0.9, 10.0.0.12, 10.0.0.14-10.0.0.20, ::2-::3',
    );
    expect(one.overlaps(other)).toBe(true);
    expect(one.overlaps(setOf('10.0.0.6-10.0.0.7', '::4/126'))).toBe(false);
  });

  test('is frozen, with everything that it gives out', () => {
    const set = setOf('10.0.0.0/30');

    expect(Object.isFrozen(set)).toBe(true);
    expect(Object.isFrozen(set.ranges())).toBe(true);
  });

  test('equals a set that was built another way', () => {
    const one = setOf('10.0.0.0/31', '10.0.0.2/31');

    expect(one.equals(setOf('10.0.0.0/30'))).toBe(true);
    expect(one.equals(setOf('10.0.0.0/29'))).toBe(false);
    expect(one.equals(setOf('10.0.0.0/30', '::1'))).toBe(false);
  });

  test('ADDR-09 takes the lower half of a /64 out without walking it', () => {
    const rest = setOf('2001:db8::/64').subtract(setOf('2001:db8::/65'));

    expect(String(rest.ranges()[0]?.first)).toBe('2001:db8:0:0:8000::');
    expect(rest.contains(addressOf('2001:db8::8000:0:0:1'))).toBe(true);
    expect(rest.count()).toBe(1n << 63n);
    expect(rest.prefixes().map(String)).toEqual(['2001:db8:0:0:8000::/65']);
  });

  test('ADDR-09 counts all of IPv6 without one address exactly', () => {
    const rest = setOf('::/0').subtract(setOf('2001:db8::1'));

    expect(rest.count()).toBe((1n << 128n) - 1n);
    expect(rest.prefixes()).toHaveLength(128);
  });

  test('ADDR-09 joins and cuts ten thousand blocks in well under a second', () => {
    const started = process.cpuUsage();
    const blocks = new PrefixSetBuilder();
    for (let i = 0; i < 10_000; i++) blocks.add(prefixOf(`2001:db8:${i.toString(16)}::/64`));
    const set = blocks.build();
    const rest = setOf('2001:db8::/32').subtract(set);
    const { user } = process.cpuUsage(started);

    expect(rest.ranges()).toHaveLength(10_000);
    expect(rest.union(set).toString()).toBe(setOf('2001:db8::/32').toString());
    expect(user / 1000).toBeLessThan(1000);
  });
});
