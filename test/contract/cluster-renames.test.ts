import { renamedNote, renamedText } from '../../operator/contract/renamed-note';
import { IdentityOrigin } from '../../operator/identity/identity-origin';
import { openLedger } from '../../operator/ledger/open-ledger';
import { renameCluster } from '../../operator/ledger/verbs/rename-cluster';
import {
  addressText,
  at,
  binding,
  firstHolder,
  holderOf,
  listed,
  ownerOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  taking,
  takingBoth,
} from '../support/claim-requests';
import { contract, subjectOf } from '../support/claims-suite';
import { TestZones, testHasher } from '../support/ledger-world';
import { ManualClock } from '../support/manual-clock';
import { ownRecord } from '../support/own-record';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';
import { leaves, shows, usesOf } from '../support/occupied-suite';
import type { OwnStore } from '../../operator/ports/store';
import type { OpenStore } from '../support/store-under-test';

const STORES: Readonly<Record<string, OpenStore>> = {
  memory: openMemory,
  sqlite: openSqlite,
  postgres: openPostgres,
};

beforeAll(sharedPostgres);

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

  test('succeed when they are asked for again, and are known until they are turned back', async () => {
    const { store } = subject;
    await taken(store, 'web', { holder: keyed('web', 'own:c1/mine') });
    await usesOf(store).write(shows('10.0.0.5'));
    const noted = () => Promise.all(['c1', 'c9'].map((cluster) => store.note({ name: renamedNote(cluster) })));
    expect(await noted()).toEqual(['', '']);
    for (let i = 0; i < 3; i += 1) {
      expect(await rename('c1', 'c9')).toEqual({ ok: true, value: { claims: 1 } });
      const again = await store.renameCluster({ from: 'c1', to: 'c9', keys: [] });
      expect(again).toEqual({ ok: true, value: { claims: 1 } });
      expect(await noted()).toEqual(['c9', '']);
    }
    expect(refusalOf(await rename('c1', 'c8')).code).toBe('api/not-found');
    expect(refusalOf(await rename('c8', 'c9')).code).toBe('api/not-found');
    expect(await listed(store, { by: 'key', key: 'own:c9/mine' })).toHaveLength(1);
    expect(await rename('c9', 'c1')).toEqual({ ok: true, value: { claims: 1 } });
    expect(await noted()).toEqual(['', 'c1']);
    const late = holderOf('late', { owner: ownerOf('late', { cluster: 'c9' }) });
    expect(refusalOf(await store.take(taking('late', { holder: late }))).code).toBe('cluster/renamed');
    expect(await rename('c9', 'c1')).toEqual({ ok: true, value: { claims: 1 } });
  });

  test('outdate what was read before', async () => {
    const { store } = subject;
    const record = await taken(store, 'web', { holder: holderOf('web') });
    await rename('c1', 'c9');
    const late = binding(record, holderOf('web'), { holderId: firstHolder(record).id });

    expect(refusalOf(await store.bind(late)).code).toBe('cluster/renamed');
    const named = ownerOf('web', { cluster: 'c9' });
    const anew = { ...late, holder: holderOf('web', { owner: named }) };
    expect(refusalOf(await store.bind(anew)).code).toBe('store/conflict');
    expect((await store.get(at('10.0.0.0')))?.holders).toMatchObject([{ owner: { cluster: 'c9' } }]);
  });

  test('give what the cluster shows to the new name, which may end it', async () => {
    const { store } = subject;
    const uses = usesOf(store);
    await store.reportCluster({ cluster: 'c1', name: 'north' });
    await uses.write(shows('10.0.0.5'));
    await uses.write(shows('10.0.0.6', { cluster: 'c2' }));
    await uses.complete({ cluster: 'c1', networks: ['default'] });
    const since = await uses.completeSince('c1');
    await rename('c1', 'c9');

    expect(await uses.list({ by: 'cluster', cluster: 'c1' })).toEqual([]);
    expect(await uses.list({ by: 'cluster', cluster: 'c9' })).toMatchObject([
      { ...at('10.0.0.5'), source: 'Node/worker-1', weight: 'occupied' },
    ]);
    expect(await uses.list({ by: 'cluster', cluster: 'c2' })).toHaveLength(1);
    expect([since.size, await uses.completeSince('c9'), await uses.completeSince('c1')]).toEqual([1, since, new Map()]);
    expect((await store.get(at('10.0.0.5')))?.foreign).toEqual({ cluster: 'c9', source: 'Node/worker-1' });
    await uses.write(leaves('10.0.0.5', 'c9'));
    expect(await store.get(at('10.0.0.5'))).toBeUndefined();
    expect(subject.changes).toEqual([{ kind: 'freed', pool: '', ...at('10.0.0.5'), length: 32 }]);
    await taken(store, 'web', {
      address: '10.0.0.5',
      holder: holderOf('web', { owner: ownerOf('web', { cluster: 'c9' }) }),
    });
  });

  test('let a Service take what it showed before under the old name', async () => {
    const { store } = subject;
    await store.reportCluster({ cluster: 'c1', name: 'north' });
    const use = { source: 'Service/a/web', weight: 'occupied' } as const;
    await usesOf(store).write(shows('10.0.0.5', { use }));
    await rename('c1', 'c9');

    const holder = holderOf('web', { owner: ownerOf('web', { cluster: 'c9' }) });
    expect(await taken(store, 'web', { address: '10.0.0.5', holder })).toMatchObject({ state: 'held' });
  });

  test('leave what the new name shows at an address, and settle what that frees', async () => {
    const { store } = subject;
    await store.reportCluster({ cluster: 'c1', name: 'north' });
    const uses = usesOf(store);
    const avoided = { source: 'Service/a/web', weight: 'avoided' } as const;
    const other = { source: 'Node/worker-9', weight: 'occupied' } as const;
    for (const address of ['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3']) await uses.write(shows(address));
    await uses.write(shows('10.0.0.1', { cluster: 'c9', use: other }));
    await uses.write(shows('10.0.0.2', { cluster: 'c9', use: avoided }));
    await uses.write(shows('10.0.0.3', { cluster: 'c0', use: other }));
    await uses.complete({ cluster: 'c9', networks: ['default'] });
    await uses.complete({ cluster: 'c1', networks: ['default', 'vpn'] });
    await rename('c1', 'c9');

    expect((await uses.list({ by: 'cluster', cluster: 'c9' })).map(({ source }) => source)).toEqual([
      'Node/worker-1',
      'Node/worker-9',
      'Service/a/web',
      'Node/worker-1',
    ]);
    expect([...(await uses.completeSince('c9')).keys()].toSorted()).toEqual(['default', 'vpn']);
    const foreign = async (address: string) => (await store.get(at(address)))?.foreign;
    expect(await foreign('10.0.0.1')).toEqual({ cluster: 'c9', source: 'Node/worker-9' });
    expect(await foreign('10.0.0.2')).toBeUndefined();
    expect(await foreign('10.0.0.3')).toEqual({ cluster: 'c0', source: 'Node/worker-9' });
    // what is avoided comes last
    const chosen = [];
    const of = (name: string) => holderOf(name, { owner: ownerOf(name, { cluster: 'c9' }) });
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      chosen.push(addressText(await taken(store, name, { holder: of(name) })));
    expect(chosen).toEqual(['10.0.0.4', '10.0.0.5', '10.0.0.6', '10.0.0.7', '10.0.0.2']);
  });

  test('keep a claim beside what is shown at its address; it is in use again when the claim ends', async () => {
    const { store } = subject;
    const uses = usesOf(store);
    const owner = ownerOf('other', { cluster: 'c2' });
    const held = await taken(store, 'other', { address: '10.0.0.5', holder: holderOf('other', { owner }) });
    await store.reportCluster({ cluster: 'c1', name: 'north' });
    await uses.write(shows('10.0.0.5'));
    await rename('c1', 'c9');

    expect(await uses.met('c2')).toMatchObject([{ use: { cluster: 'c9', source: 'Node/worker-1' } }]);
    await store.release(releasing(held));
    expect((await store.get(at('10.0.0.5')))?.foreign).toEqual({ cluster: 'c9', source: 'Node/worker-1' });
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

  test('that are refused leave what is shown as it was', async () => {
    const { store } = subject;
    await usesOf(store).write(shows('10.0.0.5'));
    await taken(store, 'other', { holder: holderOf('other', { owner: ownerOf('other', { cluster: 'c2' }) }) });

    expect(refusalOf(await store.renameCluster({ from: 'c1', to: 'c2', keys: [] })).code).toBe('cluster/known');
    expect(await usesOf(store).list({ by: 'cluster', cluster: 'c1' })).toHaveLength(1);
  });

  test('refuse what is new under the old name, in the transaction of the write, until they are turned back', async () => {
    const { store } = subject;
    const before = await taken(store, 'web', { holder: holderOf('web') });
    await rename('c1', 'c9');
    const code = 'cluster/renamed';
    const late = taking('late', { holder: holderOf('late') });
    expect(refusalOf(await store.take(late))).toMatchObject({ code, value: 'c1' });
    expect(refusalOf(await store.take(taking('late', { address: '10.0.0.9' }))).code).toBe(code);
    expect(refusalOf(await store.take(takingBoth('late')))).toMatchObject({ code });
    const first = await store.takeFirst?.({ ...late, unless: [] });
    expect(first === undefined ? code : refusalOf(first).code).toBe(code);
    const [record] = await store.list({ by: 'cluster', cluster: 'c9' });
    const joined = binding(record ?? before, holderOf('joins'));
    expect(refusalOf(await store.bind(joined)).code).toBe(code);
    expect(refusalOf(await store.bind({ ...joined, holderId: firstHolder(record ?? before).id })).code).toBe(code);
    const uses = usesOf(store);
    expect(await uses.write(shows('10.0.0.7'))).toBe(false);
    await uses.complete({ cluster: 'c1', networks: ['default'] });
    await store.reportCluster({ cluster: 'c1', name: 'old' });

    expect(await listed(store, { by: 'cluster', cluster: 'c1' })).toEqual([]);
    expect(await uses.list({ by: 'cluster', cluster: 'c1' })).toEqual([]);
    expect(await uses.completeSince('c1')).toEqual(new Map());
    expect((await store.clusters()).map(({ cluster }) => cluster)).toEqual(['c9']);
    await taken(store, 'mine', { holder: holderOf('mine', { owner: ownerOf('mine', { cluster: 'c9' }) }) });
    await rename('c9', 'c1');
    await taken(store, 'late', { holder: holderOf('late') });
  });

  test('FU-07 empty the list of owners of the old name, also after ends of quarantines and of uses were told', async () => {
    const { store, clock } = subject;
    const { book } = openLedger({
      record: ownRecord(store),
      zones: new TestZones([{ name: 'z', prefixes: ['10.0.0.0/24'] }]),
      hasher: testHasher,
      clock: new ManualClock(),
    });
    const tolds: number[] = [];
    const grown: number[] = [];
    const note = async (): Promise<void> => {
      tolds.push(subject.changes.length);
      grown.push((await store.revision?.()) ?? Infinity);
    };
    const paused = await taken(store, 'paused', { address: '10.0.0.1' });
    await store.release(releasing(paused, { quarantineMs: 1_000 }));
    await taken(store, 'web', { address: '10.0.0.2' });
    await usesOf(store).write(shows('10.0.0.3'));
    await note();
    expect(await book.owners('c1')).toHaveLength(1);
    await clock.advance(1_000);
    // a prefix over an ended quarantine tells of both
    await taken(store, 'over', { address: '10.0.0.0', length: 31 });
    await usesOf(store).write(leaves('10.0.0.3'));
    await note();
    await rename('c1', 'c9');

    expect(await book.owners('c1')).toEqual([]);
    expect(await book.owners('c9')).toHaveLength(2);
    expect(grown[1]).toBeGreaterThanOrEqual((grown[0] ?? 0) + (tolds[1] ?? 0) - (tolds[0] ?? 0));
  });

  test('follow each other, and let go of a name whose successor is gone', async () => {
    const { store } = subject;
    const web = await taken(store, 'web', { holder: holderOf('web') });
    await rename('c1', 'c9');
    await rename('c9', 'c8');
    const refused = refusalOf(await store.take(taking('late')));
    expect([refused.code, refused.message]).toEqual(['cluster/renamed', renamedText('c1', 'c8')]);
    // FU-18: a look is judged as the take
    expect(refusalOf(await store.peek(taking('late')))).toEqual(refused);
    const record = await store.get(web);
    await store.release(releasing(record!));
    expect((await store.peek(taking('late'))).ok).toBe(true);
    await taken(store, 'late', { holder: holderOf('late') });
  });

  test('leave nothing under the old name, however many takes run beside them', async () => {
    const { store } = subject;
    await taken(store, 'web', { holder: holderOf('web') });
    const space = spaceOf('10.0.0.0/24');
    const takes = Array.from({ length: 40 }, (_, i) => () => store.take(taking(`s${String(i)}`, { space })));
    const outcomes = takes.slice(0, 20).map((take) => take());
    const renamed = store.renameCluster({ from: 'c1', to: 'c9', keys: [] });
    outcomes.push(...takes.slice(20).map((take) => take()));
    const codes = (await Promise.all(outcomes)).map((each) => (each.ok ? 'taken' : each.refusal.code));
    expect((await renamed).ok).toBe(true);

    expect(codes.filter((code) => code !== 'taken' && code !== 'cluster/renamed')).toEqual([]);
    expect(refusalOf(await store.take(taking('last'))).code).toBe('cluster/renamed');
    expect(await listed(store, { by: 'cluster', cluster: 'c1' })).toEqual([]);
  });
});

contract('FU-05 claims of an identity', STORES, (open) => {
  const subject = subjectOf(open);
  const originOf = (uid: string, note: OwnStore['note']): IdentityOrigin =>
    new IdentityOrigin({ own: () => Promise.resolve(uid), note: (change) => note({ name: 'origin:c1', ...change }) });

  test('are those of one of two operators that begin at once, in whatever order their writes come', async () => {
    const { store } = subject;
    const other = originOf('other', (note) => store.note(note));
    const held = originOf('held', async (note) => {
      if (note.text !== undefined) await other.claim();
      return store.note(note);
    });
    await Promise.all([held.look(), other.look()]);
    await held.claim();
    expect([held.other(), other.other()]).toEqual(['other', undefined]);
    await Promise.all([held.look(), other.look()]);
    expect([held.other(), other.other()]).toEqual(['other', undefined]);
  });

  test('are those of exactly one of many that begin at once', async () => {
    const { store } = subject;
    const origins = Array.from({ length: 12 }, (_, i) => originOf(`uid-${String(i)}`, (note) => store.note(note)));
    await Promise.all(origins.map((origin) => origin.look()));
    await Promise.all(origins.map((origin) => origin.claim()));
    expect(origins.filter((origin) => origin.other() === undefined)).toHaveLength(1);
    expect(new Set(origins.map((origin) => origin.other() ?? '')).size).toBe(2);
  });

  test('are taken over from the one that is named, and from no other', async () => {
    const { store } = subject;
    const [first, second] = ['one', 'two'].map((uid) => originOf(uid, (note) => store.note(note)));
    await first!.look();
    await first!.claim();
    await second!.look();
    expect(refusalOf(await second!.forget('three', false)).code).toBe('api/not-found');
    expect((await second!.forget('one', false)).ok).toBe(true);
    await first!.look();
    expect([first!.other(), second!.other()]).toEqual(['two', undefined]);
    expect(await store.note({ name: 'none', text: 'x', expected: 'y' })).toBe('');
  });
});
