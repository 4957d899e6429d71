import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { restoreStore, type RestoreRequest } from '../../../../../operator/backends/sql/sqlite/sqlite-restore';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { at, NOW, spaceOf, taking } from '../../../../support/claim-requests';

const SPACE = spaceOf('10.1.0.0/16');

// each store waits for its disk some times

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-backup-'));
  file = join(folder, 'ipam.sqlite');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

type Store = Awaited<ReturnType<typeof openSqliteStore>>;

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ path: file, clock: SYSTEM_CLOCK });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function take(store: Store, ...names: readonly string[]): Promise<void> {
  for (const name of names) valueOf(await store.take(taking(name, { space: SPACE })));
}

async function backedUp(names: readonly string[], fingerprint = 'k1:first'): Promise<Buffer> {
  const copy = join(folder, 'copy');
  await withStore(async (store) => {
    await store.keyFingerprint(fingerprint);
    await take(store, ...names);
    await store.backup(copy);
  });
  return readFileSync(copy);
}

function restoring(backup: Uint8Array, more: Partial<RestoreRequest> = {}) {
  return restoreStore({ backup, path: file, force: false, nowMs: NOW, ...more });
}

function held(): Promise<number> {
  return withStore(async (store) => (await store.tally()).reduce((sum, tally) => sum + tally.held, 0));
}

describe('backup', () => {
  test('is a store of its own, readable by its owner alone, with all that was answered before', async () => {
    const copy = join(folder, 'copy');
    await withStore(async (store) => {
      await take(store, 'a', 'b');
      await store.backup(copy);
      await take(store, 'c');
    });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    file = copy;
    expect(await held()).toBe(2);
  });

  test('is consistent while claims are made, and serves each of them', async () => {
    const copy = join(folder, 'copy');
    const names = Array.from({ length: 200 }, (_, i) => `s${i}`);
    await withStore(async (store) => {
      const [, ...taken] = await Promise.all([
        store.backup(copy),
        ...names.map((name) => store.take(taking(name, { space: SPACE }))),
      ]);
      expect(taken.every(({ ok }) => ok)).toBe(true);
    });
    file = copy;
    expect(await held()).toBeLessThanOrEqual(200);
  });

  test('refuses a place that is taken, and leaves what is there', async () => {
    const copy = join(folder, 'copy');
    writeFileSync(copy, 'mine');
    await withStore((store) => expect(store.backup(copy)).rejects.toMatchObject({ code: 'store/unavailable' }));
    expect(readFileSync(copy, 'utf8')).toBe('mine');
  });

  test('ends with an error when its folder is missing', async () => {
    await withStore((store) =>
      expect(store.backup(join(folder, 'none', 'copy'))).rejects.toMatchObject({ code: 'store/unavailable' }),
    );
  });
});

describe('restoreStore', () => {
  test('puts a backup where no store is', async () => {
    const backup = await backedUp(['a', 'b']);
    rmSync(file);
    const { backup: facts } = valueOf(restoring(backup, { fingerprint: 'k1:first' }));
    expect(facts).toMatchObject({ addresses: 2, fingerprint: 'k1:first' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await held()).toBe(2);
  });

  test('refuses a store that is newer, and leaves everything as it was', async () => {
    const backup = await backedUp(['a']);
    await withStore((store) => take(store, 'b'));
    const files = readdirSync(folder);
    expect(restoring(backup)).toMatchObject({ ok: false, refusal: { code: 'store/conflict' } });
    expect(readdirSync(folder)).toEqual(files);
    expect(await held()).toBe(2);
  });

  test('puts a newer store aside when it is forced to', async () => {
    const backup = await backedUp(['a']);
    await withStore((store) => take(store, 'b'));
    const { former } = valueOf(restoring(backup, { force: true }));
    expect(await held()).toBe(1);
    file = former?.movedTo ?? '';
    expect(await held()).toBe(2);
  });

  test('refuses a backup of other keys, even when it is forced to', async () => {
    const backup = await backedUp(['a']);
    const request = { fingerprint: 'k1:other', force: true };
    expect(restoring(backup, request)).toMatchObject({ ok: false, refusal: { code: 'store/keys' } });
    expect(await held()).toBe(1);
  });

  test('refuses to put a store of other keys aside', async () => {
    const backup = await backedUp(['a', 'b', 'c']);
    rmSync(file);
    await withStore(async (store) => {
      await store.keyFingerprint('k1:second');
      await take(store, 'a');
    });
    expect(restoring(backup)).toMatchObject({ ok: false, refusal: { code: 'store/keys' } });
  });

  test('throws while an operator has the store open', async () => {
    const backup = await backedUp(['a']);
    await withStore(() => {
      expect(() => restoring(backup)).toThrow(/in use by another process/u);
      return Promise.resolve();
    });
    expect(await held()).toBe(1);
  });

  test.each([
    ['no database', Buffer.from('nonsense, but long enough to be looked at as a header of a file')],
    ['an empty file', Buffer.alloc(0)],
  ])('throws for %s, and leaves the store as it was', async (_name, content) => {
    await backedUp(['a']);
    const files = readdirSync(folder);
    expect(() => restoring(content, { force: true })).toThrow(/is not a database|is empty; it is no store/u);
    expect(readdirSync(folder)).toEqual(files);
    expect(await held()).toBe(1);
  });

  test('throws for a backup that was cut off', async () => {
    const backup = await backedUp(['a']);
    rmSync(file);
    expect(() => restoring(backup.subarray(0, backup.length - 4_096))).toThrow(/damaged/u);
  });
});

test('an address of the backup is the one that was held', async () => {
  const backup = await backedUp(['a']);
  rmSync(file);
  valueOf(restoring(backup));
  const record = await withStore((store) => store.get(at('10.1.0.0')));
  expect(record?.holders[0]?.owner.name).toBe('a');
});
