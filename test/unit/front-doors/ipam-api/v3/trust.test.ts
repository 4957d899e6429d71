import type { ClientProps } from '../../../../../operator/contract/ipam-api/v3/clients';
import { LedgerWorld } from '../../../../support/ledger-world';
import { hashOf, V3_CLIENTS } from '../../../../support/remote-book';
import { claimBody, V3World, type V3Reply } from '../../../../support/v3-world';

const ZONES = [
  { name: 'hnet-private', prefixes: ['172.16.0.0/24'], excluded: ['172.16.0.1'], quota: 1 },
  { name: 'inet', prefixes: ['203.0.113.0/24'] },
  { name: 'vault', prefixes: ['198.51.100.0/24'], namespaces: { matchLabels: { team: 'vault' } } },
];
const OPERATOR: ClientProps = {
  name: 'operator',
  role: 'cluster',
  clusterUids: ['c1'],
  operator: true,
  burst: 100_000,
  tokenSha256: [hashOf('token-of-operator')],
};
const newWorld = (): V3World => new V3World({ ledger: new LedgerWorld(ZONES), clients: [...V3_CLIENTS, OPERATOR] });

type Change = Readonly<Record<string, unknown>> & { readonly of?: object };

function put(world: V3World, as: string, { of = {}, ...change }: Change): Promise<V3Reply> {
  const body = claimBody({ zone: 'hnet-private', as: 'lease', ...change }, of);
  return world.send('PUT', `/v3/clusters/c1/claims/x${String(change['address'])}`, { as, body });
}

describe('adopt of version 3', () => {
  test.each([
    ['8.8.8.8', { c1: 'address/outside-zone', operator: undefined, admin: undefined }],
    ['172.16.0.1', { c1: 'address/excluded', operator: undefined, admin: undefined }],
    ['203.0.113.61', { c1: 'address/outside-zone', operator: 'address/outside-zone', admin: 'address/outside-zone' }],
    ['127.0.0.1', { c1: 'address/unusable', operator: 'address/unusable', admin: 'address/unusable' }],
    ['224.0.0.1', { c1: 'address/unusable', operator: 'address/unusable', admin: 'address/unusable' }],
  ])('takes %s over on the word of an operator or administrator at most', async (address, codes) => {
    for (const [as, code] of Object.entries(codes)) {
      const answer = await put(newWorld(), as, { adopt: 'takeover', address });
      expect([as, answer.json['code']]).toEqual([as, code]);
    }
  });

  test.each(['announced', 'served', 'takeover'])('"%s" without an address passes no limit', async (adopt) => {
    const world = newWorld();
    await put(world, 'c1', { of: { serviceName: 'first' } });
    for (const as of ['c1', 'operator', 'admin']) {
      expect(await put(world, as, { adopt })).toMatchObject({ status: 400, json: { field: 'address' } });
    }
  });

  test('"takeover" ends with the first hour of a cluster, but for an administrator', async () => {
    const world = newWorld();
    await put(world, 'c1', { adopt: 'takeover', address: '172.16.0.2' });
    world.ledger.clock.advance(3_600_000);
    const late = { adopt: 'takeover', address: '172.16.0.3' };
    for (const as of ['c1', 'operator']) {
      expect(await put(world, as, late)).toMatchObject({
        status: 403,
        json: { code: 'api/forbidden', field: 'adopt' },
      });
    }
    expect((await put(world, 'operator', { ...late, adopt: 'announced' })).status).toBe(201);
    expect((await put(world, 'admin', { ...late, address: '172.16.0.4' })).status).toBe(201);
    // the record came from an older backup, and the zone lost the address since
    const served = { adopt: 'served', address: '8.8.8.8' };
    expect((await put(world, 'c1', served)).json['code']).toBe('address/outside-zone');
    expect((await put(world, 'operator', served)).status).toBe(201);
  });
});

describe('a zone of chosen namespaces', () => {
  test('takes the name of a namespace from an operator and an administrator alone', async () => {
    const asked = { zone: 'vault', of: { namespace: 'zz' } };
    const refused = await put(newWorld(), 'c1', asked);
    expect(refused).toMatchObject({ status: 403, json: { code: 'zone/forbidden', value: 'vault' } });
    for (const as of ['operator', 'admin']) expect((await put(newWorld(), as, asked)).status).toBe(201);
  });

  test('is closed to a plan and to an adoption in the same way', async () => {
    const world = newWorld();
    const plan = { clusterUid: 'c1', ...claimBody({ zone: 'vault' }) };
    expect((await world.send('POST', '/v3/plan', { as: 'c1', body: plan })).json['code']).toBe('zone/forbidden');
    expect((await world.send('POST', '/v3/plan', { as: 'operator', body: plan })).status).toBe(200);
    const adopted = await put(world, 'c1', { zone: 'vault', adopt: 'takeover', address: '198.51.100.7' });
    expect(adopted.json['code']).toBe('zone/forbidden');
  });

  test('leaves a claim to its cluster that was made while everybody could have one', async () => {
    const world = newWorld();
    await put(world, 'c1', { zone: 'inet' });
    world.ledger.zones.become([{ ...ZONES[2], name: 'inet', prefixes: ['203.0.113.0/24'] }]);
    expect((await put(world, 'c1', { zone: 'inet' })).status).toBe(200);
  });
});
