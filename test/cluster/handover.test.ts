import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IpamOperatorProps } from '../../constructs';
import { IPAM } from '../../operator/contract/group';
import { STRANGER_GONE_MS } from '../../operator/identity/identity-watch';
import { PostgresServer } from '../support/postgres-server';
import { socketCall } from '../support/socket-call';
import type { KubeObject, Manifest } from './support/cluster-client';
import type { ControlPlane } from './support/control-plane';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene, type Wanted } from './support/service-scene';
import { ingressOf } from './support/services';
import { letUnseenPass, UNSEEN } from './support/unseen';
import { useControlPlane } from './support/use-control-plane';

const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'inet', prefixes: ['10.93.0.0/24'], quarantineSeconds: 600 },
];
const SECRETS = '/api/v1/namespaces/ipam-system/secrets';
const IDENTITY = `${SECRETS}/ipam-cluster-identity`;
const WANTED: Wanted = { annotations: { [IPAM.zone]: 'inet', [IPAM.secret]: 'mine' } };
const SHOP_SECRET = 'a secret that both clusters know';
/** A Lease that nobody gave back, two looks at the record, and a busy machine. */
const SURE_MS = 120_000;
/** Longer than anything that would release something takes. */
const WATCHED_MS = 15_000;

/** Admin socket of the operator of B. */
const socket = join(mkdtempSync(join(tmpdir(), 'ipam-')), 'admin.sock');

let database: PostgresServer;
let dsn: string;
const operators: { a?: RunningOperator; b?: RunningOperator } = {};

const clusterA = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (plane) => {
    database = await PostgresServer.start();
    plane.onStop(() => database.remove());
    dsn = await database.newDatabase();
    await install(plane);
    operators.a = await startOperator(plane, { args: { 'shutdown-delay': '0' } });
  },
});
const clusterB = useControlPlane({ programs: ['metallb-controller', 'cert-manager'], prepare: install });
const sceneA = new ServiceScene({ plane: clusterA, operator: () => operators.a!, namespace: 'shop' });
const sceneB = new ServiceScene({ plane: clusterB, operator: () => operators.b!, namespace: 'shop' });

async function install(plane: ControlPlane): Promise<void> {
  await Promise.all([startMetalLb(plane), startCertManager(plane)]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipam-system' } };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'dsn', namespace: 'ipam-system' } };
  await plane.client.apply([namespace, { ...secret, stringData: { dsn } }]);
  await applyInstallation(plane, {
    zones: ZONES,
    zonePools: 'claims',
    store: { postgres: { connection: { name: 'dsn' } } },
  });
}

/** Copies a Secret of the operator from A to B, as a backup does. */
async function copySecret(name: string): Promise<void> {
  const { data, type } = (await clusterA().client.request('GET', `${SECRETS}/${name}`)) as KubeObject & {
    type?: string;
  };
  const metadata = { name, namespace: 'ipam-system' };
  const copy = { apiVersion: 'v1', kind: 'Secret', metadata, type: type ?? 'Opaque', data: data ?? {} };
  await clusterB().client.apply([copy]);
}

/** Puts a Service back as a backup tool does: neither UID nor status, and no cluster IP. */
async function copyService(name: string): Promise<Manifest> {
  const { metadata } = await sceneA.get(name);
  return sceneB.manifest(name, { annotations: metadata.annotations ?? {} });
}

/** Puts a Service of B back as a backup tool does while no operator runs: a new object, which nothing on record is bound to. */
async function restoreB(name: string): Promise<void> {
  await letUnseenPass(clusterB());
  const { annotations = {} } = (await sceneB.get(name)).metadata;
  await sceneB.remove(name);
  await sceneB.create(name, { annotations, labels: UNSEEN });
  await sceneB.when(name, (object) => ingressOf(object).length > 0);
}

const metric = (text: string, name: string): string | undefined => new RegExp(`^${name} (.*)$`, 'mu').exec(text)?.[1];

/** Who holds what, as the record has it: address, Service, state, and whether it is quarantined. */
async function holders(): Promise<readonly string[]> {
  const rows = await database.sql(
    `SELECT host(a.address) AS address, h.service_name AS service, h.cluster_uid AS cluster
      FROM ipam.address a JOIN ipam.holder h ON h.address_id = a.id AND h.ended_at IS NULL
      WHERE a.ended_at IS NULL ORDER BY a.address, h.service_name, h.cluster_uid`,
    dsn,
  );
  return rows.map(({ address, service }) => `${String(address)} ${String(service)}`);
}

/** Looks for so long that whatever would go has gone. */
async function stays(expected: readonly string[]): Promise<void> {
  const end = Date.now() + WATCHED_MS;
  while (Date.now() < end) {
    expect(await holders()).toEqual(expected);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

const startB = async (name: string): Promise<void> => {
  const args = { 'shutdown-delay': '0', 'admin-socket': socket };
  operators.b = await startOperator(clusterB(), { name, args });
};

describe('DR-03 Services that move to another cluster on one record', () => {
  test('DR-03 keep their address after they were copied twice and deleted where they were', async () => {
    for (const scene of [sceneA, sceneB]) {
      await scene.open();
      await scene.secret('mine', SHOP_SECRET);
    }
    await sceneA.create('web', WANTED);
    expect(ingressOf(await sceneA.ready('web'))).toEqual(['10.93.0.0']);
    await copySecret('ipam-keys');
    await startB('first');
    const copy = await copyService('web');
    for (const round of ['first', 'second'])
      expect([round, await sceneB.kubectlFile('apply', copy)]).toEqual([round, expect.stringContaining('service/web')]);
    expect(ingressOf(await sceneB.ready('web'))).toEqual(['10.93.0.0']);
    expect(await holders()).toEqual(['10.93.0.0 web', '10.93.0.0 web']);

    await sceneA.remove('web');
    await eventually(async () => (await holders()).length === 1, SURE_MS);
    await stays(['10.93.0.0 web']);
    expect(ingressOf(await sceneB.get('web'))).toEqual(['10.93.0.0']);
    await sceneA.create('next', { annotations: { [IPAM.zone]: 'inet' } });
    expect(ingressOf(await sceneA.ready('next'))).toEqual(['10.93.0.1']);
  });

  test('DR-03 are safe from a cluster restored with the identity of one that is alive', async () => {
    await operators.b?.stop();
    await restoreB('web');
    await clusterB().client.request('DELETE', IDENTITY);
    await copySecret('ipam-cluster-identity');
    await startB('restored');
    await eventually(async () => metric((await operators.b?.metrics()) ?? '', 'ipam_identity_shared') === '1', SURE_MS);
    expect(operators.b?.log()).toContain('another cluster goes by the identity of this one');

    const { status, body } = await clusterB().client.attempt('POST', sceneB.path(), sceneB.manifest('new', WANTED));
    expect([status >= 400, body.message]).toEqual([true, expect.stringContaining('uses it as well')]);
    await stays(['10.93.0.0 web', '10.93.0.1 next']);
    expect(ingressOf(await sceneB.get('web'))).toEqual(['10.93.0.0']);

    expect(metric((await operators.a?.metrics()) ?? '', 'ipam_identity_shared')).toBe('0');
    await sceneA.create('more', { annotations: { [IPAM.zone]: 'inet' } });
    expect(ingressOf(await sceneA.ready('more'))).toEqual(['10.93.0.2']);
  });

  test('FU-06 keep what they show however long their operator is silent, until an administrator forgets the cluster', async () => {
    const { uid: other } = (await clusterA().client.request('GET', '/api/v1/namespaces/kube-system')).metadata;
    const forget = (uid: string) =>
      socketCall(socket, { method: 'POST', path: `/forgotten-clusters/${uid}?dryRun=false` });
    expect(await forget(other)).toMatchObject({ status: 409, body: { code: 'cluster/identity-shared' } });
    const before = await holders();
    await operators.a?.stop();
    await eventually(
      async () => metric((await operators.b?.metrics()) ?? '', 'ipam_identity_silent') === '1',
      STRANGER_GONE_MS + SURE_MS,
    );
    await stays(before);
    expect(await forget('nobody')).toMatchObject({ status: 404 });
    expect(await forget(other)).toMatchObject({ status: 200 });
    await eventually(
      async () => metric((await operators.b?.metrics()) ?? '', 'ipam_identity_shared') === '0',
      STRANGER_GONE_MS + SURE_MS,
    );
    await eventually(() => sceneB.create('new', { annotations: { [IPAM.zone]: 'inet' } }), SURE_MS);
    await sceneB.ready('new');
    expect(ingressOf(await sceneB.get('web'))).toEqual(['10.93.0.0']);
  });
});
