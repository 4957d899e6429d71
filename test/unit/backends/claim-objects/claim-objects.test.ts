import { addressClaimCodec } from '../../../../operator/backends/claim-objects/address-claim-codec';
import { openClaimObjects, type ClaimObjectsOptions } from '../../../../operator/backends/claim-objects/claim-objects';
import { feedReached } from '../../../../operator/backends/claim-objects/feed-reached';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import { KubernetesObjectWriter } from '../../../../operator/cluster/objects/object-writer';
import { ADDRESS_CLAIM } from '../../../../operator/contract/kinds/address-claim';
import { listOf, mapOf } from '../../../../operator/contract/loose-json';
import { valueOf } from '../../../../operator/errors/ipam-error';
import type { VersionedFeed } from '../../../../operator/ports/object-feed';
import {
  addressText,
  at,
  binding,
  firstHolder,
  holderOf,
  placeOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  taking,
  takingBoth,
} from '../../../support/claim-requests';
import type { ManualClock } from '../../../support/manual-clock';
import { refusedWith, type MemoryApiClient } from '../../../support/memory-api-client';
import {
  claimServer,
  openClaims,
  standingClock,
  type OpenedClaims,
  type Opening,
  type TableClaimStore,
} from '../../../support/open-claim-objects';

const GROUP = '/apis/ipam.vitistack.io/v1alpha1';
const CLAIMS = `${GROUP}/addressclaims`;
const TABLES = `${GROUP}/addresstables`;

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

const decisions = (): readonly unknown[] => listOf(mapOf(server.get(`${TABLES}/default`)?.['spec'])['decisions']);

describe('claims as cluster objects', () => {
  test('refuse a second holder, naming the first', async () => {
    const store = await open();
    const record = await taken(store, 'a', { address: '10.1.0.0/24' });
    const refusal = refusalOf(await store.bind(binding(record, holderOf('b'))));
    expect(refusal).toMatchObject({ code: 'address/held', value: '10.1.0.0/24' });
    expect(refusal.message).toContain('"a/a"');
    expect((await store.get(placeOf(record)))?.version).toBe(record.version);
  });

  test('keep no secrets', async () => {
    const store = await open();
    const secret = { hash: 'k1:aa', scope: 'shared' } as const;
    expect(refusalOf(await store.take(taking('a', { secret })))).toMatchObject({ code: 'claim/invalid' });
    const record = await taken(store, 'a');
    const change = { holderId: firstHolder(record).id, secret };
    expect(refusalOf(await store.bind(binding(record, holderOf('a'), change)))).toMatchObject({
      code: 'claim/invalid',
    });
    expect(JSON.stringify(server.requests)).not.toContain('k1:aa');
  });

  test('leave a quiet table, which says how far the claims are', async () => {
    const store = await open();
    const record = await taken(store, 'a');
    expect(server.get(`${TABLES}/default`)).toMatchObject({
      spec: { decisions: [], claimsVersion: String(record.version) },
    });
  });

  test('carry out what another process left behind as soon as it is old enough, without a call', async () => {
    const system = { clock: SYSTEM_CLOCK };
    server.nowMs = Date.now;
    const first = await open(system);
    server.intercept = ({ method, path }) =>
      method === 'POST' && path === CLAIMS ? refusedWith(500, 'InternalError') : undefined;
    await expect(first.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
    server.intercept = () => undefined;
    expect(decisions()).toHaveLength(1);
    const second = await open({ ...system, takeOverAfterMs: 300 });
    const told = new Promise((resolve) => second.watch(resolve));
    expect(decisions()).toHaveLength(1);
    expect(await told).toMatchObject({ kind: 'taken' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(decisions()).toEqual([]);
  });

  test('refuse what no table can hold, and serve the calls beside it', async () => {
    const store = await open();
    const long = taking('long', { holder: holderOf('long', { purpose: 'x'.repeat(20_000) }) });
    const [refused, given] = await Promise.all([store.take(long), store.take(taking('a'))]);
    expect(refusalOf(refused)).toMatchObject({
      code: 'claim/invalid',
      message: expect.stringContaining('at most 32 claims of at most 16384 characters') as string,
    });
    expect(valueOf(given).map(({ record }) => addressText(record))).toEqual(['10.0.0.0']);
  });

  test('pass on why the cluster refuses a claim, and undo the rest of the decision', async () => {
    const store = await open();
    server.intercept = ({ method, path, body }) =>
      method === 'POST' && path === CLAIMS && JSON.stringify(body).includes('2001:db8::')
        ? refusedWith(403, 'Forbidden', 'not today')
        : undefined;
    expect(refusalOf(await store.take(takingBoth('a')))).toMatchObject({
      code: 'cluster/refused',
      message: expect.stringContaining('not today') as string,
    });
    expect([server.get(`${CLAIMS}/default.10.0.0.0`), decisions()]).toEqual([undefined, []]);
    expect(await store.list({ by: 'cluster', cluster: 'c1' })).toEqual([]);
  });

  test('pass on why the cluster refuses a table', async () => {
    const store = await open();
    server.intercept = ({ method, path }) =>
      method === 'POST' && path === TABLES ? refusedWith(403, 'Forbidden', 'no tables') : undefined;
    expect(refusalOf(await store.take(taking('a')))).toMatchObject({ code: 'cluster/refused' });
    expect(server.get(`${CLAIMS}/default.10.0.0.0`)).toBeUndefined();
  });

  test('put back what they replaced and deleted when a decision cannot be carried out', async () => {
    const store = await open();
    for (const [name, address] of Object.entries({ a: '10.1.0.1', b: '10.1.0.2' })) {
      const record = await taken(store, name, { address });
      await store.release(releasing(record, { quarantineMs: 1_000 }));
    }
    clock.advance(1_000);
    const before = ['10.1.0.1', '10.1.0.2'].map((each) => server.get(`${CLAIMS}/default.${each}`));
    server.intercept = ({ method, path, body }) =>
      method === 'POST' && path === CLAIMS && JSON.stringify(body).includes('10.1.0.0/24')
        ? refusedWith(403, 'Forbidden', 'not today')
        : undefined;
    const outcome = await store.take(taking('out', { address: '10.1.0.0/24' }));
    expect(refusalOf(outcome).code).toBe('cluster/refused');
    const after = ['10.1.0.1', '10.1.0.2'].map((each) => server.get(`${CLAIMS}/default.${each}`));
    expect(after.map((object) => object?.['spec'])).toEqual(before.map((object) => object?.['spec']));
    server.intercept = () => undefined;
    expect(addressText(await taken(store, 'out', { address: '10.1.0.0/24' }))).toBe('10.1.0.0/24');
  });

  test('go on with a decision whose answer was lost, and take nothing twice', async () => {
    const store = await open();
    await taken(store, 'first');
    let lost = 0;
    const { intercept } = server;
    server.intercept = async (request) => {
      if (request.method !== 'PUT' || !request.path.startsWith(TABLES) || (lost += 1) > 1) return undefined;
      server.intercept = intercept;
      await server.request(request);
      return refusedWith(409, 'Conflict');
    };
    const { key: _key, ...keyless } = holderOf('a');
    const { record } = valueOf(await store.take(taking('a', { holder: keyless })))[0]!;
    expect([addressText(record), lost, decisions()]).toEqual(['10.0.0.1', 1, []]);
    expect((await store.list({ by: 'cluster', cluster: 'c1' })).map(addressText)).toEqual(['10.0.0.0', '10.0.0.1']);
  });

  test('give up on a table that others write all the time', async () => {
    const store = await open();
    server.intercept = ({ method, path }) =>
      method !== 'GET' && path.startsWith(TABLES) ? refusedWith(409, 'Conflict') : undefined;
    await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'store/unavailable' });
  });

  test('write nothing more of a decision once another process may carry it out', async () => {
    const store = await open({ takeOverAfterMs: 30_000 });
    server.intercept = ({ method, path }) => {
      if (method === 'POST' && path === CLAIMS) clock.advance(10_001);
      return undefined;
    };
    await expect(store.take(takingBoth('a'))).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(server.requests.filter(({ method, path }) => method === 'POST' && path === CLAIMS)).toHaveLength(1);
    expect(decisions()).toHaveLength(1);
  });

  test('wait for no version that another server counted', async () => {
    const decided = { decisions: [], claimsVersion: '900000' };
    server.put(`${TABLES}/default`, { kind: 'AddressTable', metadata: { name: 'default' }, spec: decided });
    expect(addressText(await taken(await open(), 'a'))).toBe('10.0.0.0');
  });

  test('say that a table was edited by hand so that it cannot be read', async () => {
    const broken = {
      id: 'x',
      writer: 'w',
      since: '2026-01-01T00:00:00Z',
      writes: [{ name: 'default.10.0.0.0', after: '{' }],
    };
    server.put(`${TABLES}/default`, { metadata: { name: 'default' }, spec: { decisions: [broken] } });
    await expect((await open()).take(taking('a'))).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('edited by hand') as string,
    });
  });
});

describe('claims of a network without a table', () => {
  test('take one write each, and never a table', async () => {
    const store = await open({ nested: false });
    const record = await taken(store, 'a');
    await store.release(releasing(record));
    const written = server.requests.filter(({ method }) => method !== 'GET');
    expect(written.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST ${CLAIMS}`,
      `DELETE ${CLAIMS}/default.10.0.0.0`,
    ]);
    expect(server.requests.filter(({ path }) => path.startsWith(`${TABLES}/`))).toEqual([]);
  });

  test('give the first family back where the second is refused', async () => {
    const store = await open({ nested: false });
    server.intercept = ({ method, path, body }) =>
      method === 'POST' && path === CLAIMS && JSON.stringify(body).includes('2001:db8::')
        ? refusedWith(403, 'Forbidden', 'not today')
        : undefined;
    expect(refusalOf(await store.take(takingBoth('a'))).code).toBe('cluster/refused');
    expect(server.get(`${CLAIMS}/default.10.0.0.0`)).toBeUndefined();
  });

  test('are each given once by processes that take at the same time', async () => {
    const stores = [await open({ nested: false }), await open({ nested: false }), await open({ nested: false })];
    const space = spaceOf('10.4.0.0/28');
    const outcomes = await Promise.all(
      Array.from({ length: 18 }, (_, i) => stores[i % 3]!.take(taking(`n${i}`, { space }))),
    );
    const given = outcomes.flatMap((outcome) =>
      outcome.ok ? outcome.value.map(({ record }) => addressText(record)) : [],
    );
    expect([given.length, new Set(given).size]).toEqual([16, 16]);
  });

  test('reject a call whose write got no answer, and find it again by its key', async () => {
    const store = await open({ nested: false });
    server.intercept = ({ method, path }) =>
      method === 'POST' && path === CLAIMS ? refusedWith(500, 'InternalError') : undefined;
    await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
    server.intercept = () => undefined;
    expect(addressText(await taken(store, 'a'))).toBe('10.0.0.0');
  });
});

describe('openClaimObjects', () => {
  const { group, version, kind, plural: resource } = ADDRESS_CLAIM;
  const feed: VersionedFeed = {
    synced: () => true,
    whenSynced: () => Promise.resolve(),
    get: () => undefined,
    list: () => [],
    onChange: () => () => undefined,
    problem: () => undefined,
    version: () => '7',
  };
  const options = (): ClaimObjectsOptions => ({
    codec: addressClaimCodec('egress'),
    claims: { feed, writer: new KubernetesObjectWriter(server, { apiVersion: `${group}/${version}`, kind, resource }) },
    network: () => ({ nested: true }),
    clock,
    writer: 'p',
  });

  test('refuses to serve a nested network without tables', async () => {
    const store = await openClaimObjects(options());
    await expect(store.take(taking('a'))).rejects.toMatchObject({
      code: 'internal',
      message: 'network "default" is nested, but AddressTables are not open',
    });
  });

  test('remembers a network only while it has claims', async () => {
    const asked: string[] = [];
    const network = (name: string) => (asked.push(name), { nested: false });
    const store = await openClaimObjects({ ...options(), network });
    const ask = async (): Promise<number> => {
      await new Promise((resolve) => setImmediate(resolve));
      await store.release({ ...at('10.9.0.1'), version: 1, holderId: 'gone' });
      return asked.length;
    };
    expect([await ask(), await ask()]).toEqual([1, 2]);
    await new Promise((resolve) => setImmediate(resolve));
    const record = await taken(store, 'a');
    expect([await ask(), await ask()]).toEqual([3, 3]);
    await store.release(releasing(record));
    expect([await ask(), await ask()]).toEqual([4, 5]);
    await store.close();
  });

  test('fails when a watch is closed before its first list', async () => {
    const closed = { ...feed, whenSynced: () => Promise.reject(new RangeError('closed')) };
    await expect(openClaimObjects({ ...options(), claims: { ...options().claims, feed: closed } })).rejects.toThrow(
      'closed',
    );
  });

  test('gives a watch up that stays behind', async () => {
    const hasty = { nowMs: () => 0, after: (_ms: number, run: () => void) => (queueMicrotask(run), () => undefined) };
    await expect(feedReached(feed, 7, hasty)).resolves.toBeUndefined();
    await expect(feedReached(feed, 8, hasty)).rejects.toMatchObject({ code: 'store/unavailable' });
    await expect(feedReached({ ...feed, version: () => undefined }, 1, hasty)).rejects.toMatchObject({
      code: 'store/unavailable',
    });
  });
});
