import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readManifests, type Manifest } from './synthesized';

/** A running standalone operator. */
export interface RunningOperator {
  readonly pid: number;
  readonly port: number;
  readonly probePort: number;
  readonly authorityFile: string;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Ends it without a chance to write anything. */
  kill(): Promise<void>;
}

/** Runs one program to its end; what it prints is shown only when it fails. */
async function run(root: string, command: string, words: readonly string[]): Promise<void> {
  const child = spawn(command, words, { cwd: root, env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false' } });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => said.push(part));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new RangeError(
      `${[command, ...words].join(' ')} ended with ${code ?? 'a signal'}:\n${Buffer.concat(said).toString()}`,
    );
}

/** Runs `cdk8s synth` at the root and reads what it wrote. */
export async function synthesize(root: string): Promise<readonly Manifest[]> {
  await run(root, join(root, 'node_modules/.bin/cdk8s'), ['synth']);
  return readManifests(join(root, 'dist'));
}

/** Bundles the operator as its image has it. */
export function bundleOperator(root: string): Promise<void> {
  return run(root, process.execPath, [join(root, 'test/support/bundle.mjs')]);
}

/** Waits until the operator is ready and returns the ports that it logged on the way. */
async function readyPorts(child: ChildProcess): Promise<Readonly<Record<string, number>>> {
  const early: string[] = [];
  child.stderr?.on('data', (part: Buffer) => early.push(part.toString()));
  if (child.stdout === null) throw new RangeError('the operator has no output');
  const ports: Record<string, number> = {};
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const { message, name = '', port = 0 } = JSON.parse(line) as { message?: string; name?: string; port?: number };
    if (message === 'listening') ports[name] = port;
    if (message === 'operator ready') {
      child.stdout.resume(); // a full pipe would stop the operator at a later log line
      return ports;
    }
  }
  throw new RangeError(`the operator did not start:\n${early.join('')}`);
}

/** Starts the bundled operator on free loopback ports, with all its files in `folder`. */
export async function startOperator({
  root,
  folder,
  zones,
}: {
  root: string;
  folder: string;
  zones: string;
}): Promise<RunningOperator> {
  const zonesFile = join(folder, 'zones.yaml');
  const authorityFile = join(folder, 'ca.crt');
  writeFileSync(zonesFile, zones);
  const flags = {
    'zones-file': zonesFile,
    'sqlite-file': join(folder, 'ipam.sqlite'),
    'hash-key-file': join(folder, 'hash-key'),
    'self-signed-ca-file': authorityFile,
    'webhook-bind-address': '127.0.0.1:0',
    'health-probe-bind-address': '127.0.0.1:0',
    'cluster-families': 'ipv4,ipv6',
    'shutdown-delay': '0',
  };
  const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(process.execPath, [join(root, 'lib/bundle/operator.js'), '--standalone', ...words], {
    cwd: folder,
    // that of Jest is a copy, which a child does not get by itself
    env: process.env,
  });
  const ended = once(child, 'close');
  const ports = await readyPorts(child);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    port: ports['webhooks'] ?? 0,
    probePort: ports['probes'] ?? 0,
    authorityFile,
    ended,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
