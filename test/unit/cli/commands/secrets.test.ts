import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CliOperator } from '../../../support/cli-operator';
import { socketCall } from '../../../support/socket-call';

const ZONES = 'version: 1\nzones:\n  - { name: inet, prefixes: [10.1.0.0/24] }\n';
const SECRET = 'a-secret-to-remember';

const operator = new CliOperator(ZONES);
const ipam = operator.run.bind(operator);

function standing(name: string, secret: string): Promise<{ readonly status: number }> {
  const body = { zone: 'inet', family: 'ipv4', secret, purpose: 'a VIP' };
  return socketCall(operator.at('admin.sock'), { method: 'PUT', path: `/v3/standing-claims/${name}`, body });
}

beforeAll(async () => {
  await operator.start('--recoverable-secrets=true');
  expect((await standing('vip', SECRET)).status).toBe(200);
});

afterAll(() => operator.dispose());

describe('ipam reveal-secret', () => {
  test('writes a new file that only its owner may read, and shows nothing', async () => {
    const file = operator.at('revealed');
    const ran = await ipam(['reveal-secret', '10.1.0.0', '--to', file]);
    expect(ran).toEqual({ code: 0, out: `wrote the secret of 10.1.0.0 to ${file}\n`, err: '' });
    expect(readFileSync(file, 'utf8')).toBe(SECRET);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('writes to standard output where that is asked for', async () => {
    expect(await ipam(['reveal-secret', '10.1.0.0', '--print'])).toEqual({ code: 0, out: `${SECRET}\n`, err: '' });
  });

  test('writes it in the form that was asked for, so that a program can read it', async () => {
    const value = { network: 'default', address: '10.1.0.0', secret: SECRET };
    const asked = async (form: string) => (await ipam(['reveal-secret', '10.1.0.0', '--print', '--output', form])).out;
    expect(JSON.parse(await asked('json'))).toEqual(value);
    expect(parse(await asked('yaml'))).toEqual(value);
  });

  test('overwrites nothing', async () => {
    writeFileSync(operator.at('mine'), 'mine');
    const ran = await ipam(['reveal-secret', '10.1.0.0', '--to', operator.at('mine')]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('nothing is overwritten') as string });
    expect(readFileSync(operator.at('mine'), 'utf8')).toBe('mine');
  });

  test.each([
    ['neither place', []],
    ['both places', ['--to', 'x', '--print']],
  ])('exits with 1 for %s', async (_name, argv) => {
    const { code, out } = await ipam(['reveal-secret', '10.1.0.0', ...argv]);
    expect([code, out]).toEqual([1, '']);
  });

  test('exits with 3 for an address of nobody, and leaves no empty file', async () => {
    const file = operator.at('none');
    expect((await ipam(['reveal-secret', '10.1.0.9', '--to', file])).code).toBe(3);
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  test('says that the installation keeps no secrets', async () => {
    await operator.stop();
    await operator.start();
    const ran = await ipam(['reveal-secret', '10.1.0.0', '--print']);
    expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--recoverable-secrets') as string });
  });
});

describe('a refusal', () => {
  test.each([
    ['json', (text: string): unknown => JSON.parse(text)],
    ['yaml', parse],
  ])('is written as %s where that is asked for', async (form, read) => {
    const { code, err } = await ipam(['release', '10.1.0.9', '--output', form]);
    expect(code).toBe(3);
    expect(read(err)).toMatchObject({ error: { code: 'claim/not-found' } });
  });
});

describe('a copy of the store that a killed operator left behind', () => {
  test('is removed at the next start, and nothing beside it', async () => {
    await operator.stop();
    mkdirSync(operator.at('.ipam-backup-x'));
    writeFileSync(operator.at('.ipam-backup-x/ipam.sqlite'), 'hashes of secrets');
    writeFileSync(operator.at('ipam-backup-of-mine'), '');
    await operator.start();
    expect(readdirSync(operator.at('')).filter((name) => name.includes('backup'))).toEqual(['ipam-backup-of-mine']);
  });
});

describe('ipam restore', () => {
  test('exits with 1 for a folder that is not there, since waiting does not make it', async () => {
    expect((await ipam(['backup', operator.at('copy')])).code).toBe(0);
    const ran = await ipam(['restore', operator.at('copy'), '--sqlite-file', operator.at('no/such/ipam.sqlite')]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('ENOENT') as string });
  });
});

describe('ipam differences', () => {
  test('exits with 3 where there is no outside source, so that it is not taken for agreement', async () => {
    expect(await ipam(['differences'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('outside/none') as string,
    });
  });
});
