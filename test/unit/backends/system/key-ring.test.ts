import { createHmac } from 'node:crypto';
import { requireSameKey } from '../../../../operator/backends/system/hash-key';
import { parseKeyRing, ringHasher, type RingKey } from '../../../../operator/backends/system/key-ring';
import type { KeyPlace } from '../../../../operator/ports/key-place';
import type { SecretHasher } from '../../../../operator/ports/secret-hasher';
import { ask, CUSTOM, granted, LedgerWorld, refusal } from '../../../support/ledger-world';

const [ONE, TWO, THREE] = [1, 2, 3].map((n) => Buffer.alloc(32, n).toString('base64')) as [string, string, string];

function ringOf(text: string): readonly RingKey[] {
  const ring = parseKeyRing(text);
  if (ring === undefined) throw new TypeError('no ring');
  return ring;
}

const hasherOf = (text: string, recoverable = false): SecretHasher => ringHasher(ringOf(text), { recoverable });

function placeOf(text: string): KeyPlace {
  return { name: 'test place', read: () => Promise.resolve(text), create: () => Promise.resolve() };
}

describe('parseKeyRing', () => {
  const ids = (text: string) => parseKeyRing(text)?.map(({ id }) => id);

  test('reads a line for each key, and hashes with the newest that is not only to verify', () => {
    expect(ids(`${ONE}\n`)).toEqual(['k1']);
    expect(ids(`k1 ${ONE}\nk10 ${TWO}\nk9 ${THREE}\n`)).toEqual(['k10', 'k9', 'k1']);
    expect(ids(`${ONE}\nk2 ${TWO} verify\n`)).toEqual(['k1', 'k2']);
  });

  test.each([
    ['nothing', ''],
    ['a short key', 'k1 AAAA'],
    ['text behind base64', `k1 ${ONE}!`],
    ['an unknown word', `k1 ${ONE} verifies`],
    ['a strange id', `key ${ONE}`],
    ['one id twice', `k1 ${ONE}\n${TWO}`],
    ['no key that hashes', `k1 ${ONE} verify`],
    ['one bad line among good ones', `k1 ${ONE}\nk2 nonsense`],
  ])('refuses %s', (_what, text) => {
    expect(parseKeyRing(text)).toBeUndefined();
  });
});

describe('ringHasher', () => {
  test('hashes with the first key and compares under every one', () => {
    const hasher = hasherOf(`k1 ${ONE}\nk2 ${TWO}`);
    const digest = (id: string, key: string) =>
      `${id}:${createHmac('sha256', Buffer.from(key, 'base64')).update('a-secret').digest('hex')}`;
    expect(hasher.hash('a-secret')).toBe(digest('k2', TWO));
    expect(hasher.hashes?.('a-secret')).toEqual([digest('k2', TWO), digest('k1', ONE)]);
  });

  test('keeps no secret recoverable unless it is asked for', () => {
    expect(hasherOf(ONE).seal).toBeUndefined();
    expect(hasherOf(ONE).unseal).toBeUndefined();
  });

  test('seals anew each time, and opens with the key of the text alone', () => {
    const hasher = hasherOf(`k1 ${ONE}\nk2 ${TWO}`, true);
    const [first, second] = [hasher.seal!('a-secret'), hasher.seal!('a-secret')];
    expect(first).toMatch(/^k2:/);
    expect(first).not.toBe(second);
    expect([first, second].map((text) => hasher.unseal!(text))).toEqual(['a-secret', 'a-secret']);
    expect(hasherOf(ONE, true).unseal!(first)).toBeUndefined();
    expect(hasherOf(`k2 ${THREE}`, true).unseal!(first)).toBeUndefined();
  });

  test('opens nothing that was changed, shortened or given another key id', () => {
    const hasher = hasherOf(`k1 ${ONE}\nk2 ${ONE}`, true);
    const sealed = hasher.seal!('a-secret');
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    bytes[14] = bytes[14]! ^ 1;
    const changed = [
      `k2:${bytes.toString('base64')}`,
      sealed.replace('k2', 'k1'),
      'k2:',
      'k2',
      '',
      sealed.slice(0, 20),
    ];
    expect(changed.map((text) => hasher.unseal!(text))).toEqual(changed.map(() => undefined));
  });
});

describe('keys that change', () => {
  // a ledger whose keys change while its store stays
  function worldOf(text: string) {
    const world = new LedgerWorld();
    const { store } = world;
    const start = async (keys: string, recoverable = false) => {
      const durable = { store: 'test store', others: [], recoverable };
      return world.ledger(store, await requireSameKey(store, placeOf(keys), durable));
    };
    const begin = async () => {
      await store.keyFingerprint('not made yet');
      return start(text);
    };
    return { store, world, start, begin };
  }

  test('verify by the old key and hash anew when the owner shows its secret, once', async () => {
    const { store, world, start, begin } = worldOf(ONE);
    const old = await begin();
    const request = ask('a/web', { secret: CUSTOM, as: 'bound' });
    const grant = granted(await old.book.reserve(request));
    const next = await start(`k1 ${ONE}\nk2 ${TWO}`);
    const wrong = { ...request, wish: grant.address, secret: { ...CUSTOM, value: 'wrong-secret' } };
    expect(refusal(await next.book.reserve(wrong)).code).toBe('secret/wrong');
    expect(await store.keyUse()).toEqual([{ keyId: 'k1', records: 1 }]);
    expect(granted(await next.book.reserve(request)).address).toEqual(grant.address);
    expect(await store.keyUse()).toEqual([{ keyId: 'k2', records: 1 }]);
    const version = (await world.record(grant.address.toString()))?.version;
    granted(await next.book.reserve(request));
    expect((await world.record(grant.address.toString()))?.version).toBe(version);
  });

  test('are renewed by a bind that shows the secret, also while others share the address', async () => {
    const { store, start, begin } = worldOf(ONE);
    const old = await begin();
    const shared = { secret: CUSTOM, as: 'bound' } as const;
    const grant = granted(await old.book.reserve(ask('a/web', { ...shared, at: '192.0.2.5' })));
    const { sharing: _terms, ...request } = ask('a/dns', { ...shared, at: '192.0.2.5' });
    granted(
      await old.book.reserve({
        ...request,
        claimant: { ...request.claimant, service: { ...request.claimant.service, clusterUid: 'c2' } },
      }),
    );
    const next = await start(`k1 ${ONE}\nk2 ${TWO}`);
    const claimant = { ...ask('a/web').claimant, serviceUid: 'u1' };
    const terms = { secret: CUSTOM, options: { retentionPeriodDays: 0, denyExternalCleanup: false }, writtenKeys: [] };
    granted(await next.book.bind({ claimant, grant, terms }));
    expect(await store.keyUse()).toEqual([{ keyId: 'k2', records: 1 }]);
  });

  test('refuse to lose a key that live records need, saying how many, and let it go when none does', async () => {
    const { start, begin } = worldOf(ONE);
    const old = await begin();
    const request = ask('a/web', { secret: CUSTOM, as: 'bound' });
    granted(await old.book.reserve(request));
    const both = await start(`k1 ${ONE}\nk2 ${TWO}`);
    await expect(start(`k2 ${TWO}`)).rejects.toMatchObject({
      code: 'store/keys',
      message: expect.stringContaining('no key "k1" any more, but 1 addresses') as string,
    });
    granted(await both.book.reserve(request));
    const next = await start(`k2 ${TWO}`);
    expect(granted(await next.book.reserve(request)).created).toBe(false);
    await expect(start(`k1 ${ONE}`)).rejects.toMatchObject({ code: 'store/keys' });
  });

  test('refuse a known id with another key, whatever else is there', async () => {
    const { start, begin } = worldOf(`k1 ${ONE}\nk2 ${TWO}`);
    const ledger = await begin();
    granted(await ledger.book.reserve(ask('a/web', { as: 'bound' })));
    await expect(start(`k1 ${THREE}\nk2 ${TWO}`)).rejects.toMatchObject({ code: 'store/keys' });
    await expect(start(`k3 ${THREE}`)).rejects.toMatchObject({ code: 'store/keys' });
  });

  test('reveal a secret that was kept recoverable, from the next time that its owner showed it', async () => {
    const { world, start, begin } = worldOf(ONE);
    const old = await begin();
    const request = ask('a/web', { secret: CUSTOM, as: 'bound' });
    const { address, network } = granted(await old.book.reserve(request));
    expect(refusal(await old.registry.revealSecret(network, address)).code).toBe('secret/not-recoverable');
    const kept = await start(`k1 ${ONE}\nk2 ${TWO}`, true);
    expect(refusal(await kept.registry.revealSecret(network, address)).message).toContain('shown last before');
    granted(await kept.book.reserve(request));
    expect(granted(await kept.registry.revealSecret(network, address)).secret).toBe(CUSTOM.value);
    expect(JSON.stringify(await world.record(address.toString()))).not.toContain(CUSTOM.value);
  });
});
