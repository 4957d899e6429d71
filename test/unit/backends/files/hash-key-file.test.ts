import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { addressOf } from '../../../../operator/addressing/address';
import { PrefixSet } from '../../../../operator/addressing/prefix-set';
import { openHashKeyFile, requireSameKey } from '../../../../operator/backends/files/hash-key-file';
import { MemoryClaimStore } from '../../../../operator/backends/memory/memory-claim-store';
import { IpamError } from '../../../../operator/errors/ipam-error';

const SECRET = 'a-secret-of-somebody';
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hash-key-'));
  path = join(folder, 'key');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function thrownBy(action: () => unknown): IpamError {
  try {
    action();
  } catch (error) {
    if (error instanceof IpamError) return error;
    throw error;
  }
  throw new TypeError('nothing was thrown');
}

function digestOf(secret: string): string {
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  return createHmac('sha256', key).update(secret).digest('hex');
}

describe('openHashKeyFile', () => {
  test('makes 32 random bytes in base64, readable by the owner alone', () => {
    openHashKeyFile(path, { mayCreate: true });
    const text = readFileSync(path, 'utf8');
    expect(Buffer.from(text, 'base64')).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('makes another key each time', () => {
    const one = openHashKeyFile(path, { mayCreate: true });
    const other = openHashKeyFile(join(folder, 'other'), { mayCreate: true });
    expect(other.fingerprint).not.toBe(one.fingerprint);
    expect(other.hash(SECRET)).not.toBe(one.hash(SECRET));
  });

  test('reads the same key again and never writes it', () => {
    const first = openHashKeyFile(path, { mayCreate: true });
    const before = readFileSync(path, 'utf8');
    const again = openHashKeyFile(path, { mayCreate: true });
    expect(again.hash(SECRET)).toBe(first.hash(SECRET));
    expect(again.fingerprint).toBe(first.fingerprint);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('hashes by HMAC-SHA-256 under a named key', () => {
    const key = Buffer.alloc(32, 7);
    writeFileSync(path, key.toString('base64'));
    const expected = createHmac('sha256', key).update(SECRET).digest('hex');
    expect(openHashKeyFile(path, { mayCreate: false }).hash(SECRET)).toBe(`k1:${expected}`);
  });

  test('gives the same hashes, however many secrets were hashed in between', () => {
    const hasher = openHashKeyFile(path, { mayCreate: true });
    const fresh = openHashKeyFile(path, { mayCreate: false });
    const secrets = Array.from({ length: 20 }, (_, i) => `${SECRET}-${i}`);
    for (const secret of [...secrets, ...secrets.slice(10), ...secrets])
      expect(hasher.hash(secret)).toBe(`k1:${digestOf(secret)}`);
    expect(fresh.hash(`${SECRET}-3`)).toBe(hasher.hash(`${SECRET}-3`));
  });

  test('refuses a missing key that it may not make, and says how to go on', () => {
    const error = thrownBy(() => openHashKeyFile(path, { mayCreate: false }));
    expect(error).toMatchObject({ code: 'store/keys', message: expect.stringContaining(path) as string });
    expect(error.message).toContain('restore');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['too short', Buffer.alloc(16, 7).toString('base64')],
    ['no base64', '*'.repeat(44)],
    ['an empty file', ''],
    ['base64 with a stranger inside', `${Buffer.alloc(32, 7).toString('base64')}!`],
  ])('refuses a key that is %s without showing it', (_what, text) => {
    writeFileSync(path, text);
    const error = thrownBy(() => openHashKeyFile(path, { mayCreate: true }));
    expect(error.code).toBe('store/keys');
    expect(text === '' || !inspect(error).includes(text)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('refuses a folder that does not exist, naming the file', () => {
    const lost = join(folder, 'no', 'key');
    expect(thrownBy(() => openHashKeyFile(lost, { mayCreate: true }))).toMatchObject({
      code: 'store/keys',
      message: expect.stringContaining(lost) as string,
    });
  });

  test('shows neither key nor secret when the hasher is inspected', () => {
    const hasher = openHashKeyFile(path, { mayCreate: true });
    hasher.hash(SECRET);
    const shown = inspect(hasher, { depth: 9, showHidden: true });
    expect(shown).not.toContain(readFileSync(path, 'utf8').trim());
    expect(shown).not.toContain(SECRET);
  });
});

describe('requireSameKey', () => {
  const nowMs = 1000;

  async function storeWithOneClaim(): Promise<MemoryClaimStore> {
    const store = new MemoryClaimStore();
    await requireSameKey(store, { path });
    await store.take({
      ...{ network: 'default', zone: 'z', family: 4, address: addressOf('10.0.0.1'), space: PrefixSet.EMPTY, nowMs },
      secret: { hash: 'k1:00', scope: 'shared' },
      holder: {
        service: { serviceName: 'web', namespaceUid: 'n', clusterUid: 'c' },
        ...{ namespace: 'a', state: 'bound', writtenKeys: [] },
        options: { retentionPeriodDays: 0, denyExternalCleanup: false },
      },
    });
    return store;
  }

  test('makes a key for an empty store', async () => {
    const store = new MemoryClaimStore();
    const hasher = await requireSameKey(store, { path });
    expect(await store.keyFingerprint('another')).toBe('another');
    expect(hasher.fingerprint).toBe(openHashKeyFile(path, { mayCreate: false }).fingerprint);
  });

  test('accepts the key of the stored hashes again', async () => {
    const store = await storeWithOneClaim();
    const hasher = await requireSameKey(store, { path });
    expect(await store.keyFingerprint('another')).toBe(hasher.fingerprint);
  });

  test('refuses to start when the key of existing claims is missing', async () => {
    const store = await storeWithOneClaim();
    rmSync(path);
    await expect(requireSameKey(store, { path })).rejects.toMatchObject({
      code: 'store/keys',
      message: expect.stringContaining('is missing') as string,
    });
  });

  test('refuses to start with another key than that of existing claims', async () => {
    const store = await storeWithOneClaim();
    rmSync(path);
    openHashKeyFile(path, { mayCreate: true });
    await expect(requireSameKey(store, { path })).rejects.toMatchObject({
      code: 'store/keys',
      message: expect.stringContaining('restore') as string,
    });
  });

  test('takes a new key when everything was released', async () => {
    const store = await storeWithOneClaim();
    const [record] = await store.list({ by: 'cluster', clusterUid: 'c' }, nowMs);
    const [holder] = record!.holders;
    await store.release({ network: 'default', address: record!.address, version: 1, holderId: holder!.id, nowMs });
    rmSync(path);
    const hasher = await requireSameKey(store, { path });
    expect(hasher.hash(SECRET)).toMatch(/^k1:[0-9a-f]{64}$/u);
  });

  test('refuses a new store beside a key of an earlier start, naming what to restore and what to remove', async () => {
    openHashKeyFile(path, { mayCreate: true });
    const durable = { store: '/data/ipam.sqlite', others: ['/data/identity.json'] };
    const store = new MemoryClaimStore();
    for (const _again of [1, 2]) {
      await expect(requireSameKey(store, { path, durable })).rejects.toMatchObject({
        code: 'store/lost',
        message: `the store "/data/ipam.sqlite" is new, but the hash key file "${path}" was made for a store with claims; restore the store from its backup, or remove "${path}" and "/data/identity.json" to begin anew with every address free`,
      });
    }
    rmSync(path);
    await expect(requireSameKey(store, { path, durable })).resolves.toBeDefined();
    await expect(requireSameKey(store, { path, durable })).resolves.toBeDefined();
  });

  test('lets a start go on that ended while it made the key, at whatever step', async () => {
    const durable = { store: '/data/ipam.sqlite', others: [] };
    const store = new MemoryClaimStore();
    await expect(requireSameKey(store, { path: join(folder, 'no', 'key'), durable })).rejects.toMatchObject({
      code: 'store/keys',
    });
    openHashKeyFile(path, { mayCreate: true });
    const hasher = await requireSameKey(store, { path, durable });
    expect(await store.keyFingerprint()).toBe(hasher.fingerprint);
  });
});
