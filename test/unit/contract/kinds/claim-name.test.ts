import fc from 'fast-check';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { claimName, MAX_NETWORK_LENGTH, parseClaimName } from '../../../../operator/contract/kinds/claim-name';

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
});

describe('parseClaimName', () => {
  test('reads back whatever claimName writes, for every network and prefix of both families', () => {
    fc.assert(
      fc.property(network, fc.oneof(prefix4, prefix6), (of, prefix) => {
        const parsed = parseClaimName(claimName({ network: of, prefix }));
        expect(parsed.ok && [parsed.value.network, parsed.value.prefix.toString()]).toEqual([of, prefix.toString()]);
      }),
    );
  });

  test('takes no text that claimName would write differently', () => {
    const texts = fc.oneof(
      fc.tuple(network, fc.stringMatching(/^[0-9a-f.]{1,45}(-\d{1,3})?$/)).map(([of, tail]) => `${of}.${tail}`),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseClaimName(text);
        expect(parsed.ok ? claimName(parsed.value) : text).toBe(text);
      }),
    );
  });

  test.each([
    ['a length of one address', 'default.10.0.0.5-32', 'default.10.0.0.5'],
    [
      'a length of one IPv6 address',
      'n.0000.0000.0000.0000.0000.0000.0000.0001-128',
      'n.0000.0000.0000.0000.0000.0000.0000.0001',
    ],
    ['a length with a leading zero', 'n.2001.0db8.0000.0000.0000.0000.0000.0000-064', undefined],
    ['host bits', 'default.10.0.0.5-24', undefined],
    ['a part with a leading zero', 'default.10.0.0.05', undefined],
    ['a part above 255', 'default.10.0.0.256', undefined],
    ['a length above 32', 'default.10.0.0.0-33', undefined],
    ['a length above 128', 'n.0000.0000.0000.0000.0000.0000.0000.0000-129', undefined],
    ['a group of three digits', 'n.2001.db8.0000.0000.0000.0000.0000.0001', undefined],
    ['seven groups', 'n.0db8.0000.0000.0000.0000.0000.0001', undefined],
    ['capital letters', 'n.2001.0DB8.0000.0000.0000.0000.0000.0001', undefined],
    ['no network', '10.0.0.5', undefined],
    ['an empty network', '.10.0.0.5', undefined],
    ['a network that is no DNS name', 'a_b.10.0.0.5', undefined],
    ['a network that is too long', `${'n'.repeat(MAX_NETWORK_LENGTH + 1)}.10.0.0.5`, undefined],
    ['colons', 'default.2001:db8::1', undefined],
    ['nothing', '', undefined],
  ])('refuses %s', (_, name, suggestion) => {
    const parsed = parseClaimName(name);
    expect(parsed).toMatchObject({
      ok: false,
      refusal: { code: 'claim/invalid', field: 'metadata.name', value: name },
    });
    expect(!parsed.ok && parsed.refusal.message).toContain(`"${name}"`);
    expect(!parsed.ok && parsed.refusal.suggestion).toBe(suggestion);
  });
});
