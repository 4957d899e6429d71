import fc from 'fast-check';
import { isIP } from 'node:net';
import { addressFromBigInt, addressOf, parseAddress } from '../../../operator/addressing/address';
import { parseHostPrefix, parsePrefix, prefixOf } from '../../../operator/addressing/prefix';
import { addresses, addressesOf, pairs, prefixes, spellings } from '../../support/arbitraries';

const property = <T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void => {
  fc.assert(fc.property(arbitrary, law), { numRuns: 1000 });
};

const sign = (value: number): number => Math.sign(value);

describe('laws of Address', () => {
  test('reading what was written gives the same value', () => {
    property(addresses, (address) => {
      expect(addressOf(address.toString())).toEqual(address);
    });
  });

  test('written text is canonical: reading and writing it again changes nothing', () => {
    property(spellings, ({ text }) => {
      const canonical = addressOf(text).toString();

      expect(addressOf(canonical).toString()).toBe(canonical);
    });
  });

  test('ADDR-01 every spelling reads as the same value', () => {
    property(spellings, ({ address, text }) => {
      expect(addressOf(text)).toEqual(address);
    });
  });

  test('canonical IPv6 text is lower case, has no leading zeros and no longer run of zeros than "::"', () => {
    property(addressesOf(6), (address) => {
      const text = address.toString();

      expect(text).not.toMatch(/[A-Z]|(?:^|:)0[0-9a-f]/u);
      const [, right] = text.split('::');
      expect(right === undefined && /(?:^|:)0:0(?::|$)/u.test(text)).toBe(false);
    });
  });

  test("Node's own check takes every canonical text in its family", () => {
    property(addresses, (address) => {
      expect(isIP(address.toString())).toBe(address.family);
    });
  });

  test('number and back gives the same value', () => {
    property(addresses, (address) => {
      expect(addressFromBigInt(address.family, address.toBigInt())).toEqual(address);
    });
  });

  test('order within a family is the order of the numbers, and reverses with the sides', () => {
    property(pairs, ([a, b]) => {
      const difference = a.toBigInt() - b.toBigInt();

      expect(sign(a.compareTo(b))).toBe(difference === 0n ? 0 : difference > 0n ? 1 : -1);
      expect(sign(b.compareTo(a)) + sign(a.compareTo(b))).toBe(0);
    });
  });

  test('order is total over both families: transitive, and 0 for equal values only', () => {
    property(fc.tuple(addresses, addresses, addresses), (three) => {
      const [low, middle, high] = [...three].sort((a, b) => a.compareTo(b));

      expect(low!.compareTo(high!)).toBeLessThanOrEqual(0);
      expect(low!.compareTo(middle!) === 0).toBe(low!.toString() === middle!.toString());
    });
  });

  test('next adds one to the number, and previous undoes it', () => {
    property(addresses, (address) => {
      const next = address.next();

      expect(next?.previous() ?? address).toEqual(address);
      expect((next?.toBigInt() ?? address.toBigInt() + 1n) - address.toBigInt()).toBe(1n);
    });
  });

  test('any text at all is either read or refused, never thrown at', () => {
    property(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: fc.constantFrom('0', '1', 'f', ':', '.', '/', '%', '-', ' ') }),
      ),
      (text) => {
        const outcome = parseAddress(text);

        expect(outcome.ok ? isIP(text) : outcome.refusal.code).toBe(
          outcome.ok ? outcome.value.family : 'address/malformed',
        );
      },
    );
  });
});

describe('laws of Prefix', () => {
  test('reading what was written gives the same value', () => {
    property(prefixes, (prefix) => {
      expect(prefixOf(prefix.toString())).toEqual(prefix);
    });
  });

  test('the first and last address lie in it, their neighbours do not, and the count is exact', () => {
    property(prefixes, (prefix) => {
      const { first, last } = prefix;

      expect([first, last].map((end) => prefix.contains(end))).toEqual([true, true]);
      expect([first.previous(), last.next()].some((end) => end !== undefined && prefix.contains(end))).toBe(false);
      expect(last.toBigInt() - first.toBigInt() + 1n).toBe(prefix.hostCount);
    });
  });

  test('ADDR-05 host bits are refused with a suggestion that is accepted and contains the written address', () => {
    property(fc.tuple(addresses, fc.nat({ max: 32 })), ([address, length]) => {
      const text = `${address.toString()}/${length}`;
      const outcome = parsePrefix(text);
      const network = prefixOf(outcome.ok ? text : (outcome.refusal.suggestion ?? ''));

      expect(outcome.ok ? 'accepted' : outcome.refusal.code).toBe(
        network.first.equals(address) ? 'accepted' : 'prefix/host-bits-set',
      );
      expect([network.length, network.contains(address)]).toEqual([length, true]);
    });
  });

  test('two prefixes overlap only when one contains the other', () => {
    property(fc.tuple(prefixes, prefixes), ([a, b]) => {
      expect(a.overlaps(b)).toBe(a.containsPrefix(b) || b.containsPrefix(a));
      expect(a.overlaps(b)).toBe(b.overlaps(a));
    });
  });

  test('a host prefix reads as its address', () => {
    property(addresses, (address) => {
      expect(parseHostPrefix(`${address.toString()}/${address.family === 4 ? 32 : 128}`)).toEqual({
        ok: true,
        value: address,
      });
    });
  });
});
