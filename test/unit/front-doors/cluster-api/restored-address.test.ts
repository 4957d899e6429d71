import { ClusterApiWorld } from '../../../support/cluster-api-world';

interface Restored {
  readonly address?: string;
  readonly spec?: object;
  readonly reason?: string;
}

describe('an IPAddress that any tenant may write', () => {
  const worlds: ClusterApiWorld[] = [];
  const world = (spec: object = {}): ClusterApiWorld => {
    const made = new ClusterApiWorld();
    worlds.push(made);
    made.namespace('test');
    made.group('g', { segment: '192.0.2.0/29', ...spec });
    return made;
  };
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((each) => each.close()));
  });

  test.each([
    ['an address that is of both families', '::ffff:192.0.2.1', 'g'],
    ['a pool whose name no object can have', '192.0.2.1', 'g'.repeat(300)],
    ['a pool that does not exist', '192.0.2.1', 'none'],
  ])('stops neither Services nor other claims with %s', async (_title, address, pool) => {
    const made = world();
    made.address('bad', address, pool);
    made.claim('good');
    made.address('good', '192.0.2.3');
    const service = made.service('web');
    await made.open();
    await made.controller.compare();
    await made.controller.reconcile(service);
    expect(made.condition('web')).toMatchObject({ status: 'True' });
    expect(made.ip('192.0.2.3')).toMatchObject({ holders: [{ name: 'good' }] });
    expect(made.ip('192.0.2.1')).toBeUndefined();
    const warned = made.logger.lines.filter(({ message }) => message.includes('is not its own by the record'));
    expect(warned.map(({ fields }) => fields['name'])).toEqual(['bad']);
  });

  test('does not stop others where its entry cannot be written, and nothing else gets its address', async () => {
    const made = world();
    made.address('bad', '192.0.2.0');
    made.address('good', '192.0.2.3');
    const service = made.service('web');
    made.server.intercept = ({ method, body }) => {
      if (method === 'POST' && JSON.stringify(body).includes('192.0.2.0')) throw new TypeError('one object alone');
      return undefined;
    };
    await made.open();
    await made.controller.compare();
    made.server.intercept = () => undefined;
    await made.controller.reconcile(service);
    expect(made.ip('192.0.2.3')).toMatchObject({ holders: [{ name: 'good' }] });
    expect(made.ip('192.0.2.1')).toMatchObject({ holders: [{ name: 'web' }] });
    expect(made.logger.text).toContain('was not put on record and is tried again');
    await made.controller.compare();
    expect(made.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'bad' }] });
  });

  test.each<[string, Restored]>([
    ['outside of the segments', { address: '198.51.100.1' }],
    ['that the group excludes', { spec: { excludedIPs: ['192.0.2.1'] } }],
    ['that a Service shows', { address: '192.0.2.5' }],
    ['that is of both families', { address: '::ffff:192.0.2.1' }],
    ['of a group of other tenants', { spec: { namespaces: { matchLabels: { team: 'b' } } }, reason: 'PoolNotReady' }],
  ])(
    'gets no address %s',
    async (_title, { address = '192.0.2.1', spec = {}, reason = 'AllocationFailed' }: Restored) => {
      const made = world(spec);
      const key = made.claim('bad');
      made.address('bad', address);
      // of another controller: this door gave it nothing
      made.service('other', { shows: '192.0.2.5', isForeign: true });
      await made.open();
      await made.controller.compare();
      await made.claims.reconcile(key);
      expect(made.ip(address)).toBeUndefined();
      expect(made.ready('bad')).toMatchObject({ status: 'False', reason });
    },
  );

  test('gets the address of its group that nothing else has', async () => {
    const made = world({ namespaces: { matchLabels: { team: 'a' } }, draining: true });
    made.namespace('test', { team: 'a' });
    const key = made.claim('good');
    made.address('good', '192.0.2.3');
    await made.open();
    await made.controller.compare();
    await made.claims.reconcile(key);
    expect(made.ready('good')).toMatchObject({ status: 'True' });
    expect(made.ip('192.0.2.3')).toMatchObject({ holders: [{ name: 'good', uid: key.uid }] });
  });

  // the Machines of a cluster that manages itself have the addresses of its claims
  test('gets the address that a Node shows, which nothing else is given', async () => {
    const made = world();
    const status = { addresses: [{ type: 'InternalIP', address: '192.0.2.0' }] };
    made.nodes.put({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'uid-n1' }, status });
    const key = made.claim('machine');
    made.address('machine', '192.0.2.0');
    const [service, fresh] = [made.service('web'), made.claim('fresh')];
    await made.open();
    await made.controller.compare();
    await made.claims.reconcile(key);
    expect(made.ready('machine')).toMatchObject({ status: 'True' });
    expect(made.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'machine', uid: key.uid }] });
    await made.controller.reconcile(service);
    await made.claims.reconcile(fresh);
    expect([made.shown('web'), made.ip('192.0.2.2')]).toMatchObject(['192.0.2.1', { holders: [{ name: 'fresh' }] }]);
  });
});
