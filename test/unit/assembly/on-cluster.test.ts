import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiRequest } from '../../../operator/cluster/api/api-client';
import { IP } from '../../../operator/contract/kinds/ip';
import { IP_GROUP } from '../../../operator/contract/kinds/ip-group';
import type { JsonMap } from '../../../operator/contract/loose-json';
import { parseSettings } from '../../../operator/settings/parse-settings';
import { ReviewClient } from '../../demo/review-client';
import { kubeconfigText } from '../../support/cluster-world';
import { FakeApiServer, type FakeCall } from '../../support/fake-api-server';
import { MemoryApiClient } from '../../support/memory-api-client';
import { removeSharedPostgres, sharedPostgres } from '../../support/postgres-server';
import { RecordedLogger } from '../../support/recorded-telemetry';
import { socketCall } from '../../support/socket-call';
import { startOperator, type StartedOperator } from '../../support/started-operator';

const ZONES = 'version: 1\nservices: { defaultZone: lan }\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n';
const SERVICES = '/api/v1/services';
const LOCKED = 'leading, since the store is locked by this process';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/ipam-system/leases/ipam-operator';

/** An API server with objects, whose list of Services waits until the test lets it pass. */
class StoringApiServer {
  readonly objects = new MemoryApiClient();
  readonly watches = new Set<string>();
  /** Lists of whole kinds, in their order. */
  readonly lists: string[] = [];
  readonly #server: FakeApiServer;
  readonly #listed: Promise<void>;

  private constructor(server: FakeApiServer, listed: Promise<void>) {
    this.#server = server;
    this.#listed = listed;
    this.objects.put('/api/v1/namespaces/kube-system', { metadata: { name: 'kube-system', uid: 'uid-of-cluster' } });
    this.objects.put('/api/v1/namespaces/shop', { metadata: { name: 'shop', uid: 'uid-of-shop' } });
    this.objects.put('/apis/networking.k8s.io/v1/servicecidrs/kubernetes', { spec: { cidrs: ['10.96.0.0/12'] } });
    void this.#serve();
  }

  static async start(listed: Promise<void>): Promise<StoringApiServer> {
    return new StoringApiServer(await FakeApiServer.start(), listed);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #serve(): Promise<never> {
    for (;;) void this.#answer(await this.#server.next());
  }

  async #answer(call: FakeCall): Promise<void> {
    const { method, path, query, text } = call;
    if (query['watch'] !== undefined) {
      this.watches.add(path);
      const watch = call.watch();
      await watch.left;
      this.watches.delete(path);
      return;
    }
    if (method === 'GET' && 'limit' in query) this.lists.push(path);
    if (method === 'GET' && path === SERVICES) await this.#listed;
    const body = text === '' ? {} : { body: JSON.parse(text) as JsonMap };
    const contentType = call.headers['content-type'] as ApiRequest['contentType'];
    const request = { method: method as ApiRequest['method'], path, query, ...body };
    const answer = await this.objects.request(contentType === undefined ? request : { ...request, contentType });
    call.json(answer.status, answer.body);
  }
}

const manifest = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop', uid: `uid-of-${name}` },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: name } },
});

describe('startApplication on a cluster', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  let logger: RecordedLogger;
  let listed: () => void = () => undefined;
  let server: StoringApiServer;
  let running: StartedOperator | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipam-on-cluster-'));
    logger = new RecordedLogger();
    server = await StoringApiServer.start(new Promise((resolve) => (listed = resolve)));
    writeFileSync(at('kubeconfig'), kubeconfigText(server.url));
    writeFileSync(at('zones.yaml'), ZONES);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterAll(removeSharedPostgres);

  async function start(...more: readonly string[]): Promise<StartedOperator> {
    const argv = [
      ...['--kubeconfig', at('kubeconfig'), '--zones-file', at('zones.yaml')],
      ...['--hash-key-file', at('hash-key'), '--self-signed-ca-file', at('ca.crt'), '--shutdown-delay', '0'],
      ...['--webhook-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '127.0.0.1:0'],
      ...(more.includes('--admin-socket') ? [] : ['--admin-socket=']),
      ...more,
    ];
    const settings = parseSettings({ argv, env: {} });
    if (!settings.ok) throw new TypeError(settings.problems.map(({ message }) => message).join('; '));
    running = await startOperator(settings.value, logger);
    return running;
  }

  async function ready({ addresses }: StartedOperator): Promise<{ readonly status: string }> {
    const answer = await fetch(`http://127.0.0.1:${addresses.probes?.port ?? 0}/readyz`);
    return (await answer.json()) as { readonly status: string };
  }

  async function until<V>(read: () => V, isDone: (value: Awaited<V>) => boolean): Promise<Awaited<V>> {
    for (;;) {
      const value = await read();
      if (isDone(value)) return value;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const untilReady = (application: StartedOperator): Promise<unknown> =>
    until(
      () => ready(application),
      ({ status }) => status === 'ready',
    );

  async function admit({ addresses }: StartedOperator, name: string): Promise<string | undefined> {
    const client = new ReviewClient({ port: addresses.webhooks?.port ?? 0, authorityFile: at('ca.crt') });
    try {
      return (await client.admit(manifest(name)))[0]?.[3];
    } finally {
      client.close();
    }
  }

  test('gives nothing new before every stored Service is on record, and tells so', async () => {
    const application = await start('--store=memory', '--admission-deadline=1');
    expect(await ready(application)).toEqual({
      status: 'not ready',
      checks: [
        { name: 'store' },
        { name: 'certificate' },
        { name: 'services' },
        { name: 'identity' },
        {
          name: 'occupied',
          problem: 'what the cluster shows of network "default" without a claim is still being put on record',
        },
        { name: 'adoption', problem: 'the stored Services are still being compared with the record' },
      ],
    });
    await expect(admit(application, 'early')).rejects.toThrow('still being compared');

    listed();
    expect(await untilReady(application)).toEqual({
      status: 'ready',
      checks: ['store', 'certificate', 'services', 'identity', 'occupied', 'adoption'].map((name) => ({ name })),
    });
    expect(await admit(application, 'web')).toBe('192.0.2.0');
    expect(logger.lines.map(({ message }) => message)).toContain(LOCKED);
    expect([...server.watches].sort()).toEqual([
      '/api/v1/namespaces',
      '/api/v1/nodes',
      SERVICES,
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools',
    ]);
  });

  test('FU-02: gives nothing out that a Node or the API server has, and says whose it is', async () => {
    const addresses = [
      { type: 'InternalIP', address: '192.0.2.0' },
      { type: 'Hostname', address: 'worker-1' },
    ];
    server.objects.put('/api/v1/nodes/worker-1', { metadata: { name: 'worker-1', uid: 'n1' }, status: { addresses } });
    server.objects.put('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes', {
      metadata: { name: 'kubernetes', namespace: 'default', uid: 's1' },
      endpoints: [{ addresses: ['192.0.2.1'] }],
    });
    listed();
    const application = await start('--store=memory');
    await untilReady(application);
    expect(await admit(application, 'web')).toBe('192.0.2.2');
  });

  test('looks at no Service where it serves the IPAM-API alone', async () => {
    const application = await start(
      '--store=memory',
      '--services=false',
      '--ipam-api-bind-address=127.0.0.1:0',
      '--ipam-api-tls=false',
    );
    expect(Object.keys(application.addresses)).toEqual(['probes', 'ipamApi']);
    expect(await ready(application)).toEqual({ status: 'ready', checks: [{ name: 'store' }, { name: 'certificate' }] });
    expect([...server.watches]).toEqual([]);
  });

  test('leads by the Lease of the cluster where other processes can be on the store', async () => {
    listed();
    writeFileSync(at('dsn'), await (await sharedPostgres()).newDatabase());
    const application = await start('--store=postgres', '--postgres-dsn-file', at('dsn'));
    await untilReady(application);
    const lease = await until(
      () => server.objects.get(LEASE),
      (found) => found !== undefined,
    );
    expect(lease).toMatchObject({
      spec: { holderIdentity: expect.stringMatching(`^${hostname()}_[0-9a-f-]{36}$`) as unknown },
    });
    expect(logger.lines.map(({ message }) => message)).not.toContain(LOCKED);
  });

  test('FU-02: becomes ready beside a leader of a release that does not put on record what is in use', async () => {
    listed();
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    server.objects.put(LEASE, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'ipam-operator', namespace: 'ipam-system' },
      spec: {
        holderIdentity: 'older',
        leaseDurationSeconds: 3600,
        acquireTime: renewTime,
        renewTime,
        leaseTransitions: 0,
      },
    });
    server.objects.put('/api/v1/nodes/worker-1', {
      metadata: { name: 'worker-1', uid: 'n1' },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.0' }] },
    });
    writeFileSync(at('dsn'), await (await sharedPostgres()).newDatabase());
    const application = await start('--store=postgres', '--postgres-dsn-file', at('dsn'));
    await untilReady(application);
    expect(await admit(application, 'web')).toBe('192.0.2.1');
    expect(server.objects.get(LEASE)).toMatchObject({ spec: { holderIdentity: 'older' } });
  });

  test('opens each watch once for all doors together, and ends each when it stops', async () => {
    const resources = [IP_GROUP, IP].map(({ plural: name }) => ({ name }));
    server.objects.put(`/apis/${IP.group}/${IP.version}`, { metadata: {}, resources });
    listed();
    const application = await start('--store=memory', '--vips');
    await untilReady(application);
    const shared = [
      '/api/v1/namespaces',
      '/api/v1/nodes',
      SERVICES,
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    ];
    const own = [IP_GROUP, IP].map(({ group, version, plural }) => `/apis/${group}/${version}/${plural}`);
    await until(
      () => [...server.watches],
      (open) => [...shared, ...own].every((path) => open.includes(path)),
    );
    expect(server.lists.filter((path) => shared.includes(path)).sort()).toEqual(shared);
    await application.stop();
    await until(
      () => server.watches.size,
      (open) => open === 0,
    );
  });

  test('opens no record of zones where the doors have their claims as objects, and says so to the command line', async () => {
    const resources = [IP_GROUP, IP].map(({ plural: name }) => ({ name }));
    server.objects.put(`/apis/${IP.group}/${IP.version}`, { metadata: {}, resources });
    listed();
    const kept = ['--store=objects', '--services=false', '--vips'];
    const application = await start(...kept, '--admin-socket', at('admin.sock'));
    await untilReady(application);
    await until(
      () => server.objects.get(LEASE),
      (lease) => lease !== undefined,
    );
    const asked = await socketCall(at('admin.sock'), { method: 'GET', path: '/v3/zones' });
    expect(asked).toMatchObject({ status: 409, body: { code: 'store/no-zones' } });
    const metrics = await fetch(`http://127.0.0.1:${application.addresses.probes?.port ?? 0}/metrics`);
    expect(await metrics.text()).not.toContain('zone_addresses{');
    const { checks } = (await ready(application)) as unknown as {
      readonly checks: readonly { readonly name: string }[];
    };
    expect(checks.map(({ name }) => name)).toEqual(['certificate', 'vips']);
  });

  test('stops while the first list of the Services does not come', async () => {
    const application = await start('--store=memory');
    await expect(application.stop()).resolves.toBeUndefined();
    listed();
  });

  test('ends its watches when it stops', async () => {
    listed();
    const application = await start('--store=memory');
    await untilReady(application);
    await application.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([...server.watches]).toEqual([]);
  });
});
