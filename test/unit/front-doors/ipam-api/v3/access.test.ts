import type { ClientProps } from '../../../../../operator/contract/ipam-api/v3/clients';
import { operation, OPERATION_IDS, pathOf } from '../../../../../operator/contract/ipam-api/v3/operations';
import { hashOf, V3_CLIENTS } from '../../../../support/remote-book';
import { claimBody, V3World } from '../../../../support/v3-world';

const members = { clusterUid: 'c1', key: 'k', zone: 'z', network: 'default', address: '192.0.2.1', name: 'n' };
const oneClient = (change: Partial<ClientProps> = {}): ClientProps => ({
  name: 'c1',
  role: 'cluster',
  clusterUids: ['c1'],
  tokenSha256: [hashOf('token-of-c1')],
  ...change,
});

describe('login of version 3', () => {
  test.each(OPERATION_IDS.filter((id) => operation(id).roles !== undefined))(
    'asks for one before %s reads anything',
    async (id) => {
      const world = new V3World();
      const { method } = operation(id);
      const none = await world.send(method, pathOf(id, members), { as: '' });
      expect(none).toMatchObject({ status: 401, json: { code: 'api/unauthenticated', status: 401 } });
      expect(none.headers['www-authenticate']).toContain('Bearer');
      const wrong = await world.send(method, pathOf(id, members), { as: 'nobody', body: '{"secret": ' });
      expect(wrong.status).toBe(401);
    },
  );

  test('needs none for the description of the interface', async () => {
    const answer = await new V3World().send('GET', '/v3/openapi.json', { as: '' });
    expect(answer).toMatchObject({ status: 200, json: { openapi: '3.1.0' } });
  });

  test.each(OPERATION_IDS.filter((id) => operation(id).roles !== undefined && operation(id).stream !== true))(
    'lets the roles of %s in and no others',
    async (id) => {
      const world = new V3World();
      const { method, roles = [] } = operation(id);
      for (const [as, role] of [
        ['c1', 'cluster'],
        ['reader', 'reader'],
        ['admin', 'admin'],
      ] as const) {
        const { json } = await world.send(method, pathOf(id, members), { as });
        expect([role, json['code'] === 'api/forbidden']).toEqual([role, !roles.includes(role)]);
      }
    },
  );

  test('keeps a cluster from the claims of another one, by path, by key and by body', async () => {
    const world = new V3World();
    const made = await world.send('PUT', '/v3/clusters/c1/claims/k', { as: 'c1', body: claimBody() });
    expect(made.status).toBe(201);
    const handle = encodeURIComponent(`@default,192.0.2.0,1`);
    expect((await world.send('GET', `/v3/clusters/c1/claims/${handle}`, { as: 'c1' })).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v3/clusters/c1/claims/k'],
      ['PUT', '/v3/clusters/c1/claims/k'],
      ['DELETE', '/v3/clusters/c1/claims/k'],
      ['GET', '/v3/clusters/c1/claims'],
      ['PUT', '/v3/clusters/c1/report'],
      ['DELETE', '/v3/clusters/c1?dryRun=false'],
      ['GET', '/v3/clusters/c1/events'],
    ] as const) {
      const answer = await world.send(method, path, { as: 'c2', ...(method === 'PUT' ? { body: claimBody() } : {}) });
      expect([path, answer.status, answer.json['code']]).toEqual([path, 403, 'api/forbidden']);
    }
    expect((await world.send('GET', `/v3/clusters/c2/claims/${handle}`, { as: 'c2' })).status).toBe(404);
    const released = await world.send('DELETE', `/v3/clusters/c2/claims/${handle}`, { as: 'c2' });
    expect(released.json).toEqual({ released: [] });
    const planned = await world.send('POST', '/v3/plan', { as: 'c2', body: { clusterUid: 'c1', ...claimBody() } });
    expect(planned.json['code']).toBe('api/forbidden');
    expect(await world.ledger.record('192.0.2.0')).toBeDefined();
  });

  test('follows another list of clients at once', async () => {
    const world = new V3World({ clients: [oneClient()] });
    expect((await world.send('GET', '/v3/zones', { as: 'c1' })).status).toBe(200);
    world.clients = [oneClient({ tokenSha256: [hashOf('another')] })];
    expect((await world.send('GET', '/v3/zones', { as: 'c1' })).status).toBe(401);
  });

  test('limits the rate of one client, says when to come again, and leaves the others alone', async () => {
    const slow = oneClient({ requestsPerSecond: 0.5, burst: 2 });
    const world = new V3World({ clients: [slow, ...V3_CLIENTS.filter(({ name }) => name !== 'c1')] });
    const ask = (as: string) => world.send('GET', '/v3/zones', { as });
    expect([(await ask('c1')).status, (await ask('c1')).status]).toEqual([200, 200]);
    const refused = await ask('c1');
    expect(refused).toMatchObject({ status: 429, json: { code: 'api/rate-limit', retryAfterSeconds: 2 } });
    expect(refused.headers['retry-after']).toBe('2');
    expect((await ask('c2')).status).toBe(200);
    world.ledger.clock.advance(2_000);
    expect((await ask('c1')).status).toBe(200);
  });

  test('counts what a cluster and a namespace hold against the quotas of the client', async () => {
    const world = new V3World({ clients: [oneClient({ clusterQuota: 3, namespaceQuota: 2 })] });
    const put = (key: string, namespaceUid: string) => {
      const body = claimBody({}, { namespaceUid, serviceName: key });
      return world.send('PUT', `/v3/clusters/c1/claims/${key}`, { as: 'c1', body });
    };
    expect([(await put('a', 'n1')).status, (await put('b', 'n1')).status]).toEqual([201, 201]);
    expect(await put('c', 'n1')).toMatchObject({ status: 429, json: { code: 'namespace/quota' } });
    expect((await put('c', 'n2')).status).toBe(201);
    expect(await put('d', 'n2')).toMatchObject({ status: 429, json: { code: 'cluster/quota' } });
    expect((await put('a', 'n1')).status).toBe(200);
  });

  test('FU-31 counts an address that a cluster or a namespace joins as it counts one that is taken', async () => {
    const limited = oneClient({ clusterQuota: 2, namespaceQuota: 1 });
    const world = new V3World({ clients: [limited, ...V3_CLIENTS.filter(({ name }) => name !== 'c1')] });
    const put = (key: string, namespaceUid: string, shared?: string) => {
      const address = shared === undefined ? {} : { address: shared };
      const body = claimBody(address, { namespaceUid, serviceName: key });
      return world.send('PUT', `/v3/clusters/c1/claims/${key}`, { as: 'c1', body });
    };
    const taken = async (cluster: string, key: string): Promise<string> => {
      const body = claimBody({}, { namespaceUid: 'far', serviceName: key });
      const { json } = await world.send('PUT', `/v3/clusters/${cluster}/claims/${key}`, { as: cluster, body });
      return String(json['address']);
    };
    const [first, second, third] = [await taken('c2', 'a'), await taken('c2', 'b'), await taken('c2', 'c')];
    expect((await put('a', 'n1', first)).status).toBe(201);
    expect(await put('b', 'n1', second)).toMatchObject({ status: 429, json: { code: 'namespace/quota' } });
    expect((await put('b', 'n2', second)).status).toBe(201);
    expect(await put('c', 'n3', third)).toMatchObject({ status: 429, json: { code: 'cluster/quota' } });
    // an address that the cluster, or the namespace, has already adds none
    expect((await put('d', 'n1', first)).status).toBe(201);
    expect((await put('e', 'n3', first)).status).toBe(201);
  });
});
