import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { MemoryClaimStore } from '../../../../operator/backends/memory/memory-claim-store';
import { openHashKey, requireSameKey } from '../../../../operator/backends/system/hash-key';
import { IpamError } from '../../../../operator/errors/ipam-error';
import type { KeyPlace } from '../../../../operator/ports/key-place';
import { taking } from '../../../support/claim-requests';
import { ManualClock } from '../../../support/manual-clock';

const SECRET = 'a-secret-of-somebody';

class Drawer implements KeyPlace {
  readonly name = 'drawer "left"';
  text: string | undefined;

  constructor(text?: string) {
    this.text = text;
  }

  read(): Promise<string | undefined> {
    return Promise.resolve(this.text);
  }

  create(text: string): Promise<void> {
    this.text ??= text;
    return Promise.resolve();
  }
}

let place: Drawer;

beforeEach(() => {
  place = new Drawer();
});

async function thrownBy(action: Promise<unknown>): Promise<IpamError> {
  const thrown = await action.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof IpamError) return thrown;
  throw new TypeError('no IpamError was thrown');
}

function digestOf(secret: string): string {
  return createHmac('sha256', Buffer.from(place.text ?? '', 'base64'))
    .update(secret)
    .digest('hex');
}

describe('openHashKey', () => {
  test('makes 32 random bytes in base64', async () => {
    await openHashKey(place, { mayCreate: true });
    expect(Buffer.from(place.text ?? '', 'base64')).toHaveLength(32);
  });

  test('makes another key each time', async () => {
    const one = await openHashKey(place, { mayCreate: true });
    const other = await openHashKey(new Drawer(), { mayCreate: true });
    expect(other.fingerprint).not.toBe(one.fingerprint);
    expect(other.hash(SECRET)).not.toBe(one.hash(SECRET));
  });

  test('reads the same key again and never writes it', async () => {
    const first = await openHashKey(place, { mayCreate: true });
    const before = place.text;
    const again = await openHashKey(place, { mayCreate: true });
    expect(again.hash(SECRET)).toBe(first.hash(SECRET));
    expect(again.fingerprint).toBe(first.fingerprint);
    expect(place.text).toBe(before);
  });

  test('takes the key that another process made at the same time', async () => {
    const hashers = await Promise.all([1, 2, 3].map(() => openHashKey(place, { mayCreate: true })));
    expect(new Set(hashers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  test('hashes by HMAC-SHA-256 under a named key', async () => {
    const key = Buffer.alloc(32, 7);
    const expected = createHmac('sha256', key).update(SECRET).digest('hex');
    const hasher = await openHashKey(new Drawer(key.toString('base64')), { mayCreate: false });
    expect(hasher.hash(SECRET)).toBe(`k1:${expected}`);
  });

  test('gives the same hashes, however many secrets were hashed in between', async () => {
    const hasher = await openHashKey(place, { mayCreate: true });
    const fresh = await openHashKey(place, { mayCreate: false });
    const secrets = Array.from({ length: 20 }, (_, i) => `${SECRET}-${i}`);
    for (const secret of [...secrets, ...secrets.slice(10), ...secrets])
      expect(hasher.hash(secret)).toBe(`k1:${digestOf(secret)}`);
    expect(fresh.hash(`${SECRET}-3`)).toBe(hasher.hash(`${SECRET}-3`));
  });

  test('refuses a missing key that it may not make, and says how to go on', async () => {
    expect(await thrownBy(openHashKey(place, { mayCreate: false }))).toMatchObject({
      code: 'store/keys',
      message:
        'the drawer "left" is missing, but the store holds addresses whose secrets were hashed with it; restore the drawer "left" from the backup that belongs to this store',
    });
    expect(place.text).toBeUndefined();
  });

  test.each([
    ['too short', Buffer.alloc(16, 7).toString('base64')],
    ['no base64', '*'.repeat(44)],
    ['an empty text', ''],
    ['base64 with a stranger inside', `${Buffer.alloc(32, 7).toString('base64')}!`],
  ])('refuses a key that is %s without showing it', async (_what, text) => {
    place.text = text;
    const error = await thrownBy(openHashKey(place, { mayCreate: true }));
    expect(error.code).toBe('store/keys');
    expect(text === '' || !inspect(error).includes(text)).toBe(true);
    expect(place.text).toBe(text);
  });

  test('shows neither key nor secret when the hasher is inspected', async () => {
    const hasher = await openHashKey(place, { mayCreate: true });
    hasher.hash(SECRET);
    const shown = inspect(hasher, { depth: 9, showHidden: true });
    expect(shown).not.toContain(place.text?.trim());
    expect(shown).not.toContain(SECRET);
  });
});

describe('requireSameKey', () => {
  const durable = { store: '/data/ipam.sqlite', others: ['/data/identity.json'] };

  async function storeWithOneClaim(): Promise<MemoryClaimStore> {
    const store = new MemoryClaimStore(new ManualClock());
    await requireSameKey(store, place);
    await takeOne(store);
    return store;
  }

  async function takeOne(store: MemoryClaimStore): Promise<void> {
    await store.take(taking('web', { address: '10.0.0.1', secret: { hash: 'k1:00', scope: 'shared' } }));
  }

  test('makes a key for an empty store', async () => {
    const store = new MemoryClaimStore(new ManualClock());
    const hasher = await requireSameKey(store, place);
    expect(await store.keyFingerprint('another')).toBe('another');
    expect(hasher.fingerprint).toBe((await openHashKey(place, { mayCreate: false })).fingerprint);
  });

  test('accepts the key of the stored hashes again', async () => {
    const store = await storeWithOneClaim();
    const hasher = await requireSameKey(store, place);
    expect(await store.keyFingerprint('another')).toBe(hasher.fingerprint);
  });

  test('refuses to start when the key of existing claims is missing', async () => {
    const store = await storeWithOneClaim();
    place.text = undefined;
    expect(await thrownBy(requireSameKey(store, place))).toMatchObject({
      code: 'store/keys',
      message: expect.stringContaining('the drawer "left" is missing') as string,
    });
  });

  test('refuses to start with another key than that of existing claims', async () => {
    const store = await storeWithOneClaim();
    place.text = undefined;
    await openHashKey(place, { mayCreate: true });
    expect(await thrownBy(requireSameKey(store, place))).toMatchObject({
      code: 'store/keys',
      message:
        'the drawer "left" is not the one that the secrets in the store were hashed with; restore the drawer "left" from the backup that belongs to this store',
    });
  });

  test('takes a new key when everything was released', async () => {
    const store = await storeWithOneClaim();
    const [record] = await store.list({ by: 'cluster', cluster: 'c1' });
    const [holder] = record!.holders;
    await store.release({ network: 'default', address: record!.address, version: 1, holderId: holder!.id });
    place.text = undefined;
    const hasher = await requireSameKey(store, place);
    expect(hasher.hash(SECRET)).toMatch(/^k1:[0-9a-f]{64}$/u);
  });

  test('FU-105 refuses a new store beside a key of an earlier start, naming the store of before, what to restore and what to remove', async () => {
    await openHashKey(place, { mayCreate: true });
    const store = new MemoryClaimStore(new ManualClock());
    for (const _again of [1, 2]) {
      expect(await thrownBy(requireSameKey(store, place, durable))).toMatchObject({
        code: 'store/lost',
        message:
          'the store "/data/ipam.sqlite" is new, but the drawer "left" was made for a store with claims; restore the store from its backup; where the settings named another store before (store), name that one again, or move its claims with "ipam migrate-store"; or remove the drawer "left" and "/data/identity.json" to begin anew with every address free',
      });
    }
    place.text = undefined;
    await expect(requireSameKey(store, place, durable)).resolves.toBeDefined();
    await expect(requireSameKey(store, place, durable)).resolves.toBeDefined();
  });

  test('lets a start go on that ended while it made the key, at whatever step', async () => {
    const store = new MemoryClaimStore(new ManualClock());
    const broken: KeyPlace = {
      name: 'full drawer',
      read: () => place.read(),
      create: () => Promise.reject(full),
    };
    const full = new IpamError('store/keys', 'no room');
    expect(await thrownBy(requireSameKey(store, broken, durable))).toBe(full);
    await openHashKey(place, { mayCreate: true });
    const hasher = await requireSameKey(store, place, durable);
    expect(await store.keyFingerprint()).toBe(hasher.fingerprint);
  });

  test('lets two processes begin at the same time with one key, and mistakes neither for a lost store', async () => {
    const store = new MemoryClaimStore(new ManualClock());
    const [one, other] = await Promise.all([
      requireSameKey(store, place, durable),
      requireSameKey(store, place, durable),
    ]);
    expect(other.fingerprint).toBe(one.fingerprint);
    expect(await store.keyFingerprint()).toBe(one.fingerprint);
  });

  test('leaves the fingerprint of a process that was faster and has given an address meanwhile', async () => {
    const store = new MemoryClaimStore(new ManualClock());
    // finds no fingerprint, and is then overtaken by a whole start of another process
    const overtaken = new Proxy(store, {
      get: (target, name) =>
        name === 'keyFingerprint'
          ? async (candidate?: string) => {
              const found = await store.keyFingerprint(candidate);
              if (candidate === undefined) await requireSameKey(store, place, durable);
              return found;
            }
          : (Reflect.get(target, name) as () => unknown).bind(target),
    });
    const busy: KeyPlace = {
      name: place.name,
      create: (text) => place.create(text),
      read: async () => {
        if (place.text !== undefined) await takeOne(store);
        return place.read();
      },
    };
    const { fingerprint } = await requireSameKey(overtaken, busy, durable);
    expect(await store.keyFingerprint()).toBe(fingerprint);
    await expect(requireSameKey(store, place, durable)).resolves.toBeDefined();
  });
});
