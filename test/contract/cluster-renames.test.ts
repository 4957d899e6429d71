import { renameCluster } from '../../operator/ledger/verbs/rename-cluster';
import {
  at,
  binding,
  firstHolder,
  holderOf,
  listed,
  ownerOf,
  refusalOf,
  releasing,
  taken,
} from '../support/claim-requests';
import { contract, subjectOf } from '../support/claims-suite';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';
import type { OpenStore } from '../support/store-under-test';

const STORES: Readonly<Record<string, OpenStore>> = {
  memory: openMemory,
  sqlite: openSqlite,
  postgres: openPostgres,
};

beforeAll(sharedPostgres, 60_000);

contract('FU-05 renames of clusters', STORES, (open) => {
  const subject = subjectOf(open);
  const rename = (from: string, to: string, dryRun = false) => renameCluster(subject.store, { from, to, dryRun });
  const keyed = (name: string, key: string) => holderOf(name, { key });

  test('give claims of every state to the new name, with their keys, and nothing of others', async () => {
    const { store } = subject;
    await taken(store, 'chosen', { holder: keyed('chosen', 'own:c1/mine') });
    await taken(store, 'named', { holder: keyed('named', 'svc:c1/ns-a/named/z/4/*') });
    const paused = await taken(store, 'paused', { holder: holderOf('paused') });
    await store.release(releasing(paused, { quarantineMs: 60_000 }));
    const ended = await taken(store, 'ended', { holder: holderOf('ended') });
    await store.release(releasing(ended));
    const other = holderOf('other', { owner: ownerOf('other', { cluster: 'c2' }), key: 'own:c2/c1/' });
    await taken(store, 'other', { holder: other });
    await store.reportCluster({ cluster: 'c1', name: 'north' });

    expect(await rename('c1', 'c9', true)).toEqual({ ok: true, value: { claims: 2 } });
    expect(await listed(store, { by: 'cluster', cluster: 'c9' })).toEqual([]);
    expect(await rename('c1', 'c9')).toEqual({ ok: true, value: { claims: 2 } });
    expect(await listed(store, { by: 'cluster', cluster: 'c1' })).toEqual([]);
    expect(await listed(store, { by: 'cluster', cluster: 'c9' })).toHaveLength(2);
    expect(await listed(store, { by: 'key', key: 'own:c9/mine' })).toHaveLength(1);
    expect(await listed(store, { by: 'key', key: 'svc:c9/ns-a/named/z/4/*' })).toHaveLength(1);
    expect(await listed(store, { by: 'key', key: 'own:c2/c1/' })).toHaveLength(1);
    const owner = ownerOf('paused', { cluster: 'c9' });
    expect(await listed(store, { by: 'owner', owner })).toHaveLength(1);
    expect(
      await store.lastAddress({ network: 'default', family: 4, owner: ownerOf('ended', { cluster: 'c9' }) }),
    ).toEqual(ended.address);
    expect(await store.clusters()).toMatchObject([
      { cluster: 'c2', claims: 1 },
      { cluster: 'c9', claims: 2, name: 'north' },
    ]);
  });

  test('outdate what was read before', async () => {
    const { store } = subject;
    const record = await taken(store, 'web', { holder: holderOf('web') });
    await rename('c1', 'c9');
    const late = binding(record, holderOf('web'), { holderId: firstHolder(record).id });

    expect(refusalOf(await store.bind(late)).code).toBe('store/conflict');
    expect((await store.get(at('10.0.0.0')))?.holders).toMatchObject([{ owner: { cluster: 'c9' } }]);
  });

  test('are refused for a name that is in use, one that nobody has, and two that are one', async () => {
    const { store } = subject;
    await taken(store, 'web', { holder: holderOf('web') });
    await taken(store, 'other', { holder: holderOf('other', { owner: ownerOf('other', { cluster: 'c2' }) }) });

    expect(refusalOf(await rename('c1', 'c2'))).toMatchObject({ code: 'cluster/known', value: 'c2' });
    expect(refusalOf(await store.renameCluster({ from: 'c1', to: 'c2', keys: [] })).code).toBe('cluster/known');
    expect(refusalOf(await rename('c7', 'c8')).code).toBe('api/not-found');
    expect(refusalOf(await rename('c1', 'c1')).code).toBe('api/malformed');
    expect(await listed(store, { by: 'cluster', cluster: 'c1' })).toHaveLength(1);
  });
});
