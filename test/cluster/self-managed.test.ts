import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { MemoryCluster } from '../../operator/backends/memory/memory-cluster';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { WEBHOOK_CONFIGURATIONS } from '../../operator/contract/webhook-configurations';
import { openSelfManaged } from '../../operator/cluster/certificates/admission-certs';
import type { ApiClient } from '../../operator/cluster/api/api-client';
import { secretWith } from '../../operator/cluster/certificates/certificate-secret';
import { openKubeClient } from '../../operator/cluster/api/kube-client';
import { IPAM, SELF_SIGNED_SECRET, WEBHOOK_NAMES } from '../../operator/contract/group';
import { parseZones } from '../../operator/contract/zones';
import { registerServicesDoor } from '../../operator/front-doors/services/index';
import { ownRecord } from '../support/own-record';
import { LocalAddressBook } from '../../operator/ledger/local-address-book';
import type { CertificateSource } from '../../operator/ports/certificates';
import type { Clock } from '../../operator/ports/clock';
import { createWebServer, type WebServer } from '../../operator/server/https-server';
import { X509_CERTIFICATES } from '../../operator/server/x509-certificates';
import { ZONES } from '../support/door-world';
import { testHasher } from '../support/ledger-world';
import { synthesized } from '../support/operator-objects';
import { RecordedLogger, RecordedMeter } from '../support/recorded-telemetry';
import type { KubeObject, Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { useControlPlane } from './support/use-control-plane';
import { webhooksInForce } from './support/webhooks-in-force';

const NAMESPACE = 'ipam-system';
const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/${SELF_SIGNED_SECRET}`;
const MUTATING = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${WEBHOOK_NAMES.mutatingConfiguration}`;
const VALIDATING = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${WEBHOOK_NAMES.validatingConfiguration}`;
const NAMES = [`ipam-webhook-service.${NAMESPACE}.svc`];
const SLICES = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;
/** 20 calls a second, for some seconds before and after. */
const [CALL_EVERY_MS, SOME_CALLS] = [50, 60];
const YEAR_MS = 365 * 86_400_000;
/** Half a minute becomes a quarter of a second. */
const HASTE = 120;
/** Longer than some looks. */
const SOME_LOOKS_MS = 1_500;

const HASTY_CLOCK: Clock = {
  nowMs: () => SYSTEM_CLOCK.nowMs(),
  after: (ms, run) => SYSTEM_CLOCK.after(ms / HASTE, run),
};

/** The manifests of an installation without cert-manager, as far as certificates and webhooks go. */
const manifests = synthesized({ certificates: 'self-managed' }) as unknown as readonly Manifest[];
const webhooks = manifests.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
const basics = manifests.filter(
  ({ kind, metadata }) =>
    ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding'].includes(kind) ||
    (['Role', 'RoleBinding'].includes(kind) && metadata.namespace === NAMESPACE) ||
    metadata.name === 'ipam-webhook-service',
);

const logger = new RecordedLogger();
const meter = new RecordedMeter();
let api: ApiClient;
let source: CertificateSource;
let server: WebServer;

const plane = useControlPlane({
  prepare: async (plane) => {
    const { client, reachable } = plane;
    await client.apply(basics);
    const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/ipam-controller-manager/token`;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await client.request('POST', account, request);
    const kubeconfig = plane.kubeconfigOf('operator', String(status?.['token']));
    api = await openKubeClient({ kubeconfig, clock: SYSTEM_CLOCK, logger });
    source = await openReplica();
    server = createWebServer({
      bodyLimitBytes: 1 << 20,
      clock: SYSTEM_CLOCK,
      logger,
      meter: new RecordedMeter(),
      certificate: source,
    });
    registerDoor(server);
    const { port } = await server.listen({ host: reachable, port: 0 });
    await client.apply([sliceTo(reachable, port), ...webhooks]);
    plane.onStop(async () => {
      source.close();
      await endOf(server);
      await api.close();
    });
  },
});

/** The API server keeps connections for later that never had a request, and no server ends those by itself. */
async function endOf(ending: WebServer): Promise<void> {
  const closed = ending.close();
  ending.cut();
  await closed;
}

function openReplica(): Promise<CertificateSource> {
  return openSelfManaged({
    client: api,
    configurations: WEBHOOK_CONFIGURATIONS.services,
    namespace: NAMESPACE,
    secretName: SELF_SIGNED_SECRET,
    names: NAMES,
    certificates: X509_CERTIFICATES,
    clock: HASTY_CLOCK,
    logger,
    meter,
  });
}

const parsed = parseZones(ZONES);
if (!parsed.ok) throw new TypeError('the zones of the tests are not valid');
const zones = { current: () => parsed.value };
/** One record for all replicas. */
const shared = {
  zones,
  clock: SYSTEM_CLOCK,
  logger,
  meter,
  cluster: new MemoryCluster({ families: [4] }),
  book: new LocalAddressBook({
    record: ownRecord(new MemoryClaimStore(SYSTEM_CLOCK)),
    zones,
    hasher: testHasher,
    clock: SYSTEM_CLOCK,
  }),
};

function registerDoor({ app }: WebServer): void {
  registerServicesDoor(app, {
    ...shared,
    settings: { loadBalancerClasses: [], whenUnavailable: 'deny', deadlineSeconds: 8 },
  });
}

function sliceTo(address: string, port: number, replica = 'test'): Manifest {
  const service = 'ipam-webhook-service';
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${service}-${replica}`,
      namespace: NAMESPACE,
      labels: { 'kubernetes.io/service-name': service },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  return slice;
}

let services = 0;

/** Without a default zone the API server calls the webhooks only for what asks. */
const ASKS = { [IPAM.zone]: 'hnet-private' };

/** Creates a Service, which both webhooks must admit, and tells its addresses. */
async function admitted(): Promise<string | undefined> {
  const name = `service-${String(++services)}`;
  const spec = { type: 'LoadBalancer', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'], ports: [{ port: 80 }] };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name, annotations: ASKS }, spec };
  const stored = await plane().client.request('POST', '/api/v1/namespaces/default/services', service);
  return stored.metadata.annotations?.[IPAM.addresses];
}

const bundleOf = ({ webhooks: list }: KubeObject): string =>
  Buffer.from(list?.[0]?.['clientConfig']?.['caBundle'] ?? '', 'base64').toString();
const authoritiesIn = (bundle: string): number => bundle.match(/BEGIN/g)?.length ?? 0;
const textOf = (secret: KubeObject, key: string): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Waits until both configurations trust as many CAs. */
async function trusting(authorities: number): Promise<void> {
  for (const path of [MUTATING, VALIDATING])
    await plane().client.objectWhen(path, (each) => authoritiesIn(bundleOf(each)) === authorities);
}

/** Dry runs at a steady rate, whatever becomes of those before; both webhooks see each of them. */
class SteadyLoad {
  calls = 0;
  readonly #failed: string[] = [];
  readonly #running: Promise<void>[] = [];
  readonly #timer = setInterval(() => this.#running.push(this.#call()), CALL_EVERY_MS);

  /** Waits until so many were sent. */
  async reaches(calls: number): Promise<void> {
    await eventually(() => this.calls >= calls);
  }

  /** Ends it; answers what was not served. */
  async end(): Promise<readonly string[]> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
    return this.#failed;
  }

  async #call(): Promise<void> {
    const metadata = { name: `load-${String(++this.calls)}`, annotations: ASKS };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    };
    const path = '/api/v1/namespaces/default/services?dryRun=All';
    const { status, body } = await plane().client.attempt('POST', path, service);
    if (status !== 201) this.#failed.push(`${metadata.name}: ${String(status)} ${body.message ?? ''}`);
  }
}

/** Puts a CA in place that ends soon, and waits until the one that follows it is trusted too. */
async function letAuthorityAge(): Promise<void> {
  const { client } = plane();
  const nowMs = Date.now();
  const authority = await X509_CERTIFICATES.makeAuthority(nowMs - 9.5 * YEAR_MS);
  const serving = await X509_CERTIFICATES.issue(authority, { names: NAMES, nowMs });
  const stored = (await client.request('GET', SECRET)) as object as Readonly<Record<string, unknown>>;
  await client.request('PUT', SECRET, secretWith(stored, { authority, serving }));
  await secretWhen((secret) => textOf(secret, 'next-ca-trusted-since') !== '');
  await trusting(2);
  await webhooksInForce(plane().client);
  await eventually(admitted);
}

/**
 * Lets the CA that follows take over, and the trust in the former one end once every replica serves by the new one, which takes them a
 * day at most in life; times are set back rather than the clock forward.
 */
async function renewAuthority(replicas: readonly CertificateSource[]): Promise<void> {
  const { client } = plane();
  const yesterday = base64(new Date(Date.now() - 25 * 3_600_000).toISOString());
  await client.request('PATCH', SECRET, { data: { 'next-ca-trusted-since': yesterday } }, 'merge');
  const taken = await secretWhen((secret) => textOf(secret, 'previous-ca.crt') !== '');
  await eventually(() => replicas.every((each) => each.current().certificate === textOf(taken, 'tls.crt')));
  await client.request('PATCH', SECRET, { data: { 'previous-ca-since': yesterday } }, 'merge');
  await secretWhen((secret) => textOf(secret, 'previous-ca.crt') === '');
  await trusting(1);
}

/** The Secret once it is as awaited. */
const secretWhen = (predicate: (secret: KubeObject) => boolean): Promise<KubeObject> =>
  plane().client.objectWhen(SECRET, predicate);

describe('self-managed certificates on a real API server', () => {
  test('let a Service through both webhooks, with no rights but those of the manifests', async () => {
    expect(await eventually(admitted)).toMatch(/^10\.0\.0\.\d+\/32$|^10\.0\.0\.\d+$/);
    expect(source.problem()).toBeUndefined();
  });

  test('are shared by a second replica', async () => {
    const second = await openReplica();
    expect(second.current()).toEqual(source.current());
    expect(second.problem()).toBeUndefined();
    second.close();
  });

  test('own nothing of the configurations but caBundle', async () => {
    await trusting(1);
    const { metadata } = await plane().client.request('GET', MUTATING);
    const { managedFields = [] } = metadata as { managedFields?: readonly { manager: string; fieldsV1: unknown }[] };
    const ours = managedFields.filter(({ manager }) => manager === 'ipam-operator');
    expect(ours.map(({ fieldsV1 }) => fieldsV1)).toEqual([
      { 'f:webhooks': { [`k:{"name":"${WEBHOOK_NAMES.mutating}"}`]: { 'f:clientConfig': { 'f:caBundle': {} } } } },
    ]);
  });

  test('write nothing while nothing changes', async () => {
    await trusting(1);
    const { client } = plane();
    const versions = async (): Promise<readonly string[]> => {
      const all = await Promise.all([SECRET, MUTATING, VALIDATING].map((path) => client.request('GET', path)));
      return all.map(({ metadata }) => metadata.resourceVersion);
    };
    const before = await versions();
    await new Promise<void>((resolve) => SYSTEM_CLOCK.after(SOME_LOOKS_MS, resolve));
    expect(await versions()).toEqual(before);
  });

  test('survive an apply of the manifests, server-side', async () => {
    await trusting(1);
    const applied = await plane().client.apply(webhooks);
    expect(applied.map(({ body }) => authoritiesIn(bundleOf(body)))).toEqual([1, 1]);
  });

  test('survive an apply of the manifests by kubectl, which merges them with what is there', async () => {
    await trusting(1);
    const { client, folder, kubectl } = plane();
    const file = join(folder, 'webhooks.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: webhooks }));
    const versions = async (): Promise<readonly KubeObject[]> =>
      Promise.all([MUTATING, VALIDATING].map((path) => client.request('GET', path)));
    for (const round of ['the annotation of kubectl comes', 'nothing changes']) {
      await kubectl('apply', '-f', file);
      expect([round, ...(await versions()).map((each) => authoritiesIn(bundleOf(each)))]).toEqual([round, 1, 1]);
    }
  });

  test('heal configurations that were replaced by ones without trust', async () => {
    await trusting(1);
    const { client } = plane();
    for (const manifest of webhooks) {
      const path = await client.pathOf(manifest);
      const { metadata } = await client.request('GET', path);
      const { resourceVersion } = metadata;
      await client.request('PUT', path, { ...manifest, metadata: { ...manifest.metadata, resourceVersion } });
    }
    await trusting(1);
    expect(await eventually(admitted)).toBeDefined();
  });

  test('replace a Secret that was damaged, and admission goes on', async () => {
    const { client } = plane();
    const before = textOf(await client.request('GET', SECRET), 'ca.crt');
    await client.request('PATCH', SECRET, { data: { 'ca.key': base64('nonsense') } }, 'merge');
    await secretWhen((secret) => textOf(secret, 'ca.crt') !== before);
    expect(await eventually(admitted)).toBeDefined();
  });

  test('rotate the CA, and every Service is admitted meanwhile', async () => {
    const { client } = plane();
    const nowMs = Date.now();
    const authority = await X509_CERTIFICATES.makeAuthority(nowMs - 9.5 * YEAR_MS);
    const serving = await X509_CERTIFICATES.issue(authority, { names: NAMES, nowMs });
    const ending = secretWith((await client.request('GET', SECRET)) as object as Readonly<Record<string, unknown>>, {
      authority,
      serving,
    });
    await client.request('PUT', SECRET, ending);
    await secretWhen((secret) => textOf(secret, 'next-ca-trusted-since') !== '');
    await trusting(2);
    await webhooksInForce(plane().client);
    expect(await eventually(admitted)).toBeDefined();
    expect(source.current()).toEqual(serving);

    // Times of the state are set back rather than the clock forward, which the API server would not follow.
    const yesterday = base64(new Date(nowMs - 25 * 3_600_000).toISOString());
    await client.request('PATCH', SECRET, { data: { 'next-ca-trusted-since': yesterday } }, 'merge');
    const taken = await secretWhen((secret) => textOf(secret, 'previous-ca.crt') !== '');
    expect(await admitted()).toBeDefined();
    await eventually(() => source.current().certificate === textOf(taken, 'tls.crt'));
    expect(await admitted()).toBeDefined();

    await client.request('PATCH', SECRET, { data: { 'previous-ca-since': yesterday } }, 'merge');
    await secretWhen((secret) => textOf(secret, 'previous-ca.crt') === '');
    await trusting(1);
    expect(await admitted()).toBeDefined();
    expect(textOf(taken, 'ca.crt')).not.toBe(authority.certificate);
  });

  test('fail no call of a steady load on two replicas while the CA is renewed', async () => {
    const { client, reachable } = plane();
    const second = await openReplica();
    const beside = createWebServer({
      bodyLimitBytes: 1 << 20,
      clock: SYSTEM_CLOCK,
      logger,
      meter: new RecordedMeter(),
      certificate: second,
    });
    registerDoor(beside);
    const { port } = await beside.listen({ host: reachable, port: 0 });
    await client.apply([sliceTo(reachable, port, 'second')]);
    await letAuthorityAge();
    const before = textOf(await client.request('GET', SECRET), 'ca.crt');
    const load = new SteadyLoad();
    await load.reaches(SOME_CALLS);
    await renewAuthority([source, second]);
    await load.reaches(load.calls + SOME_CALLS);

    expect(await load.end()).toEqual([]);
    expect(textOf(await client.request('GET', SECRET), 'ca.crt')).not.toBe(before);
    await eventually(() => second.current().certificate === source.current().certificate);
    await client.request('DELETE', `${SLICES}/ipam-webhook-service-second`);
    second.close();
    await endOf(beside);
  });

  test('keep their private keys out of every line of the log', () => {
    expect(logger.text).not.toContain('PRIVATE KEY');
    expect(logger.lines.length).toBeGreaterThan(0);
  });
});
