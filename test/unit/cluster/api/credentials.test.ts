import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inClusterCredentials } from '../../../../operator/cluster/api/credentials';
import { openKubeClient } from '../../../../operator/cluster/api/kube-client';
import { kubeconfigCredentials } from '../../../../operator/cluster/api/kubeconfig';
import { kubeconfigText, TOKEN } from '../../../support/cluster-world';
import { FakeApiServer } from '../../../support/fake-api-server';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger } from '../../../support/recorded-telemetry';
import { servingPair } from '../../../support/serving-pair';

const SERVER = 'https://fake.example:6443/gateway';

let folder: string;
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  clock = new ManualClock();
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const pem = (text: string): string => Buffer.from(text).toString('base64');

describe('kubeconfigCredentials', () => {
  test('reads a token, the CA and the server', async () => {
    const text = kubeconfigText(SERVER, { token: TOKEN }, { 'certificate-authority-data': pem('the CA') });
    const credentials = await kubeconfigCredentials({ path: write('k', text), clock });

    expect(credentials.server.href).toBe(SERVER);
    expect(await credentials.login()).toEqual({
      headers: { authorization: `Bearer ${TOKEN}` },
      tls: { ca: Buffer.from('the CA') },
    });
  });

  test('reads a client certificate from files beside it, and what TLS is told', async () => {
    write('cert.pem', 'the cert');
    write('key.pem', 'the key');
    const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' };
    const cluster = { 'tls-server-name': 'other.example', 'insecure-skip-tls-verify': true };
    const credentials = await kubeconfigCredentials({ path: write('k', kubeconfigText(SERVER, user, cluster)), clock });

    expect(await credentials.login()).toEqual({
      headers: {},
      tls: {
        cert: Buffer.from('the cert'),
        key: Buffer.from('the key'),
        servername: 'other.example',
        rejectUnauthorized: false,
      },
    });
  });

  test('reads a password', async () => {
    const text = kubeconfigText(SERVER, { username: 'me', password: 'p' });
    const credentials = await kubeconfigCredentials({ path: write('k', text), clock });

    expect((await credentials.login()).headers).toEqual({ authorization: `Basic ${pem('me:p')}` });
  });

  test('reads a token file again after a minute', async () => {
    write('token', 'first\n');
    const credentials = await kubeconfigCredentials({
      path: write('k', kubeconfigText(SERVER, { tokenFile: 'token' })),
      clock,
    });
    const first = await credentials.login();
    write('token', 'second\n');
    clock.advance(59_999);
    expect(await credentials.login()).toBe(first);
    clock.advance(1);

    expect((await credentials.login()).headers).toEqual({ authorization: 'Bearer second' });
    expect((await credentials.login()).tls).toBe(first.tls);
  });

  test('reads the file again after a refused login', async () => {
    const path = write('k', kubeconfigText(SERVER, { token: 'old' }));
    const credentials = await kubeconfigCredentials({ path, clock });
    const old = await credentials.login();
    write('k', kubeconfigText(SERVER, { token: 'new' }));
    credentials.refused(old);
    const renewed = await credentials.login();
    credentials.refused(old);

    expect(renewed.headers).toEqual({ authorization: 'Bearer new' });
    expect(await credentials.login()).toEqual(renewed);
  });

  test('calls an exec plugin from the folder of the file, once for all that wait, and tells it what it may do', async () => {
    const script = [
      '#!/bin/sh',
      'echo "$KUBERNETES_EXEC_INFO" >> "$(dirname "$0")/calls"',
      `echo '{"status":{"token":"'"$GIVEN"'"}}'`,
    ].join('\n');
    writeFileSync(join(folder, 'plugin'), script, { mode: 0o755 });
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      env: [{ name: 'GIVEN', value: 'from-plugin' }],
    };
    const credentials = await kubeconfigCredentials({ path: write('k', kubeconfigText(SERVER, { exec })), clock });
    const logins = await Promise.all([credentials.login(), credentials.login()]);

    expect(logins[0].headers).toEqual({ authorization: 'Bearer from-plugin' });
    expect(logins[1]).toBe(logins[0]);
    expect(read('calls')).toBe(
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}\n',
    );
  });

  test('names the exec plugin that failed, and nothing that it wrote', async () => {
    writeFileSync(join(folder, 'plugin'), `#!/bin/sh\necho ${TOKEN} >&2\nexit 1\n`, { mode: 0o755 });
    const text = kubeconfigText(SERVER, { exec: { command: './plugin' } });
    const credentials = await kubeconfigCredentials({ path: write('k', text), clock });

    const thrown: unknown = await credentials.login().catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      code: 'cluster/unavailable',
      message: expect.stringMatching(/its exec plugin ".*\/plugin" failed \(Error\)$/) as unknown,
    });
    expect(thrown).not.toHaveProperty('cause');
  });

  test('takes the context that is asked for', async () => {
    const both = JSON.parse(kubeconfigText(SERVER)) as { contexts: unknown[]; clusters: unknown[] };
    both.contexts.push({ name: 'there', context: { cluster: 'second', user: 'me' } });
    both.clusters.push({ name: 'second', cluster: { server: 'https://second.example' } });
    const credentials = await kubeconfigCredentials({
      path: write('k', JSON.stringify(both)),
      context: 'there',
      clock,
    });

    expect(credentials.server.href).toBe('https://second.example/');
  });

  test.each([
    ['a file that is not there', undefined, 'cannot be read (ENOENT)'],
    ['what is no YAML', `a: b\nuser: {token: ${TOKEN}`, 'is no YAML (line 2)'],
    ['a text', TOKEN, 'is no YAML object'],
    ['a file without its current context', 'current-context: gone', 'has no context "gone"'],
    [
      'a context without its cluster',
      kubeconfigText(SERVER).replace('"fake","cluster"', '"x","cluster"'),
      'has no cluster for context "here"',
    ],
    ['a server that is no address', kubeconfigText('ftp://x'), 'names no server, but "ftp://x"'],
  ])('refuses %s without showing its text', async (_case, text, said) => {
    const path = text === undefined ? join(folder, 'none') : write('k', text);
    const opening = kubeconfigCredentials({ path, clock });

    await expect(opening).rejects.toMatchObject({
      code: 'settings/invalid',
      message: `kubeconfig "${path}" ${said}; name a kubeconfig and a context that kubectl takes`,
    });
  });
});

describe('inClusterCredentials', () => {
  test.each([
    [{ KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' }, 'https://10.96.0.1:6443/'],
    [{ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }, 'https://[fd00::1]/'],
    [{ KUBERNETES_SERVICE_HOST: '[fd00::1]', KUBERNETES_SERVICE_PORT: '6443' }, 'https://[fd00::1]:6443/'],
    [{ KUBERNETES_SERVICE_HOST: '', KUBERNETES_SERVICE_PORT: '' }, 'https://kubernetes.default.svc/'],
    [{}, 'https://kubernetes.default.svc/'],
  ])('finds the API server with %j', async (environment, href) => {
    write('token', 't');
    write('ca.crt', 'ca');

    expect((await inClusterCredentials({ environment, folder, clock })).server.href).toBe(href);
  });

  test('refuses variables that make no address', async () => {
    write('token', 't');
    write('ca.crt', 'ca');
    const environment = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: 'tcp://10.96.0.1:443' };

    await expect(inClusterCredentials({ environment, folder, clock })).rejects.toMatchObject({
      code: 'settings/invalid',
      message: expect.stringContaining('KUBERNETES_SERVICE_PORT "tcp://10.96.0.1:443"') as unknown,
    });
  });

  test('reads the rotated token after a minute, and at once after a refusal', async () => {
    write('token', 'first\n');
    write('ca.crt', 'ca');
    const credentials = await inClusterCredentials({ environment: {}, folder, clock });
    const first = await credentials.login();
    write('token', 'second\n');
    credentials.refused(first);
    const second = await credentials.login();
    write('token', 'third\n');
    clock.advance(60_000);
    const third = await credentials.login();

    expect([first, second, third].map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
      'Bearer third',
    ]);
    expect(third.tls).toBe(first.tls);
  });

  test('is refused outside of a Pod, with what to do', async () => {
    await expect(inClusterCredentials({ environment: {}, folder, clock })).rejects.toMatchObject({
      code: 'settings/invalid',
      message: expect.stringMatching(/run in a Pod, or name a kubeconfig$/) as unknown,
    });
  });
});

describe('openKubeClient in a Pod', () => {
  test('trusts the CA of the ServiceAccount, and takes a new CA without a restart', async () => {
    const [old, renewed] = [await servingPair(), await servingPair()];
    write('token', TOKEN);
    write('ca.crt', old.authority);
    const server = await FakeApiServer.start(renewed);
    const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(server.port) };
    const client = await openKubeClient({
      environment,
      serviceAccountFolder: folder,
      clock,
      logger: new RecordedLogger(),
    });
    try {
      const distrusted = client.request({ method: 'POST', path: '/api/v1/events', body: {} });
      await expect(distrusted).rejects.toMatchObject({ code: 'cluster/unavailable' });
      write('ca.crt', renewed.authority);
      clock.advance(60_000);
      const trusted = client.request({ method: 'GET', path: '/version' });
      const call = await server.next();
      call.json(200, { major: '1' });

      expect(await trusted).toMatchObject({ ok: true });
      expect(call.headers.authorization).toBe(`Bearer ${TOKEN}`);
    } finally {
      await client.close();
      await server.stop();
    }
  });
});
