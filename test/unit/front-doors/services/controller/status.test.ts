import { addressOf } from '../../../../../operator/addressing/address';
import { sayingOf, saysTheSame, type Situation } from '../../../../../operator/front-doors/services/controller/status';
import type { Refusal } from '../../../../../operator/errors/outcome';

const address = addressOf('10.0.0.5');
const served = {
  state: 'served',
  zone: 'lan',
  addresses: [address],
  notes: [],
  against: [],
  foreign: [],
  announcement: 'shown',
} as const;
const hidden = { reason: 'NotAnnounced', addresses: [address], texts: ['there is no MetalLB pool "lan"'] } as const;
const BOUND = '"10.0.0.5" of zone "lan" is bound to this Service';
const refusal: Refusal = { code: 'address/held', message: 'address "10.0.0.9" is held by "b/db"' };

describe('sayingOf', () => {
  test.each<[string, Situation, [string, string, string]]>([
    ['its address', served, ['True', 'Bound', '"10.0.0.5" of zone "lan" is bound to this Service']],
    [
      'its two addresses',
      { ...served, addresses: [addressOf('2001:db8::5'), address] },
      ['True', 'Bound', '"2001:db8::5" and "10.0.0.5" of zone "lan" are bound to this Service'],
    ],
    [
      'an address of somebody else beside its own',
      { ...served, foreign: [addressOf('198.51.100.9')] },
      ['True', 'ForeignAddress', 'status.loadBalancer shows "198.51.100.9", which this operator did not give'],
    ],
    [
      'FU-14 an address of somebody else in place of its own',
      { ...served, foreign: [addressOf('198.51.100.9')], announcement: hidden },
      ['Unknown', 'ForeignAddress', `${BOUND}; status.loadBalancer shows "198.51.100.9", which this operator did not`],
    ],
    [
      'FU-14 an address that does not show, and why',
      { ...served, announcement: hidden },
      [
        'Unknown',
        'NotAnnounced',
        `${BOUND}; status.loadBalancer does not show "10.0.0.5" yet: there is no MetalLB pool`,
      ],
    ],
    [
      'FU-14 an address that is about to show',
      { ...served, announcement: { ...hidden, reason: 'Announcing', texts: [] } },
      ['Unknown', 'Announcing', `${BOUND}; status.loadBalancer does not show "10.0.0.5" yet`],
    ],
    [
      'FU-14 an address that does not show, and that it would not get today',
      { ...served, announcement: hidden, against: [{ code: 'zone/forbidden', message: 'the zone is closed' }] },
      ['Unknown', 'NotAnnounced', 'there is no MetalLB pool "lan"; kept although the zone is closed'],
    ],
    [
      'a wish that could not be followed',
      { ...served, notes: [{ code: 'secret/shared', message: 'the secret cannot change' }] },
      ['False', 'SecretShared', 'the secret cannot change; "10.0.0.5" of zone "lan" is bound to this Service'],
    ],
    [
      'an address that it would not get today',
      { ...served, against: [{ code: 'zone/forbidden', message: 'zone "lan" is not open to namespace "a"' }] },
      ['True', 'ZoneForbidden', 'is bound to this Service; kept although zone "lan" is not open to namespace "a"'],
    ],
    [
      'who stands in the way, and what it keeps',
      { state: 'waiting', refusals: [refusal], held: [address], announced: [address] },
      ['False', 'AddressHeld', '"b/db"; until then the Service keeps "10.0.0.5"'],
    ],
    [
      'what is announced without a record',
      { state: 'waiting', refusals: [refusal], held: [], announced: [address] },
      ['False', 'AddressHeld', 'status.loadBalancer shows "10.0.0.5", which is not on record for this Service'],
    ],
  ])('tells of %s', (_what, situation, [status, reason, part]) => {
    const saying = sayingOf(situation);
    expect([saying.status, saying.reason]).toEqual([status, reason]);
    expect(saying.message).toContain(part);
  });

  test('keeps a message short', () => {
    const long = { ...refusal, message: 'x'.repeat(5_000) };
    const { message } = sayingOf({ state: 'waiting', refusals: [long], held: [], announced: [] });
    expect(message).toHaveLength(1_024);
  });
});

describe('saysTheSame', () => {
  const saying = (message: string) => ({ status: 'False', reason: 'PoolExhausted', message }) as const;

  test('takes moments and counts for no news', () => {
    const at = (time: string, count: number) =>
      saying(`zone "z" has no free IPv4 address; ${count} quarantined, the first of them becomes free at ${time}`);
    expect(saysTheSame(at('2026-01-01T00:00:00.000Z', 1), at('2026-01-01T00:05:00.000Z', 2))).toBe(true);
    expect(saysTheSame(saying('held by "a/b"'), saying('held by "a/c"'))).toBe(false);
    expect(saysTheSame(saying(''), undefined)).toBe(false);
  });
});
