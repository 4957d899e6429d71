import { IPAM, METALLB_NAMESPACE } from '../../operator/contract/group';
import type { Json } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { installMetalLbKinds, startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import type { OwnProcess } from './support/own-process';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const POOLS = `/apis/metallb.io/v1beta1/namespaces/${METALLB_NAMESPACE}/ipaddresspools`;
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ipaddresspools.metallb.io';
/** More than the 10 s after which a status without the address is told. */
const TOLD_MS = 120_000;

let operator: RunningOperator;
let metallb: OwnProcess;
const plane = useControlPlane({
  audit: true,
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([installMetalLbKinds(control), startCertManager(control)]);
    const zones = ['first', 'wide', 'lost', 'taken', 'never', 'narrow'].map((name, i) => ({
      name,
      prefixes: [`10.95.${String(i)}.0/24`],
    }));
    await applyInstallation(control, { zones });
    operator = await startOperator(control);
    await scene.open(control);
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });

const inZone = (zone: string, addresses?: string) => ({
  annotations: { [IPAM.zone]: zone, ...(addresses === undefined ? {} : { [IPAM.addresses]: addresses }) },
});

/** Waits for a condition, and gives its message. */
async function told(name: string, status: string, reason: string): Promise<string> {
  const fits = (found: ReturnType<typeof conditionOf>): boolean => found?.status === status && found.reason === reason;
  const object = await scene.when(name, (each) => fits(conditionOf(each)), TOLD_MS);
  return conditionOf(object)?.message ?? '';
}

/** Seconds from the create of a Service to its condition, both by the clock of the API server. */
async function secondsTo(name: string): Promise<number> {
  const { metadata, status } = await scene.get(name);
  const conditions = (status?.['conditions'] ?? []) as readonly Json[];
  const [changed] = conditions.map((each) => Date.parse(String(each['lastTransitionTime'])));
  return ((changed ?? NaN) - Date.parse(metadata.creationTimestamp)) / 1_000;
}

const metricLine = (text: string): Promise<boolean> =>
  eventually(async () => (await operator.metrics()).split('\n').includes(text), TOLD_MS);

const poolOf = async (name: string): Promise<Json | undefined> =>
  (await plane().client.request('GET', `${POOLS}/${name}`))['spec'];

const edit = (name: string, addresses: readonly string[]): Promise<unknown> =>
  plane().client.request('PATCH', `${POOLS}/${name}`, { spec: { addresses } }, 'merge');

describe('AddressReady tells what is announced', () => {
  test('FU-14 Unknown where no MetalLB runs, and True as soon as one does, without a write between', async () => {
    const before = (await scene.writes('web')).length;
    await scene.create('web', inZone('first'));
    const message = await told('web', 'Unknown', 'NoAnnouncer');
    expect(message).toContain('"10.95.0.0" of zone "first" is bound to this Service');
    expect(message).toContain("MetalLB's controller does not run");
    expect(await secondsTo('web')).toBeLessThanOrEqual(10);
    expect(await scene.event('web', 'NoAnnouncer')).toMatchObject({ type: 'Warning' });
    await metricLine('ipam_services_unannounced{zone="first",reason="NoAnnouncer"} 1');
    metallb = await startMetalLb(plane());
    await scene.shows('web', '10.95.0.0');
    expect(await told('web', 'True', 'Bound')).toBe('"10.95.0.0" of zone "first" is bound to this Service');
    expect(await scene.written('web', { before, count: 2 })).toEqual([
      'patch services/status',
      'patch services/status',
    ]);
  });

  test('FU-14 True with one write where MetalLB announces', async () => {
    await scene.create('plain', inZone('first'));
    await scene.shows('plain', '10.95.0.1');
    expect(await scene.written('plain', { count: 1 })).toEqual(['patch services/status']);
  });

  test('FU-14 Unknown where the zone is wider than the pool, until the pool is edited too', async () => {
    await edit('wide', ['10.95.1.128/25']);
    await metricLine('ipam_zone_pool_mismatch{zone="wide",kind="narrower"} 1');
    await scene.create('outside', inZone('wide'));
    expect(await told('outside', 'Unknown', 'NotAnnounced')).toContain('MetalLB pool "wide" does not hold "10.95.1.0"');
    await edit('wide', ['10.95.1.0/24']);
    await scene.shows('outside', '10.95.1.0');
    expect(await scene.event('outside', 'Bound')).toMatchObject({ type: 'Normal' });
    await eventually(async () => !(await operator.metrics()).includes('ipam_zone_pool_mismatch{zone="wide"'), TOLD_MS);
  });

  test('FU-14 Unknown after 10 s where the pool goes while it is in use, and True when it is back', async () => {
    await scene.create('robbed', inZone('lost'));
    await scene.shows('robbed', '10.95.2.0');
    const spec = await poolOf('lost');
    const begin = Date.now();
    const annotations = { 'ipam.vitistack.io/withdraw': '10.95.2.0/24' };
    await plane().client.request('PATCH', `${POOLS}/lost`, { metadata: { annotations } }, 'merge');
    await plane().client.request('DELETE', `${POOLS}/lost`);
    const emptied = await scene.when('robbed', (each) => ingressOf(each).length === 0);
    expect(conditionOf(emptied)?.status).toBe('True');
    expect(await told('robbed', 'Unknown', 'NotAnnounced')).toContain('there is no MetalLB pool "lost"');
    expect(Date.now() - begin).toBeGreaterThan(9_000);
    const metadata = { name: 'lost', namespace: METALLB_NAMESPACE };
    const pool = { apiVersion: 'metallb.io/v1beta1', kind: 'IPAddressPool', metadata, spec };
    await plane().client.request('POST', POOLS, pool);
    await scene.shows('robbed', '10.95.2.0');
    expect(await scene.held('lost')).toBe(1);
  });

  test('FU-14 Unknown where another Service shows the address, which it names', async () => {
    const theirs = { spec: { loadBalancerClass: 'other.example/lb' } };
    await scene.create('thief', theirs);
    const status = { status: { loadBalancer: { ingress: [{ ip: '10.95.3.0' }] } } };
    await plane().client.request('PATCH', `${scene.path('thief')}/status`, status, 'merge');
    await edit('taken', ['10.95.3.128/25']);
    await scene.create('owner', inZone('taken'));
    expect(await told('owner', 'Unknown', 'NotAnnounced')).toContain('Service "a/thief" shows "10.95.3.0"');
  });

  test('FU-14 Unknown where MetalLB says in an Event that it gives none, which is quoted', async () => {
    const serviceAllocation = { namespaces: ['another'] };
    await plane().client.request('PATCH', `${POOLS}/narrow`, { spec: { serviceAllocation } }, 'merge');
    await scene.create('unfit', inZone('narrow'));
    expect(await told('unfit', 'Unknown', 'NotAnnounced')).toMatch(
      /MetalLB's Event of [\d:T-]+Z says "Failed to allocate IP for .*"/u,
    );
  });

  test('FU-14 Unknown where MetalLB ran and does not run any more', async () => {
    await metallb.stop(0);
    await scene.create('stopped', inZone('first'));
    expect(await told('stopped', 'Unknown', 'NoAnnouncer')).toContain(
      'neither an address nor an Event about this Service',
    );
    expect(await secondsTo('stopped')).toBeLessThanOrEqual(10);
  });

  test('FU-14 Unknown where MetalLB is not installed at all', async () => {
    await plane().client.request('DELETE', CRD);
    await eventually(async () => (await plane().client.attempt('GET', POOLS)).status === 404, TOLD_MS);
    await scene.create('alone', inZone('never'));
    expect(await told('alone', 'Unknown', 'NoAnnouncer')).toContain('MetalLB is not installed');
    expect(await secondsTo('alone')).toBeLessThanOrEqual(10);
    await metricLine('ipam_zone_pool_mismatch{zone="never",kind="missing"} 1');
    expect(await scene.held('never')).toBe(1);
  });
});
