import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB } from '../../operator/contract/group';
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
/** What a look at every Service takes, with time to spare. */
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
    for (const scene of [a, b]) await scene.open(control);
    watch = followIngress(control);
  },
});
const at = { plane, operator: () => operator };
const a = new ServiceScene({ ...at, namespace: 'a' });
const b = new ServiceScene({ ...at, namespace: 'b' });

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

const volume = (): string => join(plane().folder, 'volumes', 'ipam-data');

const gauge = async (): Promise<number | undefined> => (await a.numbers('ipam_services_contested')).get('');

describe('FU-04 no address that MetalLB announces is taken away by us', () => {
  test('at a take-over: a shared address of two namespaces, a zone that nobody knows', async () => {
    const shared = { zone: 'open', addresses: '10.90.0.8', sharingKey: 'both' };
    await announced(a, 'first', unseen(shared, 81));
    await announced(b, 'second', unseen(shared, 82));
    await announced(a, 'unknown', unseen({ zone: 'gone', addresses: '10.91.0.5' }));
    await start();
    const second = await contested(b, 'second');
    await a.waits('unknown', 'UnknownZone');
    await a.waits('first', 'Bound');

    expect(conditionOf(second)?.message).toContain('ipam evict b/second');
    expect(await b.event('second', 'AddressContested')).toMatchObject({ type: 'Warning' });
    await eventually(async () => (await gauge()) === 1);
    expect(watch.emptied()).toEqual([]);
  }, 120_000);

  test('in a zone that is closed to the namespace', async () => {
    operator.signal('SIGSTOP');
    await announced(a, 'shut-out', unseen({ zone: 'closed', addresses: '10.90.1.5' }));
    operator.signal('SIGCONT');
    await contested(a, 'shut-out');
    await eventually(async () => (await gauge()) === 2);

    expect(watch.emptied()).toEqual([]);
  });

  test('what is contested is given to nobody', async () => {
    await plane().client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c', labels: { tenant: 'nobody' } } },
    ]);
    const c = new ServiceScene({ ...at, namespace: 'c' });

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

    expect(watch.emptied()).toEqual([]);
  }, 120_000);

  test('where sharing terms were changed behind our back', async () => {
    const key = { [IPAM.allowLocalSharedIp]: 'ours', [IPAM.addresses]: '10.90.0.30' };
    await announced(a, 'share1', asked(key, 81));
    await announced(a, 'share2', asked(key, 82));
    for (const name of ['share1', 'share2']) await a.ready(name);
    await a.patch('share2', { metadata: { labels: UNSEEN, annotations: { [IPAM.allowLocalSharedIp]: 'mine' } } });
    await a.waits('share2', 'SharingRefused');
    await pause(ROUND_MS);

    expect((await a.get('share2')).metadata.annotations?.[METALLB.sharing]).toBe('ours');
    expect(watch.emptied()).toEqual([]);
  }, 60_000);

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

    expect(watch.emptied()).toEqual([]);
  }, 120_000);

  test.each([
    ['another class', { 'load-balancer-classes': 'example.com/other' }],
    ['a namespace that is left out', { 'excluded-namespaces': 'a,b' }],
    ['another identity', { 'cluster-id': 'another' }],
  ])(
    'under settings of %s',
    async (_what, args) => {
      await operator.stop();
      await start({ args, awaitWebhooks: false }).catch(() => undefined);
      await pause(ROUND_MS);
      await operator.stop();
      await start();
      await contested(b, 'second');
      await a.waits('first', 'Bound');

      expect(watch.emptied()).toEqual([]);
    },
    120_000,
  );
});
