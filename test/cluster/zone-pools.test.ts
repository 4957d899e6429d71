import { addressOf } from '../../operator/addressing/address';
import { MetalLbPools, POOL_KIND } from '../../operator/backends/metallb/metallb-pools';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { openKubeClient } from '../../operator/cluster/api/kube-client';
import { KubernetesCluster } from '../../operator/cluster/objects/kubernetes-cluster';
import { openClusterObjects } from '../../operator/cluster/objects/kubernetes-objects';
import { openServiceFeed } from '../../operator/cluster/watch/service-feed';
import { METALLB_NAMESPACE } from '../../operator/contract/group';
import { parseZones } from '../../operator/contract/zones';
import { createZonePools, type KeptZonePools } from '../../operator/front-doors/services/pools/zone-pools';
import type { AddressRecord } from '../../operator/ports/claims';
import { holderOf, ownerOf, releasing, spaceOf, taken } from '../support/claim-requests';
import { RecordedLogger, RecordedMeter } from '../support/recorded-telemetry';
import type { KubeObject, Manifest } from './support/cluster-client';
import type { ControlPlane } from './support/control-plane';
import { eventually } from './support/eventually';
import { synthesizedYaml, tokenFor } from './support/installation';
import { startMetalLb } from './support/neighbours';
import { useControlPlane } from './support/use-control-plane';

const POOLS = `/apis/metallb.io/v1beta1/namespaces/${METALLB_NAMESPACE}/ipaddresspools`;
const SERVICES = '/api/v1/namespaces/default/services';
const POOL_KEY = 'metallb.io/address-pool';
const LB_IPS = 'metallb.io/loadBalancerIPs';

/** One zone for each test, so that none depends on another. */
const ZONES = Object.fromEntries(
  ['burst', 'edited', 'emptied', 'clash', 'original', 'move'].map((name, i) => [name, `10.77.${String(i)}.0/24`]),
);
const parsed = parseZones({
  version: 1,
  zones: Object.entries(ZONES).map(([name, prefix]) => ({ name, prefixes: [prefix] })),
});

const store = new MemoryClaimStore(SYSTEM_CLOCK);
const logger = new RecordedLogger();
let zonePools: KeptZonePools;
let clusterUid = '';

const plane = useControlPlane({
  programs: ['metallb-controller'],
  prepare: async (control) => {
    await startMetalLb(control);
    await control.client.apply(rightsOf(control));
    await control.client.request('POST', POOLS, poolOfOriginal('original', ['10.77.4.7/32', '10.77.4.9/32']));
    await openZonePools(control);
  },
});

/** Everything of an installation by which the operator is somebody with rights. */
function rightsOf({ folder }: ControlPlane): readonly Manifest[] {
  const kinds = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
  return synthesizedYaml(folder, { zonePools: 'claims' }).objects.filter(({ kind }) => kinds.includes(kind));
}

/** Runs the pools as the operator does, with the rights that it has. */
async function openZonePools(control: ControlPlane): Promise<void> {
  const token = await tokenFor(control, 'ipam-system', 'ipam-controller-manager');
  const kubeconfig = control.kubeconfigOf('operator', token);
  const tools = { clock: SYSTEM_CLOCK, logger };
  const client = await openKubeClient({ kubeconfig, ...tools });
  const zones = {
    current: () => {
      if (!parsed.ok) throw new TypeError('zones of the test');
      return parsed.value;
    },
  };
  const objects = openClusterObjects(client, { ...POOL_KIND, namespace: METALLB_NAMESPACE }, tools);
  const feed = openServiceFeed(client, tools);
  const cluster = new KubernetesCluster({ client, clock: SYSTEM_CLOCK });
  clusterUid = await cluster.clusterUid();
  const pools = new MetalLbPools({ objects, zones });
  zonePools = createZonePools({ ...tools, store, pools, zones, cluster, feed, meter: new RecordedMeter() });
  await adoptOriginal(control);
  await feed.whenSynced();
  const stop = zonePools.lead();
  control.onStop(async () => {
    await stop();
    zonePools.close();
    await Promise.all([feed.close(), objects.close()]);
    await client.close();
  });
}

/** Adopts an installation of the original: two Services with addresses, of which the record knows one. */
async function adoptOriginal({ client }: ControlPlane): Promise<void> {
  await client.apply([service('kept', 'original', '10.77.4.7'), service('unknown', 'original', '10.77.4.9')]);
  for (const name of ['kept', 'unknown']) await client.objectWhen(`${SERVICES}/${name}`, isAssigned);
  await take('kept', 'original', '10.77.4.7');
}

function poolOfOriginal(name: string, addresses: readonly string[]): Manifest & { readonly spec: unknown } {
  const metadata = { name, namespace: METALLB_NAMESPACE };
  return {
    apiVersion: POOL_KIND.apiVersion,
    kind: POOL_KIND.kind,
    metadata,
    spec: { addresses, autoAssign: false, avoidBuggyIPs: false },
  };
}

function service(name: string, zone: string, address: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations: { [POOL_KEY]: zone, [LB_IPS]: address } },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  };
}

function take(name: string, zone: string, address?: string): Promise<AddressRecord> {
  const holder = holderOf(name, { owner: ownerOf(name, { cluster: clusterUid }) });
  const where = { pool: zone, space: spaceOf(ZONES[zone] ?? '') };
  return taken(store, name, { ...where, holder, ...(address === undefined ? {} : { address }) });
}

const ingressOf = ({ status }: KubeObject): readonly string[] =>
  (status?.['loadBalancer']?.['ingress'] ?? []).map((each) => each['ip'] ?? '');
const isAssigned = (object: KubeObject): boolean => ingressOf(object).length > 0;
const addressesOf = ({ spec }: KubeObject): unknown => spec?.['addresses'];
const holds = (addresses: readonly string[]) => (pool: KubeObject) =>
  JSON.stringify(addressesOf(pool)) === JSON.stringify(addresses);

/** Reads the state of MetalLB's whole configuration. */
async function configuration({ client }: ControlPlane): Promise<unknown> {
  const state = await client.request(
    'GET',
    `/apis/metallb.io/v1beta1/namespaces/${METALLB_NAMESPACE}/configurationstates/controller`,
  );
  return state.status?.['result'];
}

describe('the pools of zones beside MetalLB', () => {
  test('200 claims at once need a few writes of the pool, and MetalLB assigns every address', async () => {
    const { client } = plane();
    const names = Array.from({ length: 200 }, (_, i) => `burst-${String(i)}`);
    const start = performance.now();
    for (let i = 0; i < names.length; i += 16) {
      await Promise.all(
        names.slice(i, i + 16).map(async (name) => {
          const { address } = await take(name, 'burst');
          await client.request('POST', SERVICES, service(name, 'burst', address.toString()));
        }),
      );
    }
    const services = await client.watchUntil(
      SERVICES,
      (all) => all.filter((each) => each.metadata.name.startsWith('burst-') && isAssigned(each)).length === 200,
    );
    const seconds = (performance.now() - start) / 1000;
    const pool = await client.request('GET', `${POOLS}/burst`);
    const generation = (pool.metadata as unknown as { generation: number }).generation;

    expect(new Set(services.filter(({ metadata }) => metadata.name.startsWith('burst-')).flatMap(ingressOf)).size).toBe(
      200,
    );
    expect(addressesOf(pool)).toEqual(['10.77.0.0/25', '10.77.0.128/26', '10.77.0.192/29']);
    expect(generation).toBeLessThanOrEqual(1 + Math.ceil(seconds / 0.5));
    process.stderr.write(`200 claims in ${seconds.toFixed(1)} s: ${String(generation)} write(s) of the pool\n`);
  });

  test('an edit by hand is undone, and the Service keeps or gets back its address', async () => {
    const { client } = plane();
    const { address } = await take('edited', 'edited');
    await client.apply([service('edited', 'edited', address.toString())]);
    await client.objectWhen(`${SERVICES}/edited`, isAssigned);
    const hand = { spec: { addresses: ['10.77.1.200/32'], autoAssign: true } };
    await client.request('PATCH', `${POOLS}/edited?fieldManager=kubectl-edit`, hand, 'merge');
    const repaired = await client.objectWhen(`${POOLS}/edited`, holds(['10.77.1.0/32']));
    await client.request('DELETE', `${POOLS}/edited`);
    await client.objectWhen(`${POOLS}/edited`, holds(['10.77.1.0/32']));
    const assigned = await client.objectWhen(`${SERVICES}/edited`, isAssigned);

    expect(repaired.spec).toMatchObject({ autoAssign: false });
    expect(ingressOf(assigned)).toEqual(['10.77.1.0']);
  });

  test('the pool goes with its last claim, and MetalLB goes on', async () => {
    const { client } = plane();
    const record = await take('emptied', 'emptied');
    await client.objectWhen(`${POOLS}/emptied`, holds(['10.77.2.0/32']));
    await store.release(releasing(record));
    await client.watchUntilEmpty(`${POOLS}/emptied`);

    expect(await configuration(plane())).toBe('Valid');
  });

  test('an address that a pool of an administrator holds is left out, so that MetalLB never freezes', async () => {
    const { client } = plane();
    await client.request('POST', POOLS, poolOfOriginal('lab', ['10.77.3.1-10.77.3.5']));
    for (const name of ['clash-0', 'clash-1']) await take(name, 'clash');
    await client.apply([service('clash-0', 'clash', '10.77.3.0')]);
    const assigned = await client.objectWhen(`${SERVICES}/clash-0`, isAssigned);
    await logger.heard('pool is not as it should be');

    expect(addressesOf(await client.request('GET', `${POOLS}/clash`))).toEqual(['10.77.3.0/32']);
    expect(ingressOf(assigned)).toEqual(['10.77.3.0']);
    expect(await configuration(plane())).toBe('Valid');
    expect(logger.text).toContain('10.77.3.1 of zone \\"clash\\" is in MetalLB pool \\"lab\\" too');

    await client.request('DELETE', `${POOLS}/lab`);
    await client.objectWhen(`${POOLS}/clash`, holds(['10.77.3.0/31']));
  });

  test('FU-42 the pool of the original is taken over address by address, and no Service loses an address that it uses', async () => {
    const { client } = plane();
    await take('new', 'original', '10.77.4.8');
    const pool = await client.objectWhen(`${POOLS}/original`, holds([7, 8, 9].map((last) => `10.77.4.${last}/32`)));
    const events = await client.request('GET', '/api/v1/namespaces/default/events');
    const told = (events.items ?? []) as readonly (KubeObject & {
      readonly involvedObject?: { readonly name: string };
    })[];

    expect(pool.metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'ipam-operator' });
    expect(
      await Promise.all(
        ['kept', 'unknown'].map(async (name) => ingressOf(await client.request('GET', `${SERVICES}/${name}`))),
      ),
    ).toEqual([['10.77.4.7'], ['10.77.4.9']]);
    expect(
      told.filter(({ reason, involvedObject }) => reason === 'ClearAssignment' && involvedObject?.name !== 'edited'),
    ).toEqual([]);
  });

  test('a Service that is told its new address after it is published is never without one', async () => {
    const { client } = plane();
    const before = await take('move', 'move');
    await client.apply([service('move', 'move', before.address.toString())]);
    await client.objectWhen(`${SERVICES}/move`, isAssigned);
    const next = await take('move-again', 'move');
    await expect(zonePools.published('move', next.address)).resolves.toBe(true);
    const seen: (readonly string[])[] = [];
    const moved = client.watchUntil(`${SERVICES}?fieldSelector=metadata.name=move`, ([object]) => {
      if (object !== undefined) seen.push(ingressOf(object));
      return seen.at(-1)?.[0] === next.address.toString();
    });
    await eventually(() => seen.length > 0);
    await client.apply([service('move', 'move', next.address.toString())]);
    await moved;
    await store.release(releasing(before));
    await client.objectWhen(`${POOLS}/move`, holds(['10.77.5.1/32']));
    const after = await client.request('GET', `${SERVICES}/move`);

    expect(seen.map(String)).not.toContain('');
    expect(seen[0]).toEqual(['10.77.5.0']);
    expect(ingressOf(after)).toEqual(['10.77.5.1']);
  });

  test('what is not published yet is waited for in vain while nobody claims it', async () => {
    await eventually(() => zonePools.view.space('move') !== undefined);

    await expect(zonePools.published('move', addressOf('10.77.5.99'))).resolves.toBe(false);
  });
});
