import { IPAM_API_BODY_BYTES } from '../../operator/contract/ipam-api/v2';
import { IpamError } from '../../operator/errors/ipam-error';
import type { AddressBook } from '../../operator/ports/address-book';
import { IpamApiWorld, v2Body } from '../support/ipam-api-world';
import { call, callJson } from '../support/loopback';

const OTHER_CLUSTER = { cluster_id: 'cluster-2' };

describe('IPAM-API version 2', () => {
  let world: IpamApiWorld;

  beforeEach(async () => {
    world = await new IpamApiWorld().start();
  });

  afterEach(() => world.server.close());

  describe('refusals', () => {
    test.each(['83.118.168.0/24', '83.118.168.0/28', '2a05:1234::/64', '0.0.0.0/0'])(
      'W-21 refuses the network %s',
      async (address) => {
        const { status, json } = await world.register(
          v2Body({ address, ip_family: address.includes(':') ? 'ipv6' : 'ipv4' }),
        );
        expect([status, json.code]).toEqual([400, 'prefix/not-a-host']);
        expect(await world.ledger.tally()).toEqual({ held: 0, quarantined: 0 });
      },
    );

    test('W-21 finds an address that was named without its length', async () => {
      await world.register(v2Body({ address: '83.118.168.10' }));
      expect((await world.release(v2Body({ address: '83.118.168.10/32' }))).status).toBe(200);
    });

    test('W-22 takes every spelling of an IPv6 address for the same one', async () => {
      const spelled = (address: string) => v2Body({ ip_family: 'ipv6', address });
      const first = await world.register(spelled('2A05:1234:0:0::1/128'));
      const second = await world.register(spelled('2a05:1234::1'));
      const released = await world.release(spelled('2a05:1234:0000::0001/128'));
      expect([first, second, released].map(({ status, json }) => [status, json.address])).toEqual(
        Array(3).fill([200, '2a05:1234::1/128']),
      );
    });

    test.each<[string, Record<string, unknown>, number, string]>([
      ['a zone that does not exist', { zone: 'nowhere' }, 400, 'zone/unknown'],
      ['a family that the zone does not have', { zone: 'hnet-private', ip_family: 'ipv6' }, 422, 'zone/no-family'],
      ['an address outside of the zone', { address: '83.118.169.1/32' }, 422, 'address/outside-zone'],
      ['an address of the other family', { address: '2a05:1234::1/128' }, 400, 'address/wrong-family'],
      ['text that is no address', { address: 'web.example' }, 400, 'address/malformed'],
      [
        'an IPv4 address in IPv6 clothes',
        { address: '::ffff:83.118.168.1/128', ip_family: 'ipv6' },
        400,
        'address/unusable',
      ],
    ])('W-38 refuses %s', async (...[, change, status, code]) => {
      const answer = await world.register(v2Body(change));
      expect([answer.status, answer.json.code]).toEqual([status, code]);
      expect(answer.json.message).not.toBe('');
    });

    test('names the zones there are', async () => {
      expect((await world.register(v2Body({ zone: 'nowhere' }))).json.message).toBe(
        'no zone is named "nowhere"; the zones are "hnet-private", "inet", "tiny", "rationed", "chosen"',
      );
    });

    test.each(['', '100.64.0.9/32'])(
      'answers 403 to a new address (%p) of a zone of chosen namespaces',
      async (address) => {
        const { status, json } = await world.register(v2Body({ zone: 'chosen', address }));
        expect([status, json.code]).toEqual([403, 'zone/forbidden']);
        expect(json.message).toContain('zone "chosen" is open to some namespaces only');
        expect(await world.ledger.tally()).toEqual({ held: 0, quarantined: 0 });
      },
    );

    test('leaves an address to its holder after the zone was closed, and releases it', async () => {
      const { json } = await world.register(v2Body());
      world.ledger.zones.become([
        { name: 'inet', prefixes: ['83.118.168.0/28'], namespaces: { matchLabels: { a: 'b' } } },
      ]);
      expect((await world.register(v2Body())).json.address).toBe(json.address);
      expect((await world.release(v2Body({ address: json.address }))).status).toBe(200);
      expect((await world.register(v2Body())).json.code).toBe('zone/forbidden');
    });

    test.each(['"__proto__":{"zone":"moon"}', '"constructor":{"prototype":{"zone":"moon"}}'])(
      'ignores the member %s like every unknown one',
      async (member) => {
        const text = JSON.stringify(v2Body());
        const answer = await call({
          port: world.port,
          method: 'POST',
          path: '/v2/address',
          headers: { 'content-type': 'application/json' },
          body: `{${member},${text.slice(1)}`,
        });
        expect(answer.status).toBe(200);
      },
    );

    test('W-38 answers 403 to a wrong secret', async () => {
      const { json } = await world.register(v2Body());
      const answer = await world.register(v2Body({ address: json.address, secret: 'another-secret' }, OTHER_CLUSTER));
      expect([answer.status, answer.json.code]).toEqual([403, 'secret/wrong']);
    });

    test('W-38 answers 503 with retry-after to an exhausted zone', async () => {
      await world.register(v2Body({ zone: 'tiny' }));
      const answer = await world.register(v2Body({ zone: 'tiny' }, OTHER_CLUSTER));
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'pool/exhausted', '5']);
    });

    test('W-38 answers 429 with retry-after to a zone whose quota is used up', async () => {
      await world.register(v2Body({ zone: 'rationed' }));
      const answer = await world.register(v2Body({ zone: 'rationed' }, { service_name: 'api' }));
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([429, 'zone/quota', '5']);
    });

    test('W-38 answers 409 with retry-after while another one may still come back', async () => {
      const body = v2Body({ zone: 'hnet-private', address: '172.16.0.3/32' });
      await world.register(body);
      await world.release(body);
      const other = await world.register({
        ...body,
        secret: 'another-secret',
        service: { ...body.service, ...OTHER_CLUSTER },
      });
      expect([other.status, other.json.code, other.headers['retry-after']]).toEqual([
        409,
        'address/quarantined',
        '300',
      ]);
    });

    test('names every member at fault at once', async () => {
      const { status, json } = await world.register({ zone: '', service: { service_name: 'web' } });
      expect(status).toBe(400);
      expect(
        json.message.match(/"(secret|zone|ip_family|service\.namespace_id|service\.cluster_id)" is /g),
      ).toHaveLength(5);
    });
  });

  describe('transport', () => {
    test.each([
      ['GET', '/v2/address', 'POST'],
      ['HEAD', '/v2/address', 'POST'],
      ['DELETE', '/v2/address', 'POST'],
      ['POST', '/v2/service', 'DELETE'],
      ['GET', '/', 'POST, DELETE'],
    ])('W-37 answers %s %s with 405 and what is allowed', async (method, path, allow) => {
      const answer = await call({ port: world.port, method, path });
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    });

    test.each(['/v2', '/v2/cluster', '/swagger/index.html', '/v2/address/', '/address'])(
      'W-37 answers %s with 404 and JSON',
      async (path) => {
        const answer = await callJson({ port: world.port, method: 'DELETE', path, json: {} });
        expect([answer.status, JSON.parse(answer.text)]).toEqual([
          404,
          expect.objectContaining({ code: 'api/not-found' }),
        ]);
      },
    );

    test.each(['/healthz', '/readyz', '/metrics'])('W-37 has %s', async (path) => {
      expect((await call({ port: world.port, path })).status).toBe(200);
    });

    test('answers a body above 64 KiB with 413, whatever other paths take', async () => {
      const { status, json } = await world.register(v2Body({ padding: 'x'.repeat(IPAM_API_BODY_BYTES) }));
      expect([status, json.code]).toEqual([413, 'api/too-large']);
    });

    test.each([
      ['a trailing comma', '{"secret":"correct-horse",}'],
      ['the secret in another case', '{"Secret":"correct-horse","SECRET":"correct-horse"}'],
      ['a wrong type', '{"secret":["correct-horse"],"new_secret":{"a":"correct-horse"}}'],
      ['a secret that is too long', JSON.stringify(v2Body({ secret: 'correct-horse'.repeat(9) }))],
      ['a list', '["correct-horse"]'],
      ['a text', '"correct-horse"'],
    ])('W-24 never shows a secret in answer or log: %s', async (_name, body) => {
      const answer = await call({
        port: world.port,
        method: 'POST',
        path: '/v2/address',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(400);
      expect(answer.text + world.logger.text + JSON.stringify(world.meter.samples)).not.toContain('correct-horse');
    });

    test('W-24 logs no body of a good call either', async () => {
      await world.register(v2Body());
      await world.register(v2Body({ secret: 'another-secret', address: '83.118.168.0/32' }, OTHER_CLUSTER));
      expect(world.logger.text).toContain('secret/wrong');
      expect(world.logger.text).not.toMatch(/correct-horse|another-secret/);
    });

    test('takes member names in any case and ignores unknown ones', async () => {
      const { service, ...rest } = v2Body();
      const shouted = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name.toUpperCase(), value]));
      const answer = await world.register({
        ...shouted,
        Service: { ...service, Retention_Period_Days: 3 },
        expires_at: 'never',
      });
      expect(answer.status).toBe(200);
      expect((await world.ledger.record('83.118.168.0'))?.holders[0]?.options?.retentionPeriodDays).toBe(3);
    });

    test('counts calls by route, method and status', async () => {
      await world.register(v2Body());
      await world.register(v2Body({ zone: 'nowhere' }));
      const labels = world.meter.of('api_requests_total').map((sample) => sample.labels);
      expect(labels).toEqual([
        { route: '/v2/address', method: 'POST', status: '200' },
        { route: '/v2/address', method: 'POST', status: '400' },
      ]);
      expect(world.meter.of('refusals_total')).toEqual([
        expect.objectContaining({ labels: { reason: 'UnknownZone' } }),
      ]);
    });
  });
});

describe('IPAM-API version 2 in trouble', () => {
  let world: IpamApiWorld;

  afterEach(() => world.server.close());

  const worldOf = (book: Partial<AddressBook>) => new IpamApiWorld({ book: book as AddressBook }).start();

  test('W-02 answers 503 at its own deadline, and the call can be sent again', async () => {
    let asked: () => void;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    world = await worldOf({
      reserve: () => {
        asked();
        return new Promise(() => undefined);
      },
    });
    const answer = world.register(v2Body());
    await begun;
    world.ledger.clock.advance(10_000);
    const { status, json, headers } = await answer;
    expect([status, json.code, headers['retry-after']]).toEqual([503, 'store/deadline', '5']);
  });

  test('W-38 answers 503 with retry-after while the store is away', async () => {
    world = await worldOf({
      reserve: () =>
        Promise.reject(new IpamError('store/unavailable', 'the database file is locked', { retryAfterSeconds: 7 })),
    });
    const { status, json, headers } = await world.register(v2Body());
    expect([status, json, headers['retry-after']]).toEqual([
      503,
      { message: 'the database file is locked', code: 'store/unavailable' },
      '7',
    ]);
  });

  test('answers 500 with JSON to a fault of the program, and hides its text', async () => {
    world = await worldOf({ reserve: () => Promise.reject(new TypeError('correct-horse')) });
    const { status, json } = await world.register(v2Body());
    expect([status, json.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(json) + world.logger.text).not.toContain('correct-horse');
  });

  test('answers 401 unless anonymous calls are allowed, before it reads the body', async () => {
    world = await new IpamApiWorld({ allowAnonymousV2: false }).start();
    const answers = [
      await world.register('x'.repeat(70_000)),
      await world.release(v2Body()),
      await world.send('POST', '/', v2Body()),
    ];
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(3).fill([401, 'api/anonymous']));
    expect(answers[0]?.json.message).toContain('--allow-anonymous-v2');
    expect((await call({ port: world.port, path: '/healthz' })).status).toBe(200);
  });
});
