import fc from 'fast-check';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { claimName, MAX_NETWORK_LENGTH } from '../../../../operator/contract/kinds/claim-name';

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/);
const network = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
const prefix4 = fc
  .tuple(fc.integer({ min: 0, max: 32 }), fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }))
  .map(([length, bits]) => {
    const first = length === 0 ? 0n : (bits >> BigInt(32 - length)) << BigInt(32 - length);
    const parts = [24n, 16n, 8n, 0n].map((shift) => String((first >> shift) & 255n));
    return prefixOf(`${parts.join('.')}/${String(length)}`);
  });
const prefix6 = fc
  .tuple(fc.integer({ min: 0, max: 128 }), fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }))
  .map(([length, bits]) => {
    const digits = (length === 0 ? 0n : (bits >> BigInt(128 - length)) << BigInt(128 - length))
      .toString(16)
      .padStart(32, '0');
    return prefixOf(`${(digits.match(/.{4}/g) ?? []).join(':')}/${String(length)}`);
  });

describe('claimName', () => {
  test.each([
    ['10.0.0.5/32', 'default.10.0.0.5'],
    ['10.0.0.0/24', 'default.10.0.0.0-24'],
    ['0.0.0.0/0', 'default.0.0.0.0-0'],
    ['2001:db8::1/128', 'default.2001.0db8.0000.0000.0000.0000.0000.0001'],
    ['2001:db8::/64', 'default.2001.0db8.0000.0000.0000.0000.0000.0000-64'],
    ['::/0', 'default.0000.0000.0000.0000.0000.0000.0000.0000-0'],
  ])('names %s %s', (text, name) => {
    expect(claimName({ network: 'default', prefix: prefixOf(text) })).toBe(name);
  });

  test('fits into the name of an object with the longest network and prefix', () => {
    const name = claimName({ network: 'n'.repeat(MAX_NETWORK_LENGTH), prefix: prefixOf('2001:db8::/127') });
    expect(name).toHaveLength(253);
  });

  test('says which network and prefix it is of, so that no two of them have one name', () => {
    fc.assert(
      fc.property(network, fc.oneof(prefix4, prefix6), (of, prefix) => {
        expect(readBack(claimName({ network: of, prefix }))).toEqual([of, prefix.toString()]);
      }),
    );
  });
});

/** The inverse, written naively: the form of the last labels tells the family. */
function readBack(name: string): readonly [network: string, prefix: string] {
  const six = /^(.+)[.]([\da-f]{4}(?:[.][\da-f]{4}){7})(?:-(\d+))?$/u.exec(name);
  const [, of = '', tail = '', length] = six ?? /^(.+)[.](\d+(?:[.]\d+){3})(?:-(\d+))?$/u.exec(name) ?? [];
  const address = six === null ? tail : tail.replaceAll('.', ':');
  return [of, prefixOf(`${address}/${length ?? (six === null ? '32' : '128')}`).toString()];
}
