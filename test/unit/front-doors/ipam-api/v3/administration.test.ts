import { LedgerWorld } from '../../../../support/ledger-world';
import { claimBody, DIFFERING, KEEPING_HASHER, V3World } from '../../../../support/v3-world';

const AT = '/v3/networks/default/addresses/192.0.2.0';
const SECRET = 'custom-secret-of-a';

function keepingWorld(): V3World {
  const ledger = new LedgerWorld();
  return new V3World({ ledger, parts: ledger.ledger(ledger.store, KEEPING_HASHER) });
}

describe('POST …/secret/reveal', () => {
  test('gives administrators the secret, which nobody may keep and no log line has', async () => {
    const world = keepingWorld();
    await world.send('PUT', '/v3/clusters/c1/claims/k', { as: 'c1', body: claimBody() });
    const revealed = await world.send('POST', `${AT}/secret/reveal`);
    expect([revealed.status, revealed.json]).toEqual([200, { secret: SECRET }]);
    expect(revealed.headers['cache-control']).toBe('no-store');
    expect(world.logger.lines.at(-1)).toMatchObject({
      level: 'info',
      fields: { operation: 'revealSecret', identity: 'client admin (admin)', network: 'default', address: '192.0.2.0' },
    });
    expect(world.logger.text).not.toContain(SECRET);
  });

  test.each(['c1', 'reader'])('is not for %s, also where the claim is its own', async (as) => {
    const world = keepingWorld();
    await world.send('PUT', '/v3/clusters/c1/claims/k', { as: 'c1', body: claimBody() });
    const answer = await world.send('POST', `${AT}/secret/reveal`, { as });
    expect([answer.status, answer.json['code']]).toEqual([403, 'api/forbidden']);
    expect(answer.text).not.toContain(SECRET);
  });

  test('is refused where secrets are hashes only, and tells so', async () => {
    const world = new V3World();
    await world.send('PUT', '/v3/clusters/c1/claims/k', { as: 'c1', body: claimBody() });
    const answer = await world.send('POST', `${AT}/secret/reveal`);
    expect([answer.status, answer.json['code']]).toEqual([409, 'secret/not-recoverable']);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/u);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json['detail']).toContain('--recoverable-secrets');
  });

  test('finds no secret of an address that nobody has', async () => {
    const answer = await keepingWorld().send('POST', `${AT}/secret/reveal`);
    expect([answer.status, answer.json['code']]).toEqual([404, 'claim/not-found']);
  });
});

describe('operations that go past the owners', () => {
  test.each([
    [`POST ${AT}/release`, { holderId: '1' }, { operation: 'releaseHolder', address: '192.0.2.0' }],
    [`POST ${AT}/secret`, { secret: 'another-secret' }, { operation: 'replaceSecret', address: '192.0.2.0' }],
    ['DELETE /v3/clusters/c1?dryRun=true', undefined, { operation: 'deleteCluster', cluster: 'c1', dryRun: true }],
    ['DELETE /v3/standing-claims/vip', undefined, { operation: 'deleteStanding', name: 'vip' }],
    ['POST /v3/import', { dryRun: false, claims: [] }, { operation: 'importClaims' }],
  ])('log %s with who asked, without a secret', async (call, body, fields) => {
    const world = new V3World();
    const [method = '', url = ''] = call.split(' ');
    await world.send(method, url, { body });
    const line = world.logger.lines.find(({ message }) => message === 'IPAM-API administration');
    expect(line?.fields).toMatchObject({ ...fields, identity: 'client admin (admin)' });
    expect(world.logger.text).not.toContain('another-secret');
  });
});

describe('GET /v3/outside/differences', () => {
  const path = '/v3/outside/differences';

  test('answers 404 where no outside source is set, so that it is not taken for agreement', async () => {
    const answer = await new V3World().send('GET', path);
    expect([answer.status, answer.json['code']]).toEqual([404, 'outside/none']);
  });

  test('lists what the newest comparison found, who holds the address and what becomes of it', async () => {
    const answer = await new V3World({ parts: { outside: DIFFERING } }).send('GET', path, { as: 'reader' });
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        source: 'NetBox',
        comparedAt: '1970-01-01T00:00:07.000Z',
        total: 2,
        unread: ['gone'],
        entries: [
          {
            kind: 'foreign',
            network: 'default',
            zone: 'z',
            address: '192.0.2.9',
            outside: 'NetBox has prefix 192.0.2.9/32 for somebody else',
            holders: [{ clusterUid: 'c1', namespace: 'a', serviceName: 'web', state: 'bound' }],
            since: '1970-01-01T00:00:05.000Z',
            next: 'create',
            nextAt: '1970-01-01T00:00:06.000Z',
          },
        ],
      },
    ]);
  });

  test('tells that nothing was compared yet', async () => {
    const outside = { name: 'NetBox', comparison: () => Promise.resolve(undefined) };
    const { json } = await new V3World({ parts: { outside } }).send('GET', path);
    expect(json).toEqual({ source: 'NetBox', total: 0, entries: [], unread: [] });
  });

  test('is not for clusters', async () => {
    const world = new V3World({ parts: { outside: DIFFERING } });
    expect((await world.send('GET', path, { as: 'c1' })).status).toBe(403);
  });
});
