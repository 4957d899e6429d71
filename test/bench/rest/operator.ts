import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { podHeap } from '../cluster/pod-heap';

/** A bundled operator beside a stand-in API server. */
export interface RestingOperator {
  readonly pid: number;
  stop(): Promise<void>;
}

const ZONES = 'version: 1\nzones:\n  - name: bench\n    prefixes: [10.201.0.0/16]\n';

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    clusters: [{ name: 'bench', cluster: { server } }],
    users: [{ name: 'bench', user: { token: 'of the bench' } }],
  });
}

/** Where an operator is and what it talks to. */
export interface OperatorPlace {
  readonly bundle: string;
  readonly folder: string;
  /** Origin of the API server. */
  readonly server: string;
  /** Port of the webhooks. */
  readonly port: number;
}

/** Starts it; resolves when it is ready, with every Service on record. */
export async function startOperator(
  { bundle, folder, server, port }: OperatorPlace,
  more: readonly string[] = [],
): Promise<RestingOperator> {
  const file = (name: string, content?: string): string => {
    const path = join(folder, name);
    if (content !== undefined) writeFileSync(path, content);
    return path;
  };
  const flags = {
    kubeconfig: file('kubeconfig', kubeconfig(server)),
    namespace: 'ipam-system',
    'zones-file': file('zones.yaml', ZONES),
    'sqlite-file': file('ipam.sqlite'),
    'hash-key-file': file('hash-key'),
    'self-signed-ca-file': file('ca.crt'),
    'webhook-bind-address': `127.0.0.1:${String(port)}`,
    'health-probe-bind-address': '127.0.0.1:0',
    'shutdown-delay': '0',
  };
  const words = [...Object.entries(flags).map(([name, value]) => `--${name}=${value}`), ...more];
  const env = { ...process.env, ...podHeap(), TMPDIR: folder };
  const child = spawn(process.execPath, [join(bundle, 'operator.js'), ...words], { cwd: folder, env });
  const ended = once(child, 'close');
  await untilReady(child);
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilReady(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  child.stderr?.on('data', (part: Buffer) => said.push(part.toString()));
  if (child.stdout === null) throw new RangeError('the operator has no output');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    said.push(line);
    if ((JSON.parse(line) as { message?: string }).message !== 'operator ready') continue;
    child.stdout.resume(); // a full pipe would stop the operator at a later log line
    return;
  }
  throw new RangeError(`the operator did not start:\n${said.join('\n')}`);
}
