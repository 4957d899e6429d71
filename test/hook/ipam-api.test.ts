import { call } from '../support/loopback';
import { IpamApiWorld, v2Body } from '../support/ipam-api-world';

const REGISTERED = 'Address registered successfully';
const UPDATED = 'Address updated successfully';
const RELEASED = 'Service expiration set successfully';
const DAY_MS = 86_400_000;
const OTHER_CLUSTER = { cluster_id: 'cluster-2' };

describe('IPAM-API version 2', () => {
  let world: IpamApiWorld;

  beforeEach(async () => {
    world = await new IpamApiWorld().start();
  });

  afterEach(() => world.server.close());

  describe('registering', () => {
    test('gives the lowest free address with its host length', async () => {
      const { status, json } = await world.register(v2Body());
      expect([status, json]).toEqual([200, { message: REGISTERED, address: '83.118.168.0/32' }]);
    });

    test.each([
      ['no content type', {}],
      ['the one of curl', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['plain text', { 'content-type': 'text/plain' }],
      ['JSON with a parameter', { 'content-type': 'application/json; charset=utf-8' }],
    ])('FU-44 takes a body of %s, as the original does', async (_what, headers) => {
      const { port } = world;
      const register = { port, method: 'POST', path: '/v2/address', headers, body: JSON.stringify(v2Body()) };
      const { status, text } = await call(register);
      expect([status, JSON.parse(text)]).toEqual([200, { message: REGISTERED, address: '83.118.168.0/32' }]);
      const held = JSON.stringify(v2Body({ address: '83.118.168.0/32' }));
      expect((await call({ ...register, method: 'DELETE', path: '/v2/service', body: held })).status).toBe(200);
    });

    test('gives an IPv6 address with /128', async () => {
      const { json } = await world.register(v2Body({ ip_family: 'ipv6' }));
      expect(json).toEqual({ message: REGISTERED, address: '2a05:1234::/128' });
    });

    test('gives a specific free address', async () => {
      const { json } = await world.register(v2Body({ address: '83.118.168.10/32' }));
      expect(json).toEqual({ message: REGISTERED, address: '83.118.168.10/32' });
    });

    test('confirms what the same service has, with and without the address', async () => {
      await world.register(v2Body());
      const [confirmed, asked] = [
        await world.register(v2Body({ address: '83.118.168.0/32' })),
        await world.register(v2Body()),
      ];
      expect([confirmed.json, asked.json]).toEqual(Array(2).fill({ message: UPDATED, address: '83.118.168.0/32' }));
    });

    test('joins another service and another cluster with the same secret', async () => {
      await world.register(v2Body());
      const joined = await world.register(v2Body({ address: '83.118.168.0/32' }, OTHER_CLUSTER));
      expect([joined.status, joined.json]).toEqual([200, { message: UPDATED, address: '83.118.168.0/32' }]);
    });

    test('gives another service without an address one of its own', async () => {
      await world.register(v2Body());
      expect((await world.register(v2Body({}, { service_name: 'api' }))).json.address).toBe('83.118.168.1/32');
    });

    test('gives one service two addresses when it names the second', async () => {
      await world.register(v2Body());
      const second = await world.register(v2Body({ address: '83.118.168.9/32' }));
      expect(second.json).toEqual({ message: REGISTERED, address: '83.118.168.9/32' });
    });

    test('gives back the retained address, and then it stays', async () => {
      const { json } = await world.register(v2Body());
      await world.release(v2Body({ address: json.address }, { retention_period_days: 30 }));
      world.ledger.clock.advance(29 * DAY_MS);
      expect((await world.register(v2Body())).json).toEqual({ message: UPDATED, address: json.address });
      expect(await world.ledger.record('83.118.168.0')).toMatchObject({ holders: [{ state: 'bound' }] });
    });

    test('keeps the options of the last call', async () => {
      await world.register(v2Body());
      await world.register(v2Body({}, { retention_period_days: 7, deny_external_cleanup: true }));
      const record = await world.ledger.record('83.118.168.0');
      expect(record?.holders[0]?.options).toEqual({ retentionPeriodDays: 7, denyExternalCleanup: true });
    });

    test('serves operators of 2025 on the root', async () => {
      const registered = await world.send('POST', '/', v2Body());
      const released = await world.send('DELETE', '/', v2Body({ address: registered.json.address }));
      expect([registered, released].map(({ status, json }) => [status, json.message])).toEqual([
        [200, REGISTERED],
        [200, RELEASED],
      ]);
    });

    test('W-02 gives parallel calls of one service the same address', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => world.register(v2Body())));
      expect(new Set(answers.map(({ json }) => json.address))).toEqual(new Set(['83.118.168.0/32']));
      expect(await world.ledger.tally()).toEqual({ held: 1, quarantined: 0 });
    });
  });

  describe('rotating', () => {
    const rotate = (change: Readonly<Record<string, unknown>> = {}) =>
      world.register(v2Body({ new_secret: 'battery-staple', ...change }));

    test('replaces the secret of the only holder', async () => {
      const { json } = await world.register(v2Body());
      expect((await rotate({ address: json.address })).json).toEqual({ message: UPDATED, address: json.address });
      const [old, now] = [
        await world.release(v2Body({ address: json.address })),
        await world.release(v2Body({ address: json.address, secret: 'battery-staple' })),
      ];
      expect([old.status, now.status]).toEqual([403, 200]);
    });

    test('finds the address of the service when none is named', async () => {
      const { json } = await world.register(v2Body());
      expect((await rotate()).json).toEqual({ message: UPDATED, address: json.address });
    });

    test('can be sent again', async () => {
      const { json } = await world.register(v2Body());
      const answers = [await rotate({ address: json.address }), await rotate({ address: json.address })];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });

    test('is refused while others share the address', async () => {
      const { json } = await world.register(v2Body());
      await world.register(v2Body({ address: json.address }, OTHER_CLUSTER));
      const { status, json: refused } = await rotate({ address: json.address });
      expect([status, refused.code]).toEqual([409, 'secret/shared']);
    });

    test('is refused to another service with the right secret', async () => {
      const { json } = await world.register(v2Body());
      const refused = await world.register(
        v2Body({ address: json.address, new_secret: 'battery-staple' }, OTHER_CLUSTER),
      );
      expect([refused.status, refused.json.code]).toEqual([409, 'address/held']);
    });

    test('is refused with a wrong secret', async () => {
      await world.register(v2Body());
      expect((await rotate({ secret: 'wrong-horse' })).json.code).toBe('secret/wrong');
    });

    test('of an address that nobody holds registers it under the present secret', async () => {
      expect((await rotate({ address: '83.118.168.3/32' })).json.message).toBe(REGISTERED);
      expect((await world.release(v2Body({ address: '83.118.168.3/32' }))).status).toBe(200);
    });

    test('to the same secret is a confirmation', async () => {
      const { json } = await world.register(v2Body());
      expect((await rotate({ new_secret: 'correct-horse' })).json).toEqual({ message: UPDATED, address: json.address });
    });

    test.each([
      ['7 characters', '1234567'],
      ['65 characters', 'x'.repeat(65)],
    ])('W-10 refuses a new secret of %s, and the old one stays', async (_name, newSecret) => {
      const { json } = await world.register(v2Body());
      const refused = await rotate({ address: json.address, new_secret: newSecret });
      expect([refused.status, refused.json.code]).toEqual([400, 'api/malformed']);
      expect((await world.register(v2Body({ address: json.address }))).status).toBe(200);
    });
  });

  describe('releasing', () => {
    test('takes a negative retention for none, since the operator of the original does not say when a release was refused', async () => {
      const { json } = await world.register(v2Body());
      const released = await world.release(v2Body({ address: json.address }, { retention_period_days: -3 }));
      expect([released.status, released.json]).toEqual([200, { message: RELEASED, address: json.address }]);
    });

    test('frees the address without retention', async () => {
      const { json } = await world.register(v2Body());
      const released = await world.release(v2Body({ address: json.address }));
      expect([released.status, released.json]).toEqual([200, { message: RELEASED, address: json.address }]);
      expect((await world.register(v2Body({ secret: 'another-secret' }, OTHER_CLUSTER))).json.address).toBe(
        json.address,
      );
    });

    test('W-23 keeps the address for the days of retention, for its secret only', async () => {
      const { json } = await world.register(v2Body());
      await world.release(v2Body({ address: json.address }, { retention_period_days: 1 }));
      const foreign = await world.register(v2Body({ address: json.address, secret: 'another-secret' }, OTHER_CLUSTER));
      expect(foreign.status).toBe(403);
      expect((await world.register(v2Body({ address: json.address }, { service_name: 'heir' }))).status).toBe(200);
    });

    test('keeps the address while another service has it', async () => {
      const { json } = await world.register(v2Body());
      await world.register(v2Body({ address: json.address }, OTHER_CLUSTER));
      await world.release(v2Body({ address: json.address }));
      expect((await world.register(v2Body({ address: json.address }, OTHER_CLUSTER))).json.message).toBe(UPDATED);
    });

    test('can be sent again while the address rests', async () => {
      const body = v2Body({ zone: 'hnet-private', address: '172.16.0.3/32' });
      await world.register(body);
      const answers = [await world.release(body), await world.release(body)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });

    test('W-38 answers 404 for a service that has no claim there', async () => {
      const { status, json } = await world.release(v2Body({ address: '83.118.168.4/32' }));
      expect([status, json.code]).toEqual([404, 'claim/not-found']);
    });

    test('needs the address', async () => {
      const { status, json } = await world.release(v2Body());
      expect([status, json.message]).toEqual([
        400,
        '"address" is missing; give one IP address, bare or with the length of a single host (/32 or /128)',
      ]);
    });
  });
});
