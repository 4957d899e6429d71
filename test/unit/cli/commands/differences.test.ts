import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { CliOperator } from '../../../support/cli-operator';

const operator = new CliOperator('version: 1\nzones: []\n');
let server: Server;
let answer: object = {};

beforeAll(async () => {
  server = createServer((_request, reply) => {
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  server.listen(operator.at('admin.sock'));
  await once(server, 'listening');
});

afterAll(async () => {
  server.close();
  await operator.dispose();
});

const difference = {
  kind: 'foreign',
  network: 'default',
  zone: 'inet',
  address: '10.1.0.5',
  since: '2026-01-01T00:00:00Z',
  outside: 'NetBox has it for another owner',
  holders: [{ clusterUid: 'c', namespace: 'shop', serviceName: 'web', state: 'bound' }],
  next: 'create',
  nextAt: '2026-01-02T00:00:00Z',
};
const compared = { source: 'NetBox', comparedAt: '2026-01-01T12:00:00Z', unread: [] };

describe('ipam differences', () => {
  test('tells both sides of each difference, and exits with 2', async () => {
    answer = { ...compared, total: 1_200, entries: [difference] };
    const { code, out, err } = await operator.run(['differences']);
    expect(code).toBe(2);
    expect(out).toMatch(/^foreign .* NetBox has it for another owner +shop\/web \(bound\) +create at 2026-01-02/mu);
    expect(err).toContain('1200 differences');
    expect(err).toContain('only 1 of them are shown');
  });

  test('names the clusters of two holders of one name', async () => {
    const [first] = difference.holders;
    answer = { ...compared, total: 1, entries: [{ ...difference, holders: [first, { ...first, clusterUid: 'd' }] }] };
    const { out } = await operator.run(['differences']);
    expect(out).toContain('shop/web of cluster c (bound), shop/web of cluster d (bound)');
  });

  test('exits with 0 where both agree, with 5 where zones are left out, and with 4 before the first comparison', async () => {
    answer = { ...compared, total: 0, entries: [] };
    expect((await operator.run(['differences'])).code).toBe(0);
    answer = { ...compared, total: 0, entries: [], unread: ['inet'] };
    expect(await operator.run(['differences'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('inet') as string,
    });
    answer = { source: 'NetBox', total: 0, entries: [], unread: [] };
    expect((await operator.run(['differences'])).code).toBe(4);
  });
});
