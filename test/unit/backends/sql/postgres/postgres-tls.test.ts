import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { issueServingPair, makeAuthority } from '../../../../../operator/server/self-signed';
import { PostgresServer } from '../../../../support/postgres-server';

let server: PostgresServer;
let folder: string;
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postgres-tls-'));
  const nowMs = Date.now();
  const [authority, stranger] = [await makeAuthority(nowMs), await makeAuthority(nowMs)];
  const pair = await issueServingPair(authority, { names: ['localhost'], nowMs });
  writeFileSync(file('ca.crt'), authority.certificate);
  writeFileSync(file('stranger.crt'), stranger.certificate);
  server = await PostgresServer.start({
    // the certificate is for the first of them alone
    settings: { ssl: 'on', listen_addresses: "'127.0.0.1,127.0.0.2'" },
    files: { 'server.crt': pair.certificate, 'server.key': pair.key },
  });
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

/** Reads the server's view of the connection, or the fault. */
async function opened(host: string, query: string, ca?: string): Promise<string> {
  const dsn = server.dsn('postgres', query).replace('@127.0.0.1:', `@${host}:`);
  const trust = ca === undefined ? {} : { caFile: file(ca) };
  try {
    const store = await openPostgresStore({ dsn, clock: SYSTEM_CLOCK, patienceMs: 100, ...trust });
    await store.tally();
    const [row] = await server.sql(
      "SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'cdk8s-ipam'",
    );
    await store.close();
    return row!['ssl'] === true ? 'encrypted' : 'plain';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('TLS to PostgreSQL', () => {
  test('is verified by the CA file', async () => {
    expect(await opened('localhost', '', 'ca.crt')).toBe('encrypted');
    expect(await opened('localhost', '', 'stranger.crt')).toMatch(/certificate|signature/u);
    expect(await opened('localhost', '')).toContain('certificate');
  });

  test('is verified by the name too, unless only the chain counts', async () => {
    expect(await opened('127.0.0.2', '', 'ca.crt')).toContain("does not match certificate's altnames");
    expect(await opened('127.0.0.2', 'sslmode=verify-ca', 'ca.crt')).toBe('encrypted');
    expect(await opened('127.0.0.1', 'sslmode=verify-ca', 'stranger.crt')).toMatch(/certificate|signature/u);
  });

  test('may be left away or go unverified by name of the mode alone', async () => {
    expect(await opened('127.0.0.1', 'sslmode=require')).toBe('encrypted');
    expect(await opened('127.0.0.1', 'sslmode=disable')).toBe('plain');
  });

  test('says which file of the CA is missing', async () => {
    expect(await opened('localhost', '', 'nothing.crt')).toContain(`"${file('nothing.crt')}" cannot be read (ENOENT)`);
  });
});
