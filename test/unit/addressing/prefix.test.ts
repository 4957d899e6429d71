import { addressOf } from '../../../operator/addressing/address';
import {
  hostPrefix,
  parseAddressWithMask,
  parseHostPrefix,
  parsePrefix,
  Prefix,
  prefixOf,
} from '../../../operator/addressing/prefix';
import type { Outcome, Refusal } from '../../../operator/errors/outcome';

function refusalOf(outcome: Outcome<unknown>): Refusal {
  if (outcome.ok) throw new TypeError('the text was accepted');
  return outcome.refusal;
}

describe('parsePrefix', () => {
  test('FU-76 offers no IPv4-mapped block, which is refused everywhere, but the IPv4 block', () => {
    const refusal = refusalOf(parsePrefix('::ffff:10.1.0.1/104'));

    expect(refusal).toMatchObject({ code: 'prefix/host-bits-set', suggestion: '10.0.0.0/8' });
    expect(refusal.message).not.toContain('::ffff:10.0.0.0');
  });

  test('ADDR-05 refuses 192.168.100.200/28 and offers the block and the range form', () => {
    const refusal = refusalOf(parsePrefix('192.168.100.200/28'));

    expect(refusal.code).toBe('prefix/host-bits-set');
    expect(refusal.suggestion).toBe('192.168.100.192/28');
    expect(refusal.message).toContain('"192.168.100.192/28" for the block 192.168.100.192 to 192.168.100.207');
    expect(refusal.message).toContain('"192.168.100.200-192.168.100.215" where a range is allowed');
  });

  test('ADDR-05 refuses 2001:db8::1/64 and offers 2001:db8::/64', () => {
    const refusal = refusalOf(parsePrefix('2001:db8::1/64'));

    expect(refusal.code).toBe('prefix/host-bits-set');
    expect(refusal.suggestion).toBe('2001:db8::/64');
  });

  test('ADDR-05 takes another spelling of the network address, which is not host bits', () => {
    expect(prefixOf('2001:0DB8:0:0::/64').toString()).toBe('2001:db8::/64');
  });

  test('ends the range form at the end of the family', () => {
    expect(refusalOf(parsePrefix('255.255.255.250/28')).message).toContain('"255.255.255.250-255.255.255.255"');
  });

  test.each([
    ['10.0.0.0/08', 'the length "08" has a leading zero'],
    ['0.0.0.0/00', 'the length "00" has a leading zero'],
    ['10.0.0.0/+8', 'the length "+8" is not a decimal number'],
    ['10.0.0.0/-8', 'the length "-8" is not a decimal number'],
    ['10.0.0.0/８', 'the length "８" is not a decimal number'],
    ['10.0.0.0/ 8', 'the length " 8" is not a decimal number'],
    ['10.0.0.0/33', 'length "33" is outside 0 to 32 for IPv4'],
    ['2001:db8::/129', 'length "129" is outside 0 to 128 for IPv6'],
    ['10.0.0.0/', 'the length after the slash is missing'],
    ['10.0.0.0', 'the length is missing'],
    ['10.0.0.0/8/8', 'it has more than one slash'],
    ['10.0.0.0/255.0.0.0', 'the mask "255.0.0.0" must be written as a length in bits'],
    ['10.0/8', 'IPv4 has four decimal parts, not 2'],
    ['010.0.0.0/8', 'has a leading zero'],
    ['fe80::%eth0/64', 'zone ids are not allowed'],
    ['/8', 'it is empty'],
    ['[2001:db8::]/64', 'brackets and quotes are not allowed'],
  ])('refuses %s and says why', (text, why) => {
    const refusal = refusalOf(parsePrefix(text));

    expect(refusal.code).toBe('prefix/malformed');
    expect(refusal.value).toBe(text);
    expect(refusal.message).toContain(why);
  });

  test.each(['0.0.0.0/0', '::/0', '10.0.0.0/8', '255.255.255.255/32', '::1/128', '128.0.0.0/1', '::ffff:10.0.0.0/104'])(
    'takes %s as it stands',
    (text) => {
      expect(prefixOf(text).toString()).toBe(text);
    },
  );
});

describe('parseAddressWithMask', () => {
  test('ADDR-05 reads 10.0.0.5/24 as host 10.0.0.5 of network 10.0.0.0/24', () => {
    const outcome = parseAddressWithMask('10.0.0.5/24');

    expect(outcome).toEqual({ ok: true, value: { address: addressOf('10.0.0.5'), network: prefixOf('10.0.0.0/24') } });
  });

  test('refuses an address without a length', () => {
    expect(refusalOf(parseAddressWithMask('10.0.0.5')).code).toBe('prefix/malformed');
  });
});

describe('parseHostPrefix', () => {
  test.each([
    ['10.0.0.5', '10.0.0.5'],
    ['10.0.0.5/32', '10.0.0.5'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:db8::1/128', '2001:db8::1'],
  ])('reads %s as %s', (text, expected) => {
    expect(parseHostPrefix(text)).toEqual({ ok: true, value: addressOf(expected) });
  });

  test.each(['10.0.0.5/24', '10.0.0.0/24', '10.0.0.5/0', '2001:db8::1/32', '2001:db8::1/127'])('refuses %s', (text) => {
    const refusal = refusalOf(parseHostPrefix(text));

    expect(refusal.code).toBe('prefix/not-a-host');
    expect(refusal.suggestion).toBe(text.split('/')[0]);
  });

  test('refuses a length of the other family', () => {
    expect(refusalOf(parseHostPrefix('10.0.0.5/128')).code).toBe('prefix/malformed');
  });
});

describe('Prefix', () => {
  test.each([
    ['0.0.0.0/0', '0.0.0.0', '255.255.255.255', 1n << 32n],
    ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', 1n << 24n],
    ['10.0.12.0/31', '10.0.12.0', '10.0.12.1', 2n],
    ['10.0.12.0/32', '10.0.12.0', '10.0.12.0', 1n],
    ['::/0', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 1n << 128n],
    ['2001:db8::/31', '2001:db8::', '2001:db9:ffff:ffff:ffff:ffff:ffff:ffff', 1n << 97n],
    ['2001:db8::/33', '2001:db8::', '2001:db8:7fff:ffff:ffff:ffff:ffff:ffff', 1n << 95n],
    ['2001:db8::/64', '2001:db8::', '2001:db8::ffff:ffff:ffff:ffff', 1n << 64n],
    ['2001:db8::/128', '2001:db8::', '2001:db8::', 1n],
  ])('%s reaches from %s to %s', (text, ...expected) => {
    const prefix = prefixOf(text);

    expect([prefix.first.toString(), prefix.last.toString(), prefix.hostCount]).toEqual(expected);
  });

  test('is the block that its address lies in', () => {
    expect(new Prefix(addressOf('10.0.0.77'), 26).toString()).toBe('10.0.0.64/26');
    expect(hostPrefix(addressOf('2001:db8::1')).toString()).toBe('2001:db8::1/128');
  });

  test.each([-1, 33, 1.5, Number.NaN])('throws for length %s of IPv4', (length) => {
    expect(() => new Prefix(addressOf('10.0.0.0'), length)).toThrow(
      expect.objectContaining({ code: 'addressing/out-of-range' }) as Error,
    );
  });

  test('contains addresses of its own family only', () => {
    const all4 = prefixOf('0.0.0.0/0');

    expect(all4.contains(addressOf('255.255.255.255'))).toBe(true);
    expect(all4.contains(addressOf('::1'))).toBe(false);
    expect(prefixOf('::/0').contains(addressOf('0.0.0.1'))).toBe(false);
  });

  test.each([
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.1.0.0/16', '10.0.0.0/8', false],
    ['10.0.0.0/16', '10.0.0.0/8', false],
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.0/9', '10.128.0.0/9', false],
    ['0.0.0.0/0', '::/0', false],
  ])('%s contains all of %s: %s', (outer, inner, expected) => {
    expect(prefixOf(outer).containsPrefix(prefixOf(inner))).toBe(expected);
  });

  test.each([
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.1.0.0/16', '10.0.0.0/8', true],
    ['10.0.0.0/9', '10.128.0.0/9', false],
    ['0.0.0.0/0', '::/0', false],
  ])('%s overlaps %s: %s', (one, other, expected) => {
    expect(prefixOf(one).overlaps(prefixOf(other))).toBe(expected);
  });

  test('sorts by network address, the larger block first', () => {
    const texts = ['::/0', '10.0.0.0/16', '10.0.0.0/8', '9.0.0.0/8'];

    expect(
      texts
        .map(prefixOf)
        .sort((a, b) => a.compareTo(b))
        .map(String),
    ).toEqual(['9.0.0.0/8', '10.0.0.0/8', '10.0.0.0/16', '::/0']);
  });

  test('writes its canonical text into JSON', () => {
    expect(JSON.stringify([prefixOf('2001:DB8::/32')])).toBe('["2001:db8::/32"]');
  });
});
