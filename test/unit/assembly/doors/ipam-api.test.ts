import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication } from '../../../../operator/application';
import { V3Client } from '../../../../operator/backends/ipam-api-client/v3/v3-client';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import { valueOf } from '../../../../operator/errors/ipam-error';
import { parseSettings } from '../../../../operator/settings/parse-settings';
import { RecordedLogger } from '../../../support/recorded-telemetry';
import { hashOf } from '../../../support/remote-book';
import { claimBody } from '../../../support/v3-world';
import { startOperator } from '../../../support/started-operator';

describe('version 3 of a running operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-door-'));
  const at = (name: string): string => join(folder, name);
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function settingsWith(...more: string[]) {
    const argv = [
      ...['--standalone', '--store', 'memory', '--zones-file', at('zones.yaml'), '--hash-key-file', at('hash-key')],
      ...['--self-signed-ca-file', at('ca.crt'), '--shutdown-delay', '0', '--health-probe-bind-address', '0'],
      ...['--webhook-bind-address', '127.0.0.1:0', '--ipam-api-bind-address', '127.0.0.1:0', '--admin-socket='],
      ...more,
    ];
    writeFileSync(at('zones.yaml'), 'version: 1\nzones:\n  - { name: z, prefixes: [192.0.2.0/29] }\n');
    return valueOf(parsed(parseSettings({ argv, env: {} })));
  }

  test('serves the clients of the file over HTTPS, and ends with an open stream', async () => {
    const clients = [{ name: 'a', role: 'cluster', clusterUids: ['c1'], tokenSha256: [hashOf('a-good-token')] }];
    writeFileSync(at('clients.yaml'), JSON.stringify({ version: 1, clients }));
    const operator = await startOperator(
      settingsWith('--ipam-api-clients-file', at('clients.yaml')),
      new RecordedLogger(),
    );
    const tls = { ca: readFileSync(at('ca.crt'), 'utf8') };
    const url = `https://127.0.0.1:${operator.addresses.ipamApi?.port ?? 0}`;
    const headers = () => ({ authorization: 'Bearer a-good-token' });
    const client = new V3Client({ target: { url }, clock: SYSTEM_CLOCK, tls: () => tls, headers });
    const params = { clusterUid: 'c1', key: 'k' };
    expect(await client.call('putClaim', { params, body: claimBody() as never })).toMatchObject({ ok: true });
    const zones = valueOf(await client.call('listZones', {}));
    expect(zones.entries[0]?.usage[0]).toMatchObject({ capacity: '8', bound: '1', free: '7' });
    const ended = new AbortController();
    const stream = await client.open(
      'clusterEvents',
      { params: { clusterUid: 'c1' } },
      { signal: ended.signal, headers: {} },
    );
    stream.resume();
    await operator.stop();
    client.close();
    expect(stream.statusCode).toBe(200);
  });

  test('does not start with clients that cannot be read', async () => {
    const settings = settingsWith('--ipam-api-clients-file', at('missing.yaml'));
    await expect(startApplication(settings, new RecordedLogger())).rejects.toMatchObject({ code: 'settings/invalid' });
  });
});

function parsed(outcome: ReturnType<typeof parseSettings>) {
  if (outcome.ok) return outcome;
  throw new TypeError(outcome.problems.map(({ message }) => message).join('; '));
}
