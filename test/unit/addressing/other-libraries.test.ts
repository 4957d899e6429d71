import fc from 'fast-check';
import { Address4, Address6 } from 'ip-address';
import ipaddr from 'ipaddr.js';
import { addressOf, type Address } from '../../../operator/addressing/address';
import { prefixOf } from '../../../operator/addressing/prefix';
import { readCorpus } from '../../support/address-corpus';
import { addressesOf, prefixes, spellings } from '../../support/arbitraries';

const property = <T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void => {
  fc.assert(fc.property(arbitrary, law), { numRuns: 1000 });
};

function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** Both libraries write IPv4-mapped addresses in hexadecimal, unlike RFC 5952 section 5 and net/netip. */
const isMapped = (address: Address): boolean => address.w0 === 0 && address.w1 === 0 && address.w2 === 0xffff;

describe('ipaddr.js', () => {
  test('reads every valid address of the corpus as the same number', () => {
    const valid = readCorpus().filter((row) => row.verdict === 'address');
    // it turns `::10.0.0.1` into an IPv4-mapped address, a known fault
    const compared = valid.filter(({ input }) => !/:[0-9.]+\.[0-9.]+$/u.test(input));
    const different = compared.filter(
      ({ input }) => numberOf(ipaddr.parse(input).toByteArray()) !== addressOf(input).toBigInt(),
    );

    expect(compared.length).toBeGreaterThan(3_000);
    expect(different).toEqual([]);
  });

  test('writes the same text for every IPv4 address', () => {
    property(addressesOf(4), (address) => {
      expect(ipaddr.parse(address.toString()).toString()).toBe(address.toString());
    });
  });

  test('writes the same text for every IPv6 address that is not IPv4-mapped', () => {
    property(addressesOf(6), (address) => {
      fc.pre(!isMapped(address));

      expect(ipaddr.IPv6.parse(address.toString()).toRFC5952String()).toBe(address.toString());
    });
  });

  test('finds the same network address', () => {
    property(prefixes, (prefix) => {
      const theirs = prefix.family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
      const network = theirs.networkAddressFromCIDR(prefix.toString());

      expect(numberOf(network.toByteArray())).toBe(prefix.first.toBigInt());
    });
  });
});

describe('ip-address', () => {
  test('reads every spelling as the same number', () => {
    property(spellings, ({ address, text }) => {
      expect(new Address6(text).bigInt()).toBe(address.toBigInt());
      expect(addressOf(text).toBigInt()).toBe(address.toBigInt());
    });
  });

  test('writes the same text for every IPv6 address that is not IPv4-mapped', () => {
    property(addressesOf(6), (address) => {
      fc.pre(!isMapped(address));

      expect(new Address6(address.toString()).correctForm()).toBe(address.toString());
    });
  });

  test('finds the same ends of a prefix', () => {
    property(prefixes, (prefix) => {
      const text = prefix.toString();
      const theirs = prefix.family === 4 ? new Address4(text) : new Address6(text);

      expect(theirs.startAddress().bigInt()).toBe(prefixOf(text).first.toBigInt());
      expect(theirs.endAddress().bigInt()).toBe(prefixOf(text).last.toBigInt());
    });
  });
});
