import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../../support/open-stores';
import { standaloneSettings } from '../../../support/standalone-settings';
import { startOperator, type StartedOperator } from '../../../support/started-operator';

const TOKENS = { admin: 'a-token-of-an-administrator-0123456789', reader: 'a-token-of-a-reader-0123456789-abcdef' };

let folder: string;
let running: StartedOperator;

function at(name: string): string {
  return join(folder, name);
}

function client(name: keyof typeof TOKENS): string {
  writeFileSync(at(name), `${TOKENS[name]}\n`);
  const digest = createHash('sha256').update(TOKENS[name]).digest('hex');
  return `  - { name: ${name}, role: ${name}, tokenSha256: [${digest}] }\n`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-cli-server-'));
  bundle(folder, 'operator/cli/main.ts');
  writeFileSync(at('zones.yaml'), 'version: 1\nzones:\n  - { name: inet, prefixes: [10.1.0.0/24] }\n');
  writeFileSync(at('clients.yaml'), `version: 1\nclients:\n${client('admin')}${client('reader')}`);
  const api = ['--ipam-api-bind-address', '127.0.0.1:0', '--ipam-api-clients-file', at('clients.yaml')];
  running = await startOperator(standaloneSettings(folder, '--admin-socket=', ...api));
});

afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});

function ipam(
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const server = `https://127.0.0.1:${running.addresses.ipamApi?.port ?? 0}`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [at('main.js'), ...argv, '--server', server],
      { encoding: 'utf8' },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      },
    );
  });
}

describe('ipam --server', () => {
  test('works over TLS with the token of an administrator', async () => {
    const { code, out } = await ipam(
      'zones',
      '--token-file',
      at('admin'),
      '--ca-file',
      at('ca.crt'),
      '--output',
      'json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ entries: [{ name: 'inet' }] });
    const cleared = await ipam('delete-cluster', 'c', '--yes', '--token-file', at('admin'), '--ca-file', at('ca.crt'));
    expect(cleared).toMatchObject({ code: 3, err: expect.stringContaining('no cluster "c"') as string });
  });

  test('is refused what the token may not do, and without a token', async () => {
    const denied = await ipam(
      'release',
      '10.1.0.1',
      '--holder',
      '1',
      '--token-file',
      at('reader'),
      '--ca-file',
      at('ca.crt'),
    );
    expect(denied.code).toBe(2);
    expect(denied.err).not.toContain(TOKENS.reader);
    expect((await ipam('zones', '--ca-file', at('ca.crt'))).code).toBe(2);
  });

  test('trusts no certificate by itself', async () => {
    const { code, err } = await ipam('zones', '--token-file', at('admin'));
    expect(code).toBe(1);
    expect(err).toContain('give that with --ca-file');
  });

  test('gives no backup, which only the admin socket has', async () => {
    const { code, err } = await ipam('backup', at('copy'), '--token-file', at('admin'), '--ca-file', at('ca.crt'));
    expect(code).toBe(1);
    expect(err).toContain('in the Pod of the operator and leave --server out');
  });
});
