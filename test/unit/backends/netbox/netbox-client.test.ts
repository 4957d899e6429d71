import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { judge } from '../../../../operator/backends/netbox/netbox-answer';
import { NetBoxClient, type NetBoxClientOptions } from '../../../../operator/backends/netbox/netbox-client';
import { networkFault } from '../../../../operator/backends/netbox/network-words';
import { readAll } from '../../../../operator/backends/netbox/netbox-pages';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import { FakeNetBox } from '../../../support/fake-netbox';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedMeter } from '../../../support/recorded-telemetry';
import { servingPair } from '../../../support/serving-pair';

const PATH = '/api/ipam/prefixes/';

describe('judge', () => {
  test.each([
    ['409', { status: 409, text: '{"detail":"Insufficient space is available"}' }],
    ['500 with a text', { status: 500, text: '{"error":"no free addresses in subnet"}' }],
    ['404 with a text', { status: 404, text: '{"detail":"No available prefixes found"}' }],
  ])('EXT-04 takes %s for full', (_name, raw) => {
    expect(judge(raw, 0)).toMatchObject({ ok: false, fault: { kind: 'full' } });
  });

  test('EXT-04 waits as long as a 429 says', () => {
    const fault = { kind: 'limited', acted: 'no', retryAfterSeconds: 20 };
    expect(judge({ status: 429, text: '', retryAfter: '20' }, 0)).toMatchObject({ fault });
    const retryAfter = new Date(20_000).toUTCString();
    expect(judge({ status: 429, text: '', retryAfter }, 0)).toMatchObject({ fault });
    expect(judge({ status: 429, text: '', retryAfter: 'soon' }, 0)).toMatchObject({ fault: { retryAfterSeconds: 5 } });
  });

  test.each([
    ['502 with HTML', { status: 502, text: '<html>\n<title>Bad Gateway</title>' }, '<html> <title>Bad Gateway'],
    ['200 with HTML', { status: 200, text: '<!doctype html>' }, 'is the URL that of NetBox?'],
    ['200 with nothing', { status: 200, text: '' }, 'an empty body'],
    ['200 with a list', { status: 200, text: '[]' }, 'with a list'],
  ])('EXT-04 takes %s for unavailable and shows how it begins', (_name, raw, words) => {
    expect(judge(raw, 0)).toMatchObject({
      fault: { kind: 'unavailable', words: expect.stringContaining(words) as string },
    });
  });

  test.each([
    ['an unknown tenant', 400, '{"tenant":["Related object not found: 9"]}', 'refused tenant: "Related'],
    ['a missing field', 400, '{"__all__":["Missing required custom field \'env\'."]}', "refused field 'env'"],
    ['401', 401, '{"detail":"Invalid token"}', 'login "Invalid token"'],
    ['403', 403, '{"detail":"No permission"}', 'login does not let the token do that'],
    ['a redirect', 302, '', 'refused "https://sso.example.com"'],
    ['404 with HTML', 404, '<html>', 'refused "<html>"'],
    ['404 with JSON', 404, '{"detail":"Not found."}', 'absent "Not found."'],
  ])('EXT-04 names what is wrong with %s', (...[, status, text, expected]) => {
    const judged = judge({ status, text, location: 'https://sso.example.com/in?x=1' }, 0);
    const [kind = '', ...words] = expected.split(' ');
    expect(judged).toMatchObject({ fault: { kind, words: expect.stringContaining(words.join(' ')) as string } });
  });
});

describe('NetBoxClient', () => {
  let netbox: FakeNetBox;
  const clients: NetBoxClient[] = [];
  const clientOf = (more: Partial<NetBoxClientOptions> = {}): NetBoxClient => {
    const base = {
      url: netbox.url,
      token: () => Promise.resolve(netbox.token),
      clock: SYSTEM_CLOCK,
      meter: new RecordedMeter(),
    };
    const client = new NetBoxClient({ ...base, ...more });
    clients.push(client);
    return client;
  };
  const get = (client: NetBoxClient) => client.call({ method: 'GET', path: PATH });

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await netbox.stop();
  });

  test('shows the token without the blanks around it, and a new one at the next call', async () => {
    let token = ` ${netbox.token}\n`;
    const client = clientOf({ token: () => Promise.resolve(token) });
    expect(await get(client)).toMatchObject({ ok: true });
    token = 'nbt_abc.def';
    expect(await get(client)).toMatchObject({ fault: { kind: 'login' } });
    expect(netbox.calls.map(({ authorization }) => authorization)).toEqual([
      `Token ${netbox.token}`,
      'Bearer nbt_abc.def',
    ]);
  });

  test('names the file of the token where it cannot be read, and never the token', async () => {
    const missing = Object.assign(new TypeError(), { code: 'ENOENT', path: '/etc/netbox/token' });
    const client = clientOf({ token: () => Promise.reject(missing) });
    const words = 'cannot be asked: the file "/etc/netbox/token" cannot be read (ENOENT)';
    expect(await get(client)).toMatchObject({ fault: { kind: 'login', words } });
    expect(netbox.calls).toHaveLength(0);
  });

  test('EXT-04 does not call again before the time that a 429 named', async () => {
    const clock = new ManualClock();
    const client = clientOf({ clock });
    netbox.fail({ status: 429, headers: { 'retry-after': '20' } });
    await get(client);
    clock.advance(19_000);
    expect(await get(client)).toMatchObject({ fault: { kind: 'limited', retryAfterSeconds: 1 } });
    expect(netbox.calls).toHaveLength(1);
    clock.advance(1_000);
    expect(await get(client)).toMatchObject({ ok: true });
  });

  test('EXT-04 does not storm NetBox with a token that is not taken, until its file changes', async () => {
    let token = 'wrong';
    const client = clientOf({ token: () => Promise.resolve(token), clock: new ManualClock() });
    for (let tries = 0; tries < 5; tries++) expect(await get(client)).toMatchObject({ fault: { kind: 'login' } });
    expect(netbox.calls).toHaveLength(1);
    token = netbox.token;
    expect(await get(client)).toMatchObject({ ok: true });
  });

  test('EXT-04 holds calls back for growing pauses while they fail in a row', async () => {
    const clock = new ManualClock();
    const client = clientOf({ clock });
    netbox.fail({ status: 503 }, () => true, 99);
    const post = () => client.call({ method: 'POST', path: PATH, body: {} });
    for (let tries = 0; tries < 3; tries++) await post();
    expect(await post()).toMatchObject({ fault: { kind: 'unavailable', acted: 'no', retryAfterSeconds: 1 } });
    expect(netbox.calls).toHaveLength(3);
    clock.advance(1_000);
    await post();
    expect(await post()).toMatchObject({ fault: { retryAfterSeconds: 2 } });
    expect(netbox.calls).toHaveLength(4);
  });

  test('tries a call that may be repeated once more, and never a POST', async () => {
    netbox.fail({ reset: 'before' }, () => true, 1);
    expect(await get(clientOf())).toMatchObject({ ok: true });
    netbox.fail({ reset: 'before' }, () => true, 1);
    const posted = await clientOf().call({ method: 'POST', path: PATH, body: {} });
    expect(posted).toMatchObject({ fault: { kind: 'unavailable', acted: 'perhaps' } });
    expect(netbox.seen()).toEqual([`GET ${PATH}`, `GET ${PATH}`, `POST ${PATH}`]);
  });

  test('ends a call at its deadline', async () => {
    let free: (value: unknown) => void = () => undefined;
    netbox.fail({ waitFor: new Promise((resolve) => (free = resolve)) });
    const client = clientOf({ timeoutMs: 50 });
    const words = expect.stringContaining('gave no answer within') as string;
    expect(await get(client)).toMatchObject({ fault: { kind: 'unavailable', acted: 'perhaps', words } });
    free(undefined);
  });

  test('makes no more calls at the same time than allowed', async () => {
    let most = 0;
    let now = 0;
    netbox.faults.unshift(() => {
      most = Math.max(most, ++now);
      const turns = async (): Promise<void> => {
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
        now--;
      };
      return { waitFor: turns() };
    });
    const client = clientOf({ parallel: 2 });
    await Promise.all(Array.from({ length: 9 }, () => get(client)));
    expect([most, netbox.calls.length]).toEqual([2, 9]);
  });

  describe('over TLS', () => {
    const authorities: Record<'first' | 'second', Awaited<ReturnType<typeof servingPair>>> = {} as never;
    let server: FakeNetBox;
    const over = (ca?: () => Promise<string>): NetBoxClient =>
      clientOf({ url: server.url, token: () => Promise.resolve(server.token), ...(ca === undefined ? {} : { ca }) });

    beforeAll(async () => {
      [authorities.first, authorities.second] = [await servingPair(), await servingPair()];
    });
    beforeEach(async () => {
      server = await FakeNetBox.start(authorities.first);
    });
    afterEach(() => server.stop());

    test('trusts the CA certificates that are set', async () => {
      const { first, second } = authorities;
      expect(await get(over(() => Promise.resolve(first.authority)))).toMatchObject({ ok: true });
      expect(await get(over(() => Promise.resolve(`${second.authority}\n${first.authority}`)))).toMatchObject({
        ok: true,
      });
    });

    test('names the setting where the CA is another one, none, or no certificate, and sends nothing', async () => {
      const another = over(() => Promise.resolve(authorities.second.authority));
      expect(await get(another)).toMatchObject({
        fault: {
          kind: 'unavailable',
          acted: 'no',
          words:
            'shows a certificate that no CA certificate of --netbox-ca-file vouches for (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
        },
      });
      expect(await get(over())).toMatchObject({
        fault: {
          words:
            'shows a certificate of a CA that Node.js does not know, and --netbox-ca-file is not set (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
        },
      });
      expect(await get(over(() => Promise.resolve('ca.crt')))).toMatchObject({
        fault: { words: 'cannot be asked: the file of --netbox-ca-file holds no certificate in PEM' },
      });
      expect(server.calls).toEqual([]);
    });

    test('says so where the certificate is for another host, has ended, or is none', async () => {
      const ca = (): Promise<string> => Promise.resolve(authorities.first.authority);
      const words = 'shows a certificate that is not for "127.0.0.2", the host of --netbox-url';
      expect(networkFault({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, { host: '127.0.0.2', hasOwnCa: true })).toEqual({
        words: `${words} (ERR_TLS_CERT_ALTNAME_INVALID)`,
        neverSent: true,
      });
      expect(networkFault({ code: 'CERT_HAS_EXPIRED' }, { host: 'n', hasOwnCa: false }).words).toBe(
        'shows a certificate that is not valid now (CERT_HAS_EXPIRED)',
      );
      const plain = new URL(netbox.url);
      plain.protocol = 'https:';
      expect(await get(clientOf({ url: plain, ca }))).toMatchObject({
        fault: { words: 'does not speak TLS where --netbox-url says (EPROTO)', acted: 'no' },
      });
    });

    test('follows a CA file that is renewed, while calls under the former one end in peace', async () => {
      let file = authorities.first.authority;
      const client = over(() => Promise.resolve(file));
      let answer = (): void => undefined;
      const waitFor = new Promise<void>((resolve) => (answer = resolve));
      server.fail({ waitFor });
      const slow = get(client);
      await server.heard(1);
      server.renew(authorities.second);
      expect(await get(client)).toMatchObject({ fault: { kind: 'unavailable' } });
      file = authorities.second.authority;
      expect(await get(client)).toMatchObject({ ok: true });
      answer();
      expect(await slow).toMatchObject({ ok: true });
    });
  });

  test('follows no redirect, so the token stays with its origin', async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}${PATH}`;
    netbox.fail({ status: 307, headers: { location } });
    expect(await get(clientOf())).toMatchObject({ fault: { kind: 'refused' } });
    expect(seen).toEqual([]);
    other.close();
  });
});

describe('readAll', () => {
  let netbox: FakeNetBox;
  let client: NetBoxClient;

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.maxPageSize = 50;
    for (let i = 0; i < 120; i++) netbox.records.container('inet', `10.0.${i}.0/24`);
    const token = () => Promise.resolve(netbox.token);
    client = new NetBoxClient({ url: netbox.url, token, clock: SYSTEM_CLOCK, meter: new RecordedMeter() });
  });
  afterEach(async () => {
    client.close();
    await netbox.stop();
  });

  test('W-27 reads every page', async () => {
    const all = await readAll(client, PATH, { cf_k8s_zone: 'inet' });
    expect(all).toMatchObject({ ok: true });
    expect(all.ok && all.records.length).toBe(120);
    expect(netbox.calls.map(({ query }) => query.get('offset'))).toEqual(['0', '49', '98']);
  });

  test('FU-57 asks again for a page that failed, not for the whole list', async () => {
    const offsets: (string | null)[] = [];
    let fails = 2;
    netbox.faults.unshift(({ query }) => {
      offsets.push(query.get('offset'));
      return query.get('offset') !== '0' && fails-- > 0 ? { status: 502 } : undefined;
    });
    const all = await readAll(client, PATH, {});
    expect(all.ok && all.records.length).toBe(120);
    expect(offsets.filter((offset) => offset === '0')).toHaveLength(1);
  });

  test('takes only the place from a link to the next page, never its host', async () => {
    netbox.linkOrigin = 'http://elsewhere.invalid';
    const all = await readAll(client, PATH, {});
    expect(all.ok && all.records.length).toBe(120);
  });

  test('reads on in a list that grows between its pages', async () => {
    let pages = 0;
    netbox.afterPage = () => {
      if (++pages === 1) netbox.records.container('inet', '10.1.0.0/24');
    };
    const all = await readAll(client, PATH, {});
    expect([all.ok && all.records.length, pages]).toEqual([121, 3]);
  });

  test.each([1, 24, 49, 50])(
    'misses no record that stays while %d before it go and as many are added, so that the count is the same',
    async (shift) => {
      const stays = [...netbox.records.prefixes.keys()].slice(shift);
      let pages = 0;
      netbox.afterPage = () => {
        if (++pages > 1) return;
        for (const id of [...netbox.records.prefixes.keys()].slice(0, shift)) netbox.records.prefixes.delete(id);
        for (let i = 0; i < shift; i++) netbox.records.container('inet', `10.1.${i}.0/24`);
      };
      const all = await readAll(client, PATH, {});
      const read = new Set(all.ok ? all.records.map(({ id }) => id) : []);
      expect(stays.filter((id) => !read.has(id))).toEqual([]);
    },
  );

  test('misses no record that stays while records go and come after every page', async () => {
    const oldest = [...netbox.records.prefixes.keys()].slice(0, 40);
    const stays = [...netbox.records.prefixes.keys()].slice(40);
    let added = 0;
    netbox.afterPage = () => {
      for (const id of oldest.splice(0, 7)) netbox.records.prefixes.delete(id);
      if (added < 35) for (let i = 0; i < 7; i++) netbox.records.container('inet', `10.1.${added++}.0/24`);
    };
    const all = await readAll(client, PATH, {});
    const read = new Set(all.ok ? all.records.map(({ id }) => id) : []);
    expect(stays.filter((id) => !read.has(id))).toEqual([]);
  });

  test('gives up a list whose pages never join', async () => {
    netbox.faults.push(({ query }) => {
      const offset = Number(query.get('offset'));
      const results = [{ id: netbox.calls.length * 2 }, { id: netbox.calls.length * 2 + 1 }];
      return {
        status: 200,
        body: JSON.stringify({ count: 9, next: `http://x${PATH}?offset=${offset + 2}`, results }),
      };
    });
    const words = expect.stringContaining('changes faster than it can be read') as string;
    expect(await readAll(client, PATH, {})).toMatchObject({ ok: false, fault: { kind: 'unavailable', words } });
    expect(netbox.calls.length).toBeLessThan(400);
  });

  test('gives up a list whose number of records is never true', async () => {
    netbox.countOf = (count) => count + 1;
    const words = expect.stringContaining('does not hold as many records as it says') as string;
    expect(await readAll(client, PATH, {})).toMatchObject({ ok: false, fault: { kind: 'unavailable', words } });
    expect(netbox.calls).toHaveLength(9);
  });

  test('gives up a list whose next page is the same one', async () => {
    const same = { count: 2, next: `${netbox.url.origin}${PATH}?limit=1&offset=0`, results: [{ id: 1 }] };
    netbox.fail({ status: 200, body: JSON.stringify(same) }, () => true, 9);
    const words = expect.stringContaining('leads elsewhere') as string;
    expect(await readAll(client, PATH, {})).toMatchObject({ ok: false, fault: { words } });
    expect(netbox.calls).toHaveLength(1);
  });

  test('refuses what is no list', async () => {
    netbox.fail({ status: 200, body: '{"results":"none"}' });
    const words = expect.stringContaining('is no list with results') as string;
    expect(await readAll(client, PATH, {})).toMatchObject({ ok: false, fault: { words } });
  });
});
