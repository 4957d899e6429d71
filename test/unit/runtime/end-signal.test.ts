import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { kubeconfigText } from '../../support/cluster-world';
import { FakeApiServer } from '../../support/fake-api-server';
import { bundle, WORKER_SOURCE } from '../../support/open-stores';

type Operator = ChildProcessByStdio<null, Readable, Readable>;

const IN_ORDER = [0, null];

let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-end-signal-'));
  bundle(folder, 'operator/main.ts', WORKER_SOURCE);
  writeFileSync(at('zones.yaml'), 'version: 1\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function start(settings: readonly string[], ofNode: readonly string[] = []): Operator {
  const files = ['--zones-file', at('zones.yaml'), '--sqlite-file', at('ipam.sqlite'), '--hash-key-file', at('key')];
  const listen = ['--webhook-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '127.0.0.1:0'];
  const words = [...ofNode, at('main.js'), ...files, ...listen, ...settings];
  return spawn(process.execPath, words, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** How it ended, and what it said. */
async function ended(operator: Operator): Promise<{ readonly how: unknown; readonly said: string }> {
  const [how, ...said] = await Promise.all([once(operator, 'exit'), text(operator.stdout), text(operator.stderr)]);
  return { how, said: said.join('') };
}

describe('a signal during the start', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends a start that waits for the API server, in order and at once',
    async (signal) => {
      const server = await FakeApiServer.start();
      writeFileSync(at('kubeconfig'), kubeconfigText(`http://127.0.0.1:${server.port}`));
      const operator = start(['--kubeconfig', at('kubeconfig'), '--hash-key-secret-name', 'ipam-keys']);
      const end = ended(operator);
      await Promise.race([server.next(), end]);
      const signalled = Date.now();
      operator.kill(signal);
      const { how, said } = await end;
      await server.stop();

      expect({ how, said }).toEqual({
        how: IN_ORDER,
        said: expect.stringContaining('the start ends here, since the process is to end') as unknown,
      });
      // well before the call or the limit of an early end would have ended it
      expect(Date.now() - signalled).toBeLessThan(4_000);
    },
  );

  test('FU-35 ends a start that waits for a database which never answers', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    writeFileSync(at('dsn'), `postgresql://ipam:ipam@127.0.0.1:${port}/ipam?sslmode=disable`);
    const operator = start(['--standalone', '--store', 'postgres', '--postgres-dsn-file', at('dsn')]);
    const end = ended(operator);
    await Promise.race([once(silent, 'connection'), end]);
    operator.kill('SIGTERM');
    const { how } = await end;
    silent.close();

    expect(how).toEqual(IN_ORDER);
  });

  test('FU-35 is heard while the program is still being loaded', async () => {
    const hook = `const Module = require('node:module');
const load = Module._load;
Module._load = (name, ...more) => {
  if (name === 'node:https') process.kill(process.pid, 'SIGTERM');
  return load(name, ...more);
};`;
    writeFileSync(at('signal-while-loading.cjs'), hook);

    const operator = start(['--standalone'], ['--require', at('signal-while-loading.cjs')]);

    expect(await ended(operator)).toMatchObject({ how: IN_ORDER });
  });
});
