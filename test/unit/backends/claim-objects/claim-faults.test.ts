import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import { listOf, mapOf, metadataOf } from '../../../../operator/contract/loose-json';
import {
  addressText,
  at,
  holderOf,
  refusalOf,
  releasing,
  taken,
  taking,
  takingBoth,
} from '../../../support/claim-requests';
import { CLAIMS, TABLE } from '../../../support/claim-objects-scene';
import { ManualClock } from '../../../support/manual-clock';
import { refusedWith, type MemoryApiClient } from '../../../support/memory-api-client';
import {
  claimServer,
  openClaims,
  standingClock,
  type OpenedClaims,
  type Opening,
  type TableClaimStore,
} from '../../../support/open-claim-objects';

let clock: ManualClock;
let server: MemoryApiClient;
let opened: OpenedClaims[];

beforeEach(() => {
  clock = standingClock();
  server = claimServer(clock);
  opened = [];
});

afterEach(async () => {
  server.intercept = () => undefined;
  await Promise.all(opened.map((each) => each.close()));
});

async function open(opening: Opening = {}): Promise<TableClaimStore> {
  const claims = await openClaims(server, { clock, ...opening });
  opened.push(claims);
  return claims.store;
}

const decisions = (): readonly unknown[] => listOf(mapOf(server.get(TABLE)?.['spec'])['decisions']);
/** Release of a claim that is not there: a call that changes nothing. */
const NOTHING = { ...at('10.9.0.1'), version: 1, holderId: 'gone' };
const FIRST = `${CLAIMS}/default.10.0.0.0`;
const inCluster = async (store: TableClaimStore): Promise<readonly string[]> =>
  (await store.list({ by: 'cluster', cluster: 'c1' })).map(addressText);

describe('a decision of which one write is refused', () => {
  // the claim of the second family is refused, so that of the first is to be undone
  const refuseSecond = (onDelete: () => ReturnType<typeof refusedWith> | undefined): void => {
    server.intercept = ({ method, path, body }) => {
      if (method === 'DELETE') return onDelete();
      const isSecond = method === 'POST' && path === CLAIMS && JSON.stringify(body).includes('2001:db8::');
      return isSecond ? refusedWith(403, 'Forbidden', 'not today') : undefined;
    };
  };

  test('leaves a claim in the lists that the cluster does not let it delete', async () => {
    const store = await open();
    refuseSecond(() => refusedWith(403, 'Forbidden', 'never'));
    expect(refusalOf(await store.take(takingBoth('a'))).code).toBe('cluster/refused');
    expect(server.get(FIRST)).toBeDefined();
    expect(await inCluster(store)).toEqual(['10.0.0.0']);
    server.intercept = () => undefined;
    expect(addressText(await taken(store, 'b'))).toBe('10.0.0.1');
  });

  test('deletes its claim although another program labelled it meanwhile', async () => {
    const store = await open();
    let labelled = 0;
    refuseSecond(() => {
      const object = server.get(FIRST);
      if (object === undefined || (labelled += 1) > 1) return undefined;
      server.put(FIRST, { ...object, metadata: { ...metadataOf(object), labels: { by: 'other' } } });
      return undefined;
    });
    expect(refusalOf(await store.take(takingBoth('a'))).code).toBe('cluster/refused');
    expect([server.get(FIRST), decisions(), labelled]).toEqual([undefined, [], 2]);
    expect(await inCluster(store)).toEqual([]);
  });
});

describe('a decision that could not be carried out', () => {
  const isClaimMade = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
    method === 'POST' && path === CLAIMS;

  test('is carried out by its own process without another call', async () => {
    server.nowMs = Date.now;
    const store = await open({ clock: SYSTEM_CLOCK, takeOverAfterMs: 300 });
    let failed = 0;
    server.intercept = (request) => {
      if (!isClaimMade(request) || (failed += 1) > 2) return undefined;
      return refusedWith(500, 'InternalError');
    };
    const told = new Promise((resolve) => store.watch(resolve));
    await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
    expect(decisions()).toHaveLength(1);
    expect(await told).toMatchObject({ kind: 'taken' });
    await store.list({ by: 'cluster', cluster: 'c1' });
    expect([failed, decisions()]).toEqual([3, []]);
  });

  test('is carried out although the table cannot be read at first', async () => {
    server.nowMs = Date.now;
    const store = await open({ clock: SYSTEM_CLOCK, takeOverAfterMs: 300 });
    let unread = 0;
    server.intercept = (request) => {
      if (isClaimMade(request) && unread === 0) return refusedWith(500, 'InternalError');
      const isRead = request.method === 'GET' && request.path === TABLE && decisions().length > 0;
      return isRead && (unread += 1) <= 2 ? refusedWith(500, 'InternalError') : undefined;
    };
    const told = new Promise((resolve) => store.watch(resolve));
    await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
    expect(await told).toMatchObject({ kind: 'taken' });
    expect(unread).toBe(3);
  });
});

describe('quarantines that are over', () => {
  const claims = (): number => {
    const paths = Array.from({ length: 80 }, (_, i) => `${CLAIMS}/default.10.1.0.${i}`);
    return paths.filter((path) => server.get(path) !== undefined).length;
  };
  const quarantine = async (store: TableClaimStore, count: number): Promise<void> => {
    const one = async (_: unknown, i: number): Promise<void> => {
      const record = await taken(store, `q${i}`, { address: `10.1.0.${i}` });
      await store.release(releasing(record, { quarantineMs: 1_000 }));
    };
    await Promise.all(Array.from({ length: count }, one));
  };

  const expectClaims = async (left: number): Promise<void> => {
    for (let tries = 5_000; tries > 0 && claims() > left; tries -= 1) await new Promise((r) => setTimeout(r, 20));
    expect(claims()).toBe(left);
  };

  test('make room for a larger prefix, however many they are', async () => {
    const store = await open();
    await quarantine(store, 70);
    clock.advance(1_000);
    expect(claims()).toBe(70);
    expect(addressText(await taken(store, 'out', { address: '10.1.0.0/24' }))).toBe('10.1.0.0/24');
    expect([claims(), decisions()]).toEqual([0, []]);
  });

  test('refuse a larger prefix when the cluster does not let them be deleted', async () => {
    const store = await open();
    await quarantine(store, 40);
    clock.advance(1_000);
    server.intercept = ({ method }) => (method === 'DELETE' ? refusedWith(403, 'Forbidden', 'never') : undefined);
    const outcome = await store.take(taking('out', { address: '10.1.0.0/24' }));
    expect(refusalOf(outcome).code).toBe('cluster/refused');
    expect([claims(), decisions()]).toEqual([40, []]);
  });

  test('are deleted with a later call, and those that last are not', async () => {
    const store = await open();
    await quarantine(store, 40);
    clock.advance(60_000);
    const last = await taken(store, 'last', { address: '10.1.0.79' });
    await store.release(releasing(last, { quarantineMs: 3_600_000 }));
    await expectClaims(1);
    await store.close();
    expect(decisions()).toEqual([]);
    expect(server.get(`${CLAIMS}/default.10.1.0.79`)).toBeDefined();
  });

  test('are deleted in a network without a table as well', async () => {
    const store = await open({ nested: false });
    await quarantine(store, 40);
    clock.advance(60_000);
    const last = await taken(store, 'last', { address: '10.1.0.79' });
    await store.release(releasing(last, { quarantineMs: 3_600_000 }));
    await expectClaims(1);
    expect(server.get(`${CLAIMS}/default.10.1.0.79`)).toBeDefined();
  });

  test.each([
    ['with a table', true],
    ['without a table', false],
  ])('are deleted in a network %s that no call comes for, also by a process that starts later', async (_, nested) => {
    const still = new ManualClock(clock.nowMs());
    server.nowMs = () => still.nowMs();
    const store = await open({ nested });
    await quarantine(store, 3);
    await store.close();
    await open({ nested, clock: still });
    for (let left = 100; left > 0 && claims() > 0; left -= 1) {
      still.advance(30_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(claims()).toBe(0);
  });

  test('are deleted with a later round where the cluster refused to delete one of them', async () => {
    const store = await open({ nested: false });
    await quarantine(store, 3);
    const refused = `${CLAIMS}/default.10.1.0.1`;
    server.intercept = ({ method, path }) =>
      method === 'DELETE' && path === refused ? refusedWith(403, 'Forbidden', 'not today') : undefined;
    clock.advance(60_000);
    await store.release(NOTHING);
    await expectClaims(1);
    server.intercept = () => undefined;
    clock.advance(60_000);
    await store.release(NOTHING);
    await expectClaims(0);
  });
});

describe('a table', () => {
  /** Most bytes that etcd takes in one request. */
  const ETCD_BYTES = 1.5 * 1024 * 1024;
  /** Three bytes a character, so that as many characters as a claim may have are 48 KiB. */
  const LARGE = holderOf('large', { purpose: '€'.repeat(15_000) });

  const largestTable = (): number =>
    Math.max(
      ...server.requests
        .filter(({ method, path }) => method !== 'GET' && path.startsWith(TABLE.replace('/default', '')))
        .map(({ body }) => Buffer.byteLength(JSON.stringify(body))),
    );

  beforeEach(() => {
    server.intercept = ({ method, path, body }) =>
      method !== 'GET' && path !== CLAIMS && Buffer.byteLength(JSON.stringify(body ?? null)) > ETCD_BYTES
        ? refusedWith(413, 'RequestEntityTooLarge')
        : undefined;
  });

  test('never holds more than etcd takes: calls that do not fit wait for the next one', async () => {
    const store = await open();
    const names = Array.from({ length: 40 }, (_, i) => `large${i}`);
    const all = await Promise.all(
      names.map((name, i) => taken(store, name, { address: `10.2.0.${i}`, holder: { ...LARGE, key: name } })),
    );
    expect(new Set(all.map(addressText)).size).toBe(40);
    expect(await inCluster(store)).toHaveLength(40);
    expect(largestTable()).toBeLessThan(ETCD_BYTES);
    expect(largestTable()).toBeGreaterThan(ETCD_BYTES / 2);
    expect(decisions()).toEqual([]);
  });

  test('takes large quarantines that are over out in several decisions before a prefix that covers them', async () => {
    const store = await open();
    const one = async (_: unknown, i: number): Promise<void> => {
      const record = await taken(store, `q${i}`, { address: `10.1.0.${i}`, holder: { ...LARGE, key: `q${i}` } });
      await store.release(releasing(record, { quarantineMs: 1_000 }));
    };
    await Promise.all(Array.from({ length: 30 }, one));
    clock.advance(1_000);
    expect(addressText(await taken(store, 'out', { address: '10.1.0.0/24' }))).toBe('10.1.0.0/24');
    expect(await inCluster(store)).toEqual(['10.1.0.0/24']);
    expect(largestTable()).toBeLessThan(ETCD_BYTES);
  });
});
