import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FakeApiServer } from '../../support/fake-api-server';
import { bundle, WORKER_SOURCE } from '../../support/open-stores';
import { servingPair } from '../../support/serving-pair';

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-in-pod-'));
  bundle(folder, 'operator/main.ts', WORKER_SOURCE);
  writeFileSync(join(folder, 'zones.yaml'), 'version: 1\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n');
  writeFileSync(join(folder, 'token'), 'token-of-the-pod');
  // stands in for the kubelet, which mounts the ServiceAccount where only it may write
  writeFileSync(
    join(folder, 'kubelet.cjs'),
    `const promises = require('node:fs/promises');
const { readFile } = promises;
promises.readFile = (path, ...more) => readFile(String(path).replace('${MOUNT}', __dirname), ...more);`,
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function startInPod(environment: Readonly<Record<string, string>>) {
  const settings = [`--zones-file=${join(folder, 'zones.yaml')}`, `--sqlite-file=${join(folder, 'ipam.sqlite')}`];
  settings.push('--hash-key-secret-name=ipam-keys');
  const words = ['--require', join(folder, 'kubelet.cjs'), join(folder, 'main.js'), ...settings];
  return spawn(process.execPath, words, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
}

test('FU-34 an operator in a Pod calls the API server that the variables of the Pod name', async () => {
  const pair = await servingPair();
  writeFileSync(join(folder, 'ca.crt'), pair.authority);
  const server = await FakeApiServer.start(pair);
  const child = startInPod({ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(server.port) });
  const said = text(child.stderr);
  try {
    const call = await Promise.race([server.next(), said]);
    expect(call).toMatchObject({ headers: { authorization: 'Bearer token-of-the-pod' } });
  } finally {
    child.kill('SIGKILL');
    await said;
    await server.stop();
  }
});
