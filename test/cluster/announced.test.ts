import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { IpamOperatorProps } from '../../constructs';
import { ADDRESS_READY, IPAM, METALLB, WAITING_POOL } from '../../operator/contract/group';
import { socketCall } from '../support/socket-call';
import type { KubeObject } from './support/cluster-client';
import { eventually } from './support/eventually';
import { followIngress, type IngressWatch } from './support/follow-ingress';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type OperatorStart, type RunningOperator } from './support/operator-process';
import { originalAnnotations, originalPool, type OriginalWish } from './support/original';
import { ServiceScene, type Wanted } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { letUnseenPass, UNSEEN } from './support/unseen';
import { useControlPlane } from './support/use-control-plane';

const CLASS = 'example.com/lb';
const PROPS: Partial<IpamOperatorProps> = {
  zones: [
    { name: 'open', prefixes: ['10.90.0.0/24'], quarantineSeconds: 1 },
    { name: 'closed', prefixes: ['10.90.1.0/24'], namespaces: { matchLabels: { tenant: 'nobody' } } },
  ],
  services: { loadBalancerClasses: [CLASS] },
};
/** Time of a look at every Service, with time to spare. */
const ROUND_MS = 4_000;

let operator: RunningOperator;
let watch: IngressWatch;
const socket = join(mkdtempSync(join(tmpdir(), 'ipam-')), 'admin.sock');
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control, { lbClass: CLASS }), startCertManager(control)]);
    await applyInstallation(control, PROPS);
    await letUnseenPass(control);
    await control.client.apply([originalPool('gone', ['10.91.0.5'])]);
    for (const scene of [a, b, d]) await scene.open(control);
    await control.client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c', labels: { tenant: 'nobody' } } },
    ]);
    watch = followIngress(control);
  },
});
const at = { plane, operator: () => operator };
const a = new ServiceScene({ ...at, namespace: 'a' });
const b = new ServiceScene({ ...at, namespace: 'b' });
/** The only one that zone `closed` is open to. */
const c = new ServiceScene({ ...at, namespace: 'c' });
const d = new ServiceScene({ ...at, namespace: 'd' });
/** Our condition as a tenant can write it. */
const READY = { type: ADDRESS_READY, status: 'True', reason: 'Bound', lastTransitionTime: '2026-01-01T00:00:00Z' };

/** A Service as the original left it, which comes without a call of our webhooks. */
const unseen = (wish: OriginalWish, port = 80): Wanted => ({
  annotations: originalAnnotations(wish),
  labels: UNSEEN,
  spec: { loadBalancerClass: CLASS, ports: [{ port }] },
});
const asked = (annotations: Readonly<Record<string, string>>, port = 80): Wanted => ({
  annotations: { [IPAM.zone]: 'open', ...annotations },
  spec: { loadBalancerClass: CLASS, ports: [{ port }] },
});

async function announced(scene: ServiceScene, name: string, wanted: Wanted): Promise<KubeObject> {
  await scene.create(name, wanted);
  return scene.when(name, (object) => ingressOf(object).length > 0);
}

async function start(more: OperatorStart = {}): Promise<void> {
  operator = await startOperator(plane(), { ...more, args: { 'admin-socket': socket, ...more.args } });
}

const contested = (scene: ServiceScene, name: string): Promise<KubeObject> => scene.waits(name, 'AddressContested');

/** Which of two shows an address that the record grants to the other one. */
async function contestedOf(...all: readonly (readonly [ServiceScene, string])[]): Promise<ServiceScene | undefined> {
  for (const [scene, name] of all) if (conditionOf(await scene.get(name))?.reason === 'AddressContested') return scene;
  return undefined;
}

/** Whose share of an address was refused at the take-over. */
let loser: ServiceScene;

async function sharedAsBefore(): Promise<void> {
  await (loser === b ? contested(b, 'second') : contested(a, 'first'));
  await (loser === b ? a.waits('first', 'Bound') : b.waits('second', 'Bound'));
}

const volume = (): string => join(plane().folder, 'volumes', 'ipam-data');

const gauge = async (): Promise<number | undefined> => (await a.numbers('ipam_services_contested')).get('');

describe('FU-04 no address that MetalLB announces is taken away by us', () => {
  test('at a take-over: a shared address of two namespaces, a zone that nobody knows', async () => {
    const shared = { zone: 'open', addresses: '10.90.0.8', sharingKey: 'both' };
    await announced(a, 'first', unseen(shared, 81));
    await announced(b, 'second', unseen(shared, 82));
    await announced(a, 'unknown', unseen({ zone: 'gone', addresses: '10.91.0.5' }));
    await start();
    loser = await eventually(() => contestedOf([a, 'first'], [b, 'second']));
    const other = loser === b ? await a.waits('first', 'Bound') : await b.waits('second', 'Bound');
    await a.waits('unknown', 'UnknownZone');
    const [space, name] = loser === b ? ['b', 'second'] : ['a', 'first'];
    expect(ingressOf(other)).toEqual(['10.90.0.8']);
    expect(conditionOf(await loser.get(name))?.message).toContain(`ipam evict ${space}/${name}`);
    expect(await loser.event(name, 'AddressContested')).toMatchObject({ type: 'Warning' });
    await eventually(async () => (await gauge()) === 1);
    expect(await watch.emptied()).toEqual([]);
  });

  test('in a zone that is closed to the namespace', async () => {
    operator.signal('SIGSTOP');
    await announced(a, 'shut-out', unseen({ zone: 'closed', addresses: '10.90.1.5' }));
    operator.signal('SIGCONT');
    await contested(a, 'shut-out');
    await eventually(async () => (await gauge()) === 2);

    expect(await watch.emptied()).toEqual([]);
  });

  test('what is contested is given to nobody', async () => {
    await expect(c.create('other', asked({ [IPAM.zone]: 'closed', [IPAM.addresses]: '10.90.1.5' }))).rejects.toThrow(
      /10\.90\.1\.5.*shown by .*a\/shut-out/u,
    );
  });

  test('after an import, and where a Secret is another one than on record', async () => {
    await a.secret('old', 'the-secret-of-before');
    await a.secret('new', 'another-secret-now');
    await announced(a, 'anew', asked({ [IPAM.secret]: 'old', [IPAM.addresses]: '10.90.0.21' }));
    await a.ready('anew');
    const service = { clusterUid: 'elsewhere', namespaceUid: 'n', serviceName: 'theirs' };
    const options = { retentionPeriodDays: 0, denyExternalCleanup: false };
    const claim = {
      zone: 'open',
      address: '10.90.0.20',
      secret: 'secret-of-elsewhere',
      services: [{ ...service, options }],
    };
    const done = await socketCall(socket, {
      method: 'POST',
      path: '/v3/import',
      body: { dryRun: false, claims: [claim] },
    });
    expect(done).toMatchObject({ status: 200, body: { entries: [{ verdict: 'imported' }] } });
    await operator.stop();
    await a.remove('anew');
    await announced(a, 'anew', unseen({ zone: 'open', addresses: '10.90.0.21', secret: 'new' }));
    await announced(a, 'imported', unseen({ zone: 'open', addresses: '10.90.0.20' }));
    await start();
    await contested(a, 'imported');
    // the older object of its name is gone by then
    await a.waits('anew', 'Bound');

    expect(await watch.emptied()).toEqual([]);
  });

  test('where sharing terms were changed behind our back', async () => {
    const key = { [IPAM.allowLocalSharedIp]: 'ours', [IPAM.addresses]: '10.90.0.30' };
    await announced(a, 'share1', asked(key, 81));
    await announced(a, 'share2', asked(key, 82));
    for (const name of ['share1', 'share2']) await a.ready(name);
    await a.patch('share2', { metadata: { labels: UNSEEN, annotations: { [IPAM.allowLocalSharedIp]: 'mine' } } });
    await a.waits('share2', 'SharingRefused');
    await pause(ROUND_MS);

    expect((await a.get('share2')).metadata.annotations?.[METALLB.sharing]).toBe('ours');
    expect(await watch.emptied()).toEqual([]);
  });

  test('beside a record that was restored from before', async () => {
    await announced(a, 'former', asked({ [IPAM.addresses]: '10.90.0.40' }));
    await a.ready('former');
    await operator.stop();
    const backup = join(plane().folder, 'backup');
    cpSync(volume(), backup, { recursive: true });
    await start();
    await a.remove('former');
    await eventually(() => announced(a, 'latter', asked({ [IPAM.addresses]: '10.90.0.40' })));
    await a.ready('latter');
    await operator.stop();
    rmSync(volume(), { recursive: true });
    cpSync(backup, volume(), { recursive: true });
    await start();
    await a.waits('latter', 'Bound');

    expect(await watch.emptied()).toEqual([]);
  });

  test.each([
    ['another class', { 'load-balancer-classes': 'example.com/other' }],
    ['a namespace that is left out', { 'excluded-namespaces': 'a,b' }],
  ])('under settings of %s', async (_what, args) => {
    await operator.stop();
    await start({ args, awaitWebhooks: false }).catch(() => undefined);
    await pause(ROUND_MS);
    await operator.stop();
    await start();
    await sharedAsBefore();

    expect(await watch.emptied()).toEqual([]);
  });
});

describe('FU-05 another identity of the cluster', () => {
  test('is refused at the start, naming the command that renames the cluster on record, and nobody loses an address', async () => {
    const { uid: old } = (await plane().client.request('GET', '/api/v1/namespaces/kube-system')).metadata;
    const rename = (from: string, to: string) =>
      socketCall(socket, { method: 'POST', path: `/renamed-clusters/${from}/${to}?dryRun=false` });
    await operator.stop();
    await expect(start({ args: { 'cluster-id': 'another' }, awaitWebhooks: false })).rejects.toThrow(
      `ipam rename-cluster ${old} another`,
    );
    await start();
    expect(await rename('nobody', 'another')).toMatchObject({ status: 404 });
    const renamed = (await rename(old, 'another')) as { status: number; body: { claims: number } };
    expect(renamed.status).toBe(200);
    expect(renamed.body.claims).toBeGreaterThan(5);
    // what the operator that still has the old name would write now would be lost to its successor
    await eventually(() => operator.log().includes('this cluster was renamed on record'));
    expect(await rename(old, 'another')).toEqual(renamed);
    await operator.stop();
    await expect(start({ awaitWebhooks: false })).rejects.toThrow('since it was renamed');
    await start({ args: { 'cluster-id': 'another' } });
    await announced(a, 'under-the-new-name', asked({}));
    await a.ready('under-the-new-name');
    for (const name of ['share1', 'latter']) expect(conditionOf(await a.get(name))?.reason).toMatch(/Bound|Shar/u);
    await sharedAsBefore();
    await rename('another', old);
    await operator.stop();
    await start();
    await a.ready('under-the-new-name');

    expect(await watch.emptied()).toEqual([]);
  });
});

describe('FU-04 a forged status', () => {
  const forged = (address: string): unknown => ({
    status: {
      loadBalancer: { ingress: [{ ip: address }] },
      conditions: [{ ...READY, message: `"${address}" of zone "open" is bound to this Service` }],
    },
  });
  const forge = (name: string, address: string): Promise<unknown> =>
    plane().client.attempt('PATCH', `${c.path(name)}/status`, forged(address), 'merge');
  const parked = (object: KubeObject): boolean =>
    ingressOf(object).length === 0 && object.metadata.annotations?.[METALLB.pool] === WAITING_POOL;

  test('gains nothing while the operator looks: MetalLB puts it right, and nobody else is touched', async () => {
    await announced(c, 'forger', asked({}));
    const before = ingressOf(await c.ready('forger')).join();
    const count = await gauge();
    for (const address of ['10.90.0.8', '10.90.0.99', '10.90.1.9', '10.90.0.8']) await forge('forger', address);
    await c.shows('forger', before);
    await eventually(async () => (await gauge()) === count);
    // what was shown for a moment is in use on record for one as well
    await eventually(async () => {
      await announced(a, 'free', asked({ [IPAM.addresses]: '10.90.0.99' }));
      return true;
    });

    expect(ingressOf(await a.ready('free'))).toEqual(['10.90.0.99']);
    expect((await watch.statesOf('a', 'first')).filter((state) => state !== '')).toEqual(['10.90.0.8']);
  });

  test('gains nothing in an outage in which Services are admitted unseen', async () => {
    const count = (await gauge()) ?? 0;
    await operator.stop();
    await c.create('thief', unseen({ zone: 'open', addresses: '10.90.0.99' }, 85));
    await c.create('squatter', unseen({ zone: 'closed', addresses: '10.90.1.77' }));
    const forging = { on: true };
    const loop = (async () => {
      while (forging.on) {
        await forge('thief', '10.90.0.99');
        await pause(20);
      }
    })();
    await d.create('squatter', unseen({ zone: 'closed', addresses: '10.90.1.78' }));
    await d.when('squatter', (object) => ingressOf(object).length > 0);
    await start();
    await contested(d, 'squatter');
    await pause(ROUND_MS);
    forging.on = false;
    await loop;
    await c.when('thief', parked);

    expect((await watch.statesOf('a', 'free')).filter((state) => state !== '')).toEqual(['10.90.0.99']);
    // open to that namespace
    expect(conditionOf(await c.waits('squatter', 'Bound'))?.message).toContain('10.90.1.77');
    await eventually(async () => (await gauge()) === count + 1);
  });
});

describe('FU-04 ipam evict', () => {
  const evict = (name: string, dryRun: boolean) =>
    socketCall(socket, { method: 'POST', path: `/evictions/${name}?dryRun=${String(dryRun)}` });

  test('takes a contested address away, and no other', async () => {
    expect(await evict('a/shut-out', true)).toEqual({ status: 200, body: { addresses: ['10.90.1.5'] } });
    expect(ingressOf(await a.get('shut-out'))).toEqual(['10.90.1.5']);
    expect(await evict('a/free', false)).toMatchObject({ status: 404, body: { code: 'claim/not-found' } });
    expect(await evict('a/shut-out', false)).toEqual({ status: 200, body: { addresses: ['10.90.1.5'] } });
    await a.waits('shut-out', 'ZoneForbidden');

    expect(ingressOf(await a.get('shut-out'))).toEqual([]);
    expect(await a.event('shut-out', 'AddressEvicted')).toMatchObject({ type: 'Warning' });
    await announced(c, 'next', asked({ [IPAM.zone]: 'closed', [IPAM.addresses]: '10.90.1.5' }));
  });
});
