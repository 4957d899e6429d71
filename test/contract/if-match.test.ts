import { LedgerWorld } from '../support/ledger-world';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';
import type { OpenStore } from '../support/store-under-test';
import { claimBody, V3World, type V3Reply } from '../support/v3-world';

const CLAIM = '/v3/clusters/c1/claims/k';
const BIND = {
  claimant: { namespaceUid: 'ns-a', namespace: 'a', serviceName: 'web', serviceUid: 'u1' },
  terms: { options: { retentionPeriodDays: 0, denyExternalCleanup: false }, writtenKeys: [] },
};
const days = (retentionPeriodDays: number) => ({
  terms: { options: { retentionPeriodDays, denyExternalCleanup: false }, writtenKeys: [] },
});
const secret = (value: string) => ({ value, scope: 'shared' });
const rotation = (to: string) => ({ rotate: { secret: secret('custom-secret-of-a'), newSecret: secret(to) } });
const statuses = (replies: readonly V3Reply[]): readonly number[] => replies.map(({ status }) => status).sort();

beforeAll(sharedPostgres);

describe.each<[string, OpenStore]>([
  ['memory', openMemory],
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
])('If-Match on %s', (_name, open) => {
  let dispose: () => Promise<void>;
  let one: V3World;
  let other: V3World;
  let etag: string;
  beforeEach(async () => {
    const opened = await open();
    dispose = opened.dispose;
    const ledger = new LedgerWorld(undefined, undefined, opened);
    one = new V3World({ ledger });
    // another replica: nothing but the store is shared
    other = new V3World({ ledger, parts: ledger.ledger() });
    await one.send('PUT', CLAIM, { body: claimBody() });
    await one.send('PATCH', CLAIM, { body: BIND });
    etag = String((await one.send('GET', CLAIM)).headers['etag']);
  });
  afterEach(() => dispose());
  const tagged = (world: V3World, method: string, body?: object): Promise<V3Reply> =>
    world.send(method, CLAIM, { headers: { 'if-match': etag }, ...(body === undefined ? {} : { body }) });

  test.each([
    ['replica', () => one],
    ['replicas', () => other],
  ])('lets one of two changes of one moment through: same %s', async (_where, second) => {
    const replies = await Promise.all([tagged(one, 'PATCH', days(1)), tagged(second(), 'PATCH', days(2))]);
    expect(statuses(replies)).toEqual([200, 412]);
    const winner = replies[0].status === 200 ? 1 : 2;
    const { json } = await one.send('GET', CLAIM);
    expect(json['options']).toMatchObject({ retentionPeriodDays: winner });
    expect(replies.find(({ status }) => status === 412)?.json).toMatchObject({
      code: 'api/outdated',
      field: 'if-match',
      value: etag.replaceAll('"', ''),
    });
  });

  test('lets one of two rotations of one moment through', async () => {
    const calls = [tagged(one, 'PATCH', rotation('next-secret-1')), tagged(other, 'PATCH', rotation('next-secret-2'))];
    expect(statuses(await Promise.all(calls))).toEqual([200, 412]);
  });

  test('never deletes a claim that was changed at the same moment', async () => {
    const [patched, deleted] = await Promise.all([tagged(one, 'PATCH', days(1)), tagged(other, 'DELETE')]);
    const left = await one.send('GET', CLAIM);
    // whoever came second finds another version, or nothing
    const expected = patched.status === 200 ? [412, 200] : [200, 404];
    expect([deleted.status, left.status]).toEqual(expected);
  });

  test('gives nothing back that was bound at the same moment', async () => {
    await one.send('PUT', '/v3/clusters/c1/claims/l', { body: claimBody({ as: 'lease' }, { serviceName: 'db' }) });
    const { headers } = await one.send('GET', '/v3/clusters/c1/claims/l');
    const match = { headers: { 'if-match': String(headers['etag']) } };
    const bind = { claimant: { ...BIND.claimant, serviceName: 'db', serviceUid: 'u2' } };
    const [bound, undone] = await Promise.all([
      one.send('PATCH', '/v3/clusters/c1/claims/l', { ...match, body: bind }),
      other.send('DELETE', '/v3/clusters/c1/claims/l?undo=true', match),
    ]);
    expect([bound.status, undone.status]).not.toEqual([200, 200]);
  });
});
