import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { issueServingPair, makeAuthority } from '../../../operator/server/self-signed';
import { freePorts } from '../../support/free-ports';
import { accessOf, leaveAsFound, removing, requireFamilies, type Families } from './attached-cluster';
import { binaryPath } from './binaries';
import { ClusterClient } from './cluster-client';
import { eventually } from './eventually';
import { machineAddress, ownFolder, reachableAddress, type ReachableAddress } from './machine';
import { shortLived, startProgram, type OwnProcess } from './own-process';

const execute = promisify(execFile);

/** How a control plane is started. */
export interface ControlPlaneOptions {
  /** Families of Services; `dual` where nothing is said. */
  readonly families?: Families;
  /** Writes who did what into a file, see {@link ControlPlane.auditFile}. */
  readonly audit?: boolean;
  /** How many objects the tests store, where they are many: the programs need more memory then. */
  readonly objects?: number;
}

/** A running etcd, kube-apiserver and kube-controller-manager, on loopback only. */
export interface ControlPlane {
  readonly url: string;
  /** CA of the API server, PEM. */
  readonly ca: string;
  /** Token of a member of `system:masters`; empty where a given kubeconfig has a client certificate instead. */
  readonly token: string;
  /** Kubeconfig with that token. */
  readonly kubeconfig: string;
  /** Folder for files of this control plane and what runs beside it; gone after `stop`. */
  readonly folder: string;
  readonly client: ClusterClient;
  /** One JSON line per finished request; empty without `audit`. */
  readonly auditFile: string;
  /** An address that an EndpointSlice may name; only this machine reaches it, and no other control plane has it. */
  readonly reachable: string;
  /** Runs kubectl; throws with what it printed when it fails. */
  kubectl(...words: string[]): Promise<string>;
  /** Writes a kubeconfig for somebody else. */
  kubeconfigOf(name: string, token: string): string;
  /** A kubeconfig of an own member of `system:masters`, so that audit logs tell apart who did what. */
  kubeconfigOfComponent(name: string): string;
  /** Kills the API server and starts it again on the same store; done when it is ready. Not with a given kubeconfig. */
  restartServer(): Promise<void>;
  /** Makes a backup of etcd, while nothing runs on it; done when the API server is ready again. Not with a given kubeconfig. */
  backUpStore(): Promise<void>;
  /** Puts the backup in the place of etcd's data, as after a disaster; done when the API server is ready on it. */
  restoreStore(): Promise<void>;
  /** Makes `stop` end this as well, before the servers; the last one first. */
  onStop(end: () => Promise<void> | void): void;
  stop(): Promise<void>;
}

/** Names of programs that work as administrators in tests. */
const COMPONENT_USERS = ['kube-controller-manager', 'metallb', 'cert-manager'] as const;
/** Controllers that a test can need. All of them would make a folder for volume plugins on the machine. */
const CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'endpointslice-controller',
  'serviceaccount-controller',
  'resourcequota-controller',
  'persistentvolumeclaim-protection-controller',
  'clusterrole-aggregation-controller',
];
const AUDIT_POLICY = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
});
const START_MS = 120_000;
/** Nothing of a control plane outlives it, so an end in order would only take time. */
const NO_GRACE_MS = 0;
const SERVICE_RANGES: Readonly<Record<Families, string>> = {
  v4: '10.96.0.0/16',
  v6: 'fd00:96::/112',
  dual: '10.96.0.0/16,fd00:96::/112',
};

interface Place {
  readonly folder: string;
  readonly ports: {
    readonly etcd: number;
    readonly peers: number;
    readonly server: number;
    readonly controllers: number;
  };
}

interface Credentials {
  readonly ca: string;
  readonly tokens: Readonly<Record<'admin' | (typeof COMPONENT_USERS)[number], string>>;
}

/**
 * Starts a control plane; about seven seconds. With `IPAM_TEST_KUBECONFIG` nothing is started, and that cluster is used: a
 * throwaway one without MetalLB and cert-manager, which reaches this machine. What tests make in it is taken away at the end.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const given = process.env['IPAM_TEST_KUBECONFIG'];
  const folder = ownFolder();
  const ends: End[] = [removing(folder)];
  const stop = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      try {
        await end();
      } catch (thrown) {
        failures.push(thrown); // the rest has to end all the same
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `not everything ended: ${failures.map(String).join('; ')}`);
  };
  try {
    if (given !== undefined) return await attach(given, { folder, options, ends, stop });
    return await assemble({ folder, options, ends, stop });
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

type End = () => Promise<void> | void;

interface Assembly {
  readonly folder: string;
  readonly options: ControlPlaneOptions;
  readonly ends: End[];
  readonly stop: () => Promise<void>;
}

async function attach(kubeconfig: string, { folder, options, ends, stop }: Assembly): Promise<ControlPlane> {
  if (options.audit === true)
    throw new RangeError('this test reads an audit log, which IPAM_TEST_KUBECONFIG has none of');
  const view = await kubectl({ folder, kubeconfig }, [
    'config',
    'view',
    '--raw',
    '--minify',
    '--flatten',
    '-o',
    'json',
  ]);
  const { url, ca, token = '', ...rest } = accessOf(view);
  const client = new ClusterClient({ url, ca, ...(token === '' ? rest : { token }) });
  ends.push(() => {
    client.close();
  });
  await requireFamilies(client, options.families ?? 'dual');
  ends.push(await leaveAsFound(client));
  const { hostname, port } = new URL(url);
  const reachable = hostname === '127.0.0.1' ? lazyAddress(Number(port), ends) : machineAddress;
  return {
    url,
    ca,
    token,
    folder,
    kubeconfig,
    client,
    stop,
    auditFile: auditFileOf(folder),
    get reachable() {
      return reachable();
    },
    kubectl: (...words) => kubectl({ folder, kubeconfig }, words),
    kubeconfigOf: (name, of) => writeKubeconfig(folder, { name, token: of, url, ca }),
    kubeconfigOfComponent: () => kubeconfig,
    restartServer: notOurs,
    backUpStore: notOurs,
    restoreStore: notOurs,
    onStop: (end) => ends.push(end),
  };
}

function notOurs(): Promise<never> {
  return Promise.reject(new RangeError('IPAM_TEST_KUBECONFIG names a server that is not ours to restart'));
}

async function assemble({ folder, options, ends, stop }: Assembly): Promise<ControlPlane> {
  const [etcdPort = 0, peers = 0, serverPort = 0, controllersPort = 0] = await freePorts(4);
  const ports = { etcd: etcdPort, peers, server: serverPort, controllers: controllersPort };
  const place: Place = { folder, ports };
  let etcd = await startEtcd(place, options);
  ends.push(() => etcd.stop(NO_GRACE_MS));
  const credentials = await writeCredentials(folder);
  const url = `https://127.0.0.1:${ports.server}`;
  let server = await startServer(place, options);
  ends.push(() => server.stop(NO_GRACE_MS));
  const client = new ClusterClient({ url, ca: credentials.ca, token: credentials.tokens.admin });
  ends.push(() => {
    client.close();
  });
  const ready = (): Promise<unknown> =>
    eventually(async () => {
      for (const each of [etcd, server]) each.expectRunning();
      return (await client.attempt('GET', '/readyz')).status === 200;
    }, START_MS);
  await ready();
  const replaceStore = async (from: string, to: string): Promise<void> => {
    server.kill('SIGKILL');
    await server.stop();
    await etcd.stop();
    rmSync(join(folder, to), { recursive: true, force: true });
    cpSync(join(folder, from), join(folder, to), { recursive: true });
    etcd = await startEtcd(place, options);
    server = await startServer(place, options);
    await ready();
  };
  const kubeconfigOf = (name: string, token: string): string =>
    writeKubeconfig(folder, { name, token, url, ca: credentials.ca });
  const kubeconfigOfComponent = (name: string): string =>
    kubeconfigOf(name, credentials.tokens[name as keyof Credentials['tokens']]);
  const controllers = await startControllers(place, {
    ...options,
    kubeconfig: kubeconfigOfComponent('kube-controller-manager'),
  });
  ends.push(() => controllers.stop(NO_GRACE_MS));
  await client.watchUntil('/api/v1/namespaces/default/serviceaccounts', (all) => all.length > 0);
  const reachable = lazyAddress(ports.server, ends);
  const kubeconfig = kubeconfigOf('admin', credentials.tokens.admin);
  return {
    url,
    folder,
    kubeconfig,
    client,
    stop,
    kubeconfigOf,
    kubeconfigOfComponent,
    ca: credentials.ca,
    token: credentials.tokens.admin,
    auditFile: auditFileOf(folder),
    get reachable() {
      return reachable();
    },
    kubectl: (...words) => kubectl({ folder, kubeconfig }, words),
    restartServer: async () => {
      server.kill('SIGKILL');
      await server.stop();
      server = await startServer(place, options);
      await ready();
    },
    backUpStore: () => replaceStore('etcd', 'etcd-backup'),
    restoreStore: () => replaceStore('etcd-backup', 'etcd'),
    onStop: (end) => ends.push(end),
  };
}

const auditFileOf = (folder: string): string => join(folder, 'audit.jsonl');

function lazyAddress(port: number, ends: Assembly['ends']): () => string {
  let made: ReachableAddress | undefined;
  return () => {
    if (made === undefined) {
      made = reachableAddress(port);
      ends.push(made.remove);
    }
    return made.address;
  };
}

async function kubectl(
  { folder, kubeconfig }: { readonly folder: string; readonly kubeconfig: string },
  words: readonly string[],
): Promise<string> {
  const { stdout } = await execute(binaryPath('kubectl'), [...words], {
    // without anything of the user's own settings; it keeps what it learned of the API below its home
    env: { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig },
    maxBuffer: 1 << 26,
  });
  return stdout;
}

function startEtcd({ folder, ports }: Place, { objects }: ControlPlaneOptions): Promise<OwnProcess> {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.peers}`;
  return startProgram({
    program: binaryPath('etcd'),
    logFile: join(folder, 'etcd.log'),
    env: shortLived(objects),
    args: [
      `--data-dir=${join(folder, 'etcd')}`,
      ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
      ...['--unsafe-no-fsync', '--log-level=error'],
    ],
  });
}

async function writeCredentials(folder: string): Promise<Credentials> {
  const authority = await makeAuthority(Date.now());
  const pair = await issueServingPair(authority, {
    names: ['kubernetes', 'kubernetes.default.svc'],
    nowMs: Date.now(),
  });
  writeFileSync(join(folder, 'server.crt'), pair.certificate);
  writeFileSync(join(folder, 'server.key'), pair.key, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  const names = ['admin', ...COMPONENT_USERS] as const;
  const tokens = Object.fromEntries(names.map((name) => [name, randomBytes(16).toString('hex')]));
  const lines = names.map((name) => `${tokens[name] ?? ''},${name},${name},"system:masters"\n`);
  writeFileSync(join(folder, 'tokens.csv'), lines.join(''), { mode: 0o600 });
  return { ca: authority.certificate, tokens: tokens as Credentials['tokens'] };
}

function startServer(
  { folder, ports }: Place,
  { families = 'dual', audit = false, objects }: ControlPlaneOptions,
): Promise<OwnProcess> {
  const file = (name: string): string => join(folder, name);
  writeFileSync(file('audit-policy.json'), AUDIT_POLICY);
  writeFileSync(auditFileOf(folder), '', { flag: 'a' });
  mkdirSync(file('certificates'), { recursive: true });
  return startProgram({
    program: binaryPath('kube-apiserver'),
    logFile: file('kube-apiserver.log'),
    env: shortLived(objects),
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      ...['--bind-address=127.0.0.1', `--secure-port=${ports.server}`],
      ...[`--cert-dir=${file('certificates')}`, `--tls-cert-file=${file('server.crt')}`],
      `--tls-private-key-file=${file('server.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      ...[`--service-account-key-file=${file('sa.key')}`, `--service-account-signing-key-file=${file('sa.key')}`],
      ...[`--token-auth-file=${file('tokens.csv')}`, '--authorization-mode=RBAC', '--allow-privileged'],
      `--service-cluster-ip-range=${SERVICE_RANGES[families]}`,
      // of the first family, as the API server demands; nobody is ever told of it
      ...(families === 'v6' ? ['--advertise-address=fd00:96:1::1'] : []),
      // Pods of tests name no ServiceAccount, and nothing mounts its token
      '--disable-admission-plugins=ServiceAccount',
      // calls a webhook at the addresses of its EndpointSlices, since no kube-proxy carries cluster IPs
      '--enable-aggregator-routing=true',
      '--endpoint-reconciler-type=none',
      '--profiling=false',
      ...(audit
        ? [
            `--audit-policy-file=${file('audit-policy.json')}`,
            // one file, however long it gets: it is read from its beginning
            ...[`--audit-log-path=${auditFileOf(folder)}`, '--audit-log-maxsize=100000'],
          ]
        : []),
    ],
  });
}

function startControllers(
  { folder, ports }: Place,
  { kubeconfig, objects }: ControlPlaneOptions & { readonly kubeconfig: string },
): Promise<OwnProcess> {
  return startProgram({
    program: binaryPath('kube-controller-manager'),
    logFile: join(folder, 'kube-controller-manager.log'),
    env: shortLived(objects),
    args: [
      ...[`--kubeconfig=${kubeconfig}`, '--bind-address=127.0.0.1', `--secure-port=${ports.controllers}`],
      ...['--leader-elect=false', `--service-account-private-key-file=${join(folder, 'sa.key')}`],
      ...['--use-service-account-credentials=true', `--controllers=${CONTROLLERS.join(',')}`],
    ],
  });
}

interface KubeconfigParts {
  readonly name: string;
  readonly token: string;
  readonly url: string;
  readonly ca: string;
}

function writeKubeconfig(folder: string, { name, token, url, ca }: KubeconfigParts): string {
  const path = join(folder, `${name}.kubeconfig`);
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'test', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
    'current-context': 'test',
  };
  writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
  return path;
}
