import { listOf, metadataOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { ClusterApiWorld } from '../../../support/cluster-api-world';

const PAUSED = { annotations: { 'cluster.x-k8s.io/paused': '' } };
const SPACE = { segment: '192.0.2.0/29' };

describe('a claim of a group that changes', () => {
  const worlds: ClusterApiWorld[] = [];
  const world = (): ClusterApiWorld => {
    const made = new ClusterApiWorld();
    worlds.push(made);
    made.namespace('test');
    return made;
  };
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((each) => each.close()));
  });

  test('is looked at again once its group is paused no more', async () => {
    const made = world();
    made.group('g', SPACE, { uid: 'g', generation: 1, ...PAUSED });
    const keys = ['a', 'b'].map((name) => made.claim(name));
    await made.open();
    await made.controller.compare();
    await made.claims.compare();
    for (const each of keys) await made.claims.reconcile(each);
    expect(made.woken).toEqual([]);
    const heard = made.heard();
    made.group('g', SPACE, { uid: 'g', generation: 1 });
    await expect(heard).resolves.toBe('a');
    for (const each of keys) await made.claims.reconcile(each);
    expect(made.woken).toEqual(['a', 'b']);
    expect(made.ready('b')).toMatchObject({ status: 'True' });
  });

  test.each([
    ['another group', 'other', '192.0.2.0 from IPGroup g'],
    ['a group that is not there', 'none', 'IPGroup none does not exist'],
  ])('that was stored anew with %s has not the address of the former one', async (_what, pool, why) => {
    const made = world();
    made.group('g', SPACE);
    made.group('other', { segment: '198.51.100.0/29' });
    const key = made.claim('a');
    await made.open();
    await made.controller.compare();
    await made.claims.compare();
    await made.claims.reconcile(key);
    expect(made.ready('a')).toMatchObject({ status: 'True' });
    const owner = {
      cluster: '',
      apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
      kind: 'IPAddressClaim',
      namespaceUid: '',
    };
    const anew = { ...owner, namespace: 'test', name: 'a', uid: 'two' };
    const taken = await made.controller.pools.take(
      { kind: 'IPGroup', namespace: '', name: pool, part: '' },
      { owner: anew },
    );
    expect(taken).toMatchObject({ ok: false, refusal: { code: 'pool/not-ready' } });
    expect(JSON.stringify(taken)).toContain(why);
    expect(made.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'a', uid: key.uid }] });
  });

  test('has an IPAddress without the group as its owner, once the garbage collector took that off', async () => {
    const made = world();
    made.group('g', SPACE, { uid: 'g' });
    const key = made.claim('a');
    await made.open();
    await made.controller.compare();
    await made.claims.compare();
    await made.claims.reconcile(key);
    const stored = made.storedAddress('a');
    expect(ownersOf(stored).map(({ kind }) => kind)).toEqual(['IPAddressClaim', 'IPGroup']);
    const dying = made.groupChanged();
    made.group('g', SPACE, { uid: 'g', deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['foregroundDeletion'] });
    await dying;
    const ownerReferences = ownersOf(stored).slice(0, 1);
    const collected = made.seen('addresses', 'a', (each) => ownersOf(each).length === 1);
    made.putAddress('a', { ...stored, metadata: { ...metadataOf(stored), ownerReferences } });
    await collected;
    await made.claims.reconcile(key);
    expect(made.server.calls('PUT').filter((path) => path.includes('/ipaddresses/'))).toEqual([]);
    expect(ownersOf(made.storedAddress('a'))).toEqual(ownerReferences);
  });
});

const ownersOf = (object: JsonMap): readonly JsonMap[] =>
  listOf(metadataOf(object)['ownerReferences']) as readonly JsonMap[];
