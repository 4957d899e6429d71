// Runs the tests of a node, `npm run test:node [-- words for Jest]`, in namespaces of their own: network, mounts, processes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRuns } from '../cluster/components/build';
import { NODE_COMPONENTS, type Component } from '../cluster/components/recipes';
import { eventually } from '../cluster/support/eventually';
import { waitForBinaries } from '../cluster/support/binaries';
import { operatorBundle } from '../cluster/support/operator-bundle';
import { makeCgroup } from './support/cgroups';

const ROOT = join(__dirname, '../..');
const BUILD_MS = 90 * 60_000;
const PROGRAMS: readonly Component[] = [
  ...(['etcd', 'kube-apiserver', 'kubectl', 'kube-controller-manager'] as const),
  ...NODE_COMPONENTS,
];
/** What the node needs of the machine: a file, and the Debian package that has it. */
const NEEDED: Readonly<Record<string, string>> = {
  '/usr/bin/containerd': 'containerd',
  '/usr/sbin/runc': 'runc',
  '/usr/lib/cni/bridge': 'containernetworking-plugins',
  '/usr/sbin/iptables': 'iptables',
  '/usr/sbin/nft': 'nftables',
  '/usr/sbin/conntrack': 'conntrack',
  '/usr/bin/curl': 'curl',
};
/** Names and networks that the tests make. */
const OF_THE_LAN = /\b(?:router|client|spare|cni0|veth\w+)\b|\b(?:10\.77|10\.88|10\.244)\.|\bfd(?:77|88|00:244):/u;

function requireMachine(): void {
  if (process.getuid?.() !== 0) throw new RangeError('a node is started by root only');
  const packages = Object.entries(NEEDED).flatMap(([file, name]) => (existsSync(file) ? [] : [name]));
  if (packages.length > 0) throw new RangeError(`the node needs: apt-get install ${packages.join(' ')}`);
}

/** Builds what is missing, while there is still a network to fetch it from. */
async function build(): Promise<void> {
  await eventually(() => !buildRuns(), BUILD_MS);
  const script = join(ROOT, 'test/cluster/components/build.ts');
  await run(process.execPath, ['--import', 'tsx', script, ...PROGRAMS]);
  await waitForBinaries(PROGRAMS);
  await operatorBundle();
}

/** Runs a program to its end, with which this process would take it. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], { cwd: ROOT, env, stdio: 'inherit' });
  // asked to end, this process ends that one first, and takes its traces away
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => child.kill('SIGKILL'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** What of a run is to be seen outside of its namespaces. */
function traces(folder: string): readonly string[] {
  const said = ['netns list', 'link show', 'route show table all', '-6 route show table all'].map(
    (words) => spawnSync('ip', words.split(' '), { encoding: 'utf8' }).stdout,
  );
  const lines = [...said, readFileSync('/proc/self/mounts', 'utf8')].join('\n').split('\n');
  return lines.filter((line) => line.includes(folder) || OF_THE_LAN.test(line));
}

async function main(words: readonly string[]): Promise<number> {
  requireMachine();
  await build();
  const folder = mkdtempSync(join(tmpdir(), 'ipam-node-'));
  const cgroup = makeCgroup(`cdk8s-ipam-node-${String(process.pid)}`);
  const apart = ['--mount', '--propagation', 'private', '--net', '--uts', '--ipc', '--pid', '--fork', '--kill-child'];
  const jest = ['--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  try {
    const inside = [join(__dirname, 'enter'), process.execPath, ...jest, '--config', 'test/node/jest.config.cjs'];
    const env = { ...process.env, TMPDIR: folder, IPAM_TEST_CGROUP: cgroup.path };
    const code = await run('unshare', [...apart, '--mount-proc', ...inside, ...words], env);
    const left = traces(folder);
    if (left.length === 0) return code;
    console.error(`left behind on the machine:\n${left.join('\n')}`);
    return 1;
  } finally {
    await cgroup.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (thrown: unknown) => {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  },
);
