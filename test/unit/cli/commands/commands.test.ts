import { createCipheriv } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { CliOperator } from '../../../support/cli-operator';

const FIXTURES = join(__dirname, '../../../fixtures/original');
const KEY_FILE = ['--key-file', join(FIXTURES, 'keys.json')];
const ZONES = `version: 1
zones:
  - name: inet
    prefixes: [10.1.0.0/24, 2001:db8::/64]
  - name: small
    prefixes: [10.2.0.0/31]
    draining: true
`;

const operator = new CliOperator(ZONES);
const at = operator.at.bind(operator);
const ipam = operator.run.bind(operator);
const json = operator.json.bind(operator);

beforeAll(async () => {
  await operator.start();
  await ipam(['import', join(FIXTURES, 'addresses.jsonl'), ...KEY_FILE]);
});

afterAll(() => operator.dispose());

describe('ipam', () => {
  test('makes a socket that only its owner may open', () => {
    expect(statSync(at('admin.sock')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['an unknown command', ['zone']],
    ['an unknown option', ['zones', '--all']],
    ['a missing address', ['show']],
    ['two places', ['zones', '--server', 'https://ipam.example', '--socket', '/x']],
    ['a server without TLS', ['zones', '--server', 'http://ipam.example']],
    ['a login in the URL', ['zones', '--server', 'https://me:hunter2@ipam.example']],
    ['a wrong form', ['zones', '--output', 'xml']],
    ['a secret as an argument', ['rotate-secret', '10.1.0.10', '--secret', 'correct-horse']],
  ])('exits with 1 for %s', async (_name, argv) => {
    const { code, out, err } = await ipam(argv);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).not.toBe('');
    expect(err).not.toContain('hunter2');
  });

  test('exits with 0 and names the exit codes in its help', async () => {
    const { code, out } = await ipam(['--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/4 {2}no answer/u);
  });

  test('exits with 4 where nobody listens', async () => {
    const { code, err } = await ipam(['zones', '--socket', at('none.sock')]);
    expect(code).toBe(4);
    expect(err).toContain('there is no such socket');
  });
});

describe('ipam import', () => {
  test('exits with 5, names what does not fit, and changes nothing the second time', async () => {
    const { code, out } = await ipam(['import', '-', ...KEY_FILE, '--output', 'json'], dump());
    expect(code).toBe(5);
    const { counts, entries } = JSON.parse(out) as {
      readonly counts: Record<string, number>;
      readonly entries: readonly { readonly line: number; readonly verdict: string; readonly problem?: string }[];
    };
    expect(counts).toEqual({ records: 30, imported: 0, same: 10, refused: 15, leftOut: 4 });
    const problem = (line: number) => entries.find((entry) => entry.line === line)?.problem;
    expect(problem(21)).toContain('no zone is named "closed-down"');
    expect(problem(22)).toContain('lies outside of zone "inet"');
    expect(out).not.toMatch(/correct-horse|-owner|-says/u);
  });

  test('only tells with --dry-run', async () => {
    const line = dump().split('\n')[0]?.replace('10.1.0.10/32', '10.1.0.200/32') ?? '';
    const { code, err } = await ipam(['import', '-', ...KEY_FILE, '--dry-run'], line);
    expect(code).toBe(0);
    expect(err).toContain('would import 1 of 1 records');
    expect(await json('show', '10.1.0.200')).toMatchObject({ state: 'free' });
  });

  test('says that the key is another one where no secret fits it, and nothing of the kind where one does', async () => {
    writeFileSync(at('wrong.json'), JSON.stringify({ enc_key: 'k'.repeat(32), enc_iv: 'i'.repeat(16) }));
    const wrong = await ipam(['import', '-', '--key-file', at('wrong.json'), '--dry-run'], dump());
    expect(wrong.code).toBe(5);
    expect(wrong.err).toContain('no secret of the dump fits the key of --key-file');
    const right = await ipam(['import', '-', ...KEY_FILE, '--dry-run'], dump());
    expect(right.err).not.toContain('--key-file');
  });

  test('takes every text for a secret where the key is the right one: a trailing line end counts, as it did', async () => {
    const key = JSON.parse(readFileSync(join(FIXTURES, 'keys.json'), 'utf8')) as { enc_key: string; enc_iv: string };
    const stored = (plain: string): string => {
      const cipher = createCipheriv('aes-256-ctr', key.enc_key, key.enc_iv);
      return Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]).toString('base64');
    };
    const [first = ''] = dump().split('\n');
    const line = (host: number, plain: string): string => {
      const record = JSON.parse(first) as Record<string, unknown>;
      return JSON.stringify({ ...record, address: `10.1.0.${host}/32`, secret: stored(plain) });
    };
    const lines = [line(201, 'newline-secret\n'), line(202, 'odd\u0001secret'), line(203, 'plain-secret')];
    const { out } = await ipam(['import', '-', ...KEY_FILE, '--dry-run', '--output', 'json'], lines.join('\n'));

    expect(JSON.parse(out)).toMatchObject({ counts: { records: 3, imported: 3, refused: 0 } });
  });

  test('exits with 1 without a key file that can be read', async () => {
    expect((await ipam(['import', '-', '--key-file', at('none.json')], dump())).code).toBe(1);
  });
});

function dump(): string {
  return readFileSync(join(FIXTURES, 'addresses.jsonl'), 'utf8');
}

describe('ipam, looking', () => {
  test('zones shows exact numbers', async () => {
    expect(await json('zones')).toMatchObject({
      entries: [
        {
          name: 'inet',
          usage: [
            { family: 'ipv4', capacity: '256', bound: '7', retained: '2' },
            { family: 'ipv6', capacity: '18446744073709551616', free: '18446744073709551615' },
          ],
        },
        { name: 'small', draining: true },
      ],
    });
    expect((await ipam(['zones'])).out).toMatch(/^NETWORK +ZONE +FAMILY/u);
  });

  test('tree shows prefixes and holders', async () => {
    const { out } = await ipam(['tree', 'inet']);
    expect(out).toContain('├─ 10.1.0.0/24\n');
    expect(out).toContain('10.1.0.11 ns-1/dns (bound), ns-9/dns (bound)');
    expect(out).toContain('   └─ 2001:db8::a ns-1/web (bound)\n');
    expect((await ipam(['tree', 'none'])).code).toBe(3);
  });

  test('show takes any form of an address, and exits with 3 where no zone has it', async () => {
    expect(await json('show', '2001:DB8:0::A')).toMatchObject({ address: '2001:db8::a', state: 'held' });
    expect((await ipam(['show', '192.0.2.1'])).code).toBe(3);
    expect((await ipam(['show', 'nonsense!'])).code).toBe(1);
  });

  test('services narrows', async () => {
    expect(await json('services', '--cluster', 'cluster-b')).toMatchObject([
      { address: '10.1.0.11', service: { serviceName: 'dns', clusterUid: 'cluster-b' } },
    ]);
    expect(await json('services', '--state', 'retained', '--limit', '1')).toHaveLength(1);
  });

  test('FU-76 services says beside an empty list that no such zone is known, and exits with 3', async () => {
    const unknown = await ipam(['services', '--zone', 'inett']);
    expect(unknown).toMatchObject({
      code: 3,
      err: 'ipam: no zone "inett" is known; "ipam zones" lists those that are\n',
    });
    expect(await ipam(['services', '--zone', 'small'])).toMatchObject({ code: 0, err: '' });
    const elsewhere = await ipam(['services', '--zone', 'small', '--network', 'far', '--output', 'json']);
    expect(elsewhere).toMatchObject({ code: 3, out: '[]\n' });
    expect(elsewhere.err).toContain('no zone "small" is known in network "far"');
  });

  test('clusters, history and explain tell of an address', async () => {
    const clusters = ['cluster-a', 'cluster-b'].map(
      (clusterUid) => expect.objectContaining({ clusterUid }) as Record<string, unknown>,
    );
    // the operator's own cluster is among them as soon as a sweep has reported it
    expect(await json('clusters')).toEqual(expect.arrayContaining(clusters));
    expect(await json('history', '10.1.0.11')).toHaveLength(2);
    expect((await ipam(['explain', '10.1.0.11'])).out).toContain('10.1.0.11');
  });

  test('writes YAML as well', async () => {
    expect((await ipam(['version', '--output', 'yaml'])).out).toMatch(/^version: .+\napi: 3\n$/u);
  });

  test('doctor finds what is wrong and what to watch', async () => {
    const { code, out } = await ipam(['doctor', '--output', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(
      expect.arrayContaining([
        { verdict: 'ok', check: 'store', finding: 'well' },
        { verdict: 'watch', check: 'zone small', finding: 'gives nothing new' },
        { verdict: 'ok', check: 'metrics', finding: 'no Service waits' },
      ]),
    );
  });
});

describe('ipam, changing', () => {
  test('release ends the only holder, and needs a name where several hold the address', async () => {
    expect((await ipam(['release', '10.1.0.14'])).code).toBe(0);
    expect(await json('show', '10.1.0.14')).toMatchObject({ state: 'quarantined' });
    const shared = await ipam(['release', '10.1.0.11']);
    expect(shared.code).toBe(1);
    const [, holder = ''] = /(\d+) \(ns-9\/dns\)/u.exec(shared.err) ?? [];
    expect((await ipam(['release', '10.1.0.11', '--holder', holder])).code).toBe(0);
    expect((await ipam(['release', '10.1.0.250'])).code).toBe(3);
  });

  test('rotate-secret reads the secret from standard input and never shows it', async () => {
    const changed = await ipam(['rotate-secret', '10.1.0.15', '--secret-file', '-'], 'quite-another-secret\n');
    expect(changed).toEqual({ code: 0, out: '10.1.0.15 has the new secret\n', err: '' });
    const short = await ipam(['rotate-secret', '10.1.0.15', '--secret-file', '-'], 'tiny');
    expect(short.code).toBe(2);
    expect(short.err).not.toContain('tiny');
    const shared = await ipam(['rotate-secret', '10.1.0.21', '--secret-file', '-'], 'quite-another-secret');
    expect(shared).toMatchObject({ code: 2, err: expect.stringContaining('secret/shared') as string });
  });

  test('delete-cluster only tells without --yes, and exits with 5 where a claim is protected', async () => {
    const told = await ipam(['delete-cluster', 'cluster-a']);
    expect(told.code).toBe(0);
    expect(told.err).toContain('nothing was changed; give --yes');
    expect(await json('show', '10.1.0.10')).toMatchObject({ state: 'held' });
    const done = await ipam(['delete-cluster', 'cluster-a', '--yes']);
    expect(done.code).toBe(5);
    expect(await json('show', '10.1.0.10')).toMatchObject({ state: 'quarantined' });
    expect(await json('show', '10.1.0.11')).toMatchObject({ state: 'held' });
  });

  test('delete-cluster exits with 3 for a cluster that never was', async () => {
    for (const more of [[], ['--yes']])
      expect(await ipam(['delete-cluster', 'cluster-z', ...more])).toMatchObject({
        code: 3,
        err: expect.stringContaining('no cluster "cluster-z" is on record') as string,
      });
  });
});

function putStanding(name: string): Promise<number | undefined> {
  const body = JSON.stringify({ zone: 'inet', family: 'ipv4', secret: 'standing-secret', purpose: 'a VIP' });
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const path = `/v3/standing-claims/${name}`;
    const call = request({ socketPath: at('admin.sock'), method: 'PUT', path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on('error', reject).end(body);
  });
}

describe('a standing claim, which is of no cluster', () => {
  test('is shown by every command', async () => {
    expect(await putStanding('vip')).toBe(200);
    const services = (await json('services', '--name', 'vip')) as readonly { readonly address: string }[];
    const address = services[0]?.address ?? '';
    expect(await json('show', address)).toMatchObject({
      state: 'held',
      holders: [{ service: { serviceName: 'vip' } }],
    });
    expect(await json('history', address)).toHaveLength(1);
    for (const argv of [['services'], ['tree', 'inet'], ['show', address], ['history', address]])
      expect((await ipam(argv)).out).toContain('standing claim vip');
    expect((await ipam(['release', address])).code).toBe(0);
  });
});

describe('ipam backup and restore', () => {
  test('bring back what was held, with the right keys, while the operator is stopped', async () => {
    const before = await json('show', '10.1.0.11');
    expect((await ipam(['backup', at('copy')])).code).toBe(0);
    expect(statSync(at('copy')).mode & 0o777).toBe(0o600);
    const restore = ['restore', at('copy'), '--sqlite-file', at('ipam.sqlite'), '--hash-key-file', at('hash-key')];
    expect(await ipam(restore)).toMatchObject({ code: 4, err: expect.stringContaining('store/locked') as string });
    expect((await ipam(['release', '10.1.0.11'])).code).toBe(0);
    await operator.stop();
    expect(await ipam(restore)).toMatchObject({
      code: 2,
      err: expect.stringContaining('newer than the backup') as string,
    });
    const done = await ipam([...restore, '--force']);
    expect(done.code).toBe(0);
    expect(done.err).toContain('is adopted again');
    await operator.start();
    expect(await json('show', '10.1.0.11')).toEqual(before);
  });

  test('FU-76 backup overwrites no file', async () => {
    writeFileSync(at('last-good'), 'the last good one');
    expect(await ipam(['backup', at('last-good')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('a file of that name is there already') as string,
    });
    expect(readFileSync(at('last-good'), 'utf8')).toBe('the last good one');
  });

  test('backup refuses to overwrite its own draft, and leaves no half file', async () => {
    writeFileSync(at('half.part'), 'mine');
    expect(await ipam(['backup', at('half')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('another backup writes to it') as string,
    });
    const cut = await ipam(['restore', at('half.part'), '--sqlite-file', at('other.sqlite')]);
    expect(cut).toMatchObject({ code: 2, err: expect.stringContaining('the backup is damaged') as string });
    expect(readFileSync(at('half.part'), 'utf8')).toBe('mine');
  });
});
