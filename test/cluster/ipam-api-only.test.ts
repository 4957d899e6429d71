import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

import type { IpamOperatorProps } from '../../constructs';
import { V3Client } from '../../operator/backends/ipam-api-client/v3/v3-client';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { IPAM } from '../../operator/contract/group';
import { valueOf } from '../../operator/errors/ipam-error';
import { freePort } from '../support/free-ports';
import { hashOf } from '../support/remote-book';
import type { Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { grantFor, grantsIn, textOf, usesUntilNow } from './support/rights';
import { ServiceScene } from './support/service-scene';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';
const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'inet', prefixes: ['10.92.0.0/24'], quarantineSeconds: 1 },
];
/** Zones that the cluster's own operator would not have: the same numbers twice. */
const CENTRAL_ZONES: NonNullable<IpamOperatorProps['zones']> = [
  ...ZONES,
  { name: 'lab', network: 'lab', prefixes: ['10.92.0.0/24'] },
];
const TOKENS = { north: 'token-of-the-cluster-north', admin: 'token-of-an-administrator' };
const SECRETS = '/api/v1/namespaces/ipam-system/secrets';

const secret = (name: string, stringData: Readonly<Record<string, string>>): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'ipam-system' },
  stringData,
});
const namespace: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipam-system' } };

const north = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (plane) => {
    await Promise.all([startMetalLb(plane), startCertManager(plane)]);
  },
});
let installed: readonly Manifest[];
const central = useControlPlane({
  audit: true,
  programs: ['cert-manager'],
  prepare: async (plane) => {
    await startCertManager(plane);
    const { metadata } = await north().client.request('GET', '/api/v1/namespaces/kube-system');
    const cluster = {
      name: 'north',
      role: 'cluster',
      clusterUids: [metadata.uid],
      tokenSha256: [hashOf(TOKENS.north)],
    };
    const admin = { name: 'admin', role: 'admin', tokenSha256: [hashOf(TOKENS.admin)] };
    const clients = JSON.stringify({ version: 1, clients: [cluster, admin] });
    await plane.client.apply([namespace, secret('clients', { 'clients.yaml': clients })]);
    const { objects } = await applyInstallation(plane, {
      zones: CENTRAL_ZONES,
      services: { enabled: false },
      ipamApi: {
        expose: { dnsNames: ['localhost'], clients: { secret: { name: 'clients' } }, allowAnonymousV2: true },
      },
    });
    installed = objects;
  },
});

let url: string;
let authority: string;
let api: RunningOperator;
let client: V3Client;

/** The only way in which the process differs from its Deployment is the port that it listens on. */
beforeAll(async () => {
  const port = await freePort();
  url = `https://localhost:${String(port)}`;
  const args = { 'ipam-api-bind-address': `localhost:${String(port)}`, 'shutdown-delay': '0' };
  api = await startOperator(central(), { awaitWebhooks: false, args });
  const { data } = await central().client.request('GET', `${SECRETS}/ipam-api-server-cert`);
  authority = Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString();
  const tls = { ca: authority };
  const headers = () => ({ authorization: `Bearer ${TOKENS.admin}` });
  client = new V3Client({ target: { url }, clock: SYSTEM_CLOCK, tls: () => tls, headers });
});

afterAll(() => {
  client.close();
});

/** Calls version 2 as an operator of the original does. */
async function v2(
  method: string,
  path: string,
  body: unknown,
): Promise<{ status: number; address: string; message: string }> {
  const payload = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': payload.length };
  const call = request(`${url}${path}`, { method, ca: authority, headers });
  call.end(payload);
  const [answer] = (await once(call, 'response')) as [Parameters<typeof text>[0] & { statusCode?: number }];
  return {
    status: answer.statusCode ?? 0,
    ...(JSON.parse(await text(answer)) as { address: string; message: string }),
  };
}

const OLD = {
  secret: 'a secret of the old cluster',
  zone: 'inet',
  ip_family: 'ipv4',
  service: { service_name: 'old', namespace_id: 'ns-1', cluster_id: 'old-cluster' },
};

async function holders(): Promise<readonly string[]> {
  const { entries } = valueOf(await client.call('listClaims', { query: { limit: 100 } }));
  return entries
    .map(({ zone, address, service, state }) => `${zone} ${address} ${service.serviceName} ${state}`)
    .sort();
}

describe('an IPAM-API without Services of its own', () => {
  test('is installed without webhooks, pools and cluster-wide rights', async () => {
    const kinds = new Set(installed.map(({ kind }) => kind));
    for (const kind of [
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'ClusterRole',
      'IPAddressPool',
    ])
      expect(kinds).not.toContain(kind);
    const path = '/api/v1/namespaces/ipam-system/services/ipam-webhook-service';
    expect((await central().client.attempt('GET', path)).status).toBe(404);
    expect((await fetch(`${api.probes}/readyz`)).status).toBe(200);
  });

  test('serves version 2 and version 3 side by side', async () => {
    expect(await v2('POST', '/v2/address', OLD)).toMatchObject({ status: 200, address: '10.92.0.0/32' });
    const claimant = { serviceName: 'new', namespaceUid: 'ns-2', namespace: 'shop' };
    const body = {
      claimant,
      zone: 'lab',
      family: 'ipv4' as const,
      secret: { value: 'a secret of the lab', scope: 'shared' as const },
      options: { retentionPeriodDays: 0, denyExternalCleanup: false },
      writtenKeys: [],
      as: 'bound' as const,
    };
    const grant = valueOf(await client.call('putClaim', { params: { clusterUid: 'lab', key: 'new' }, body }));
    expect(grant.address).toBe('10.92.0.0');
    expect(await holders()).toEqual(['inet 10.92.0.0 old bound', 'lab 10.92.0.0 new bound']);
  });

  test('loses nothing over a crash and a restart', async () => {
    const before = await holders();
    await api.kill('SIGKILL');
    await api.restart();
    expect(await holders()).toEqual(before);
    expect(await v2('POST', '/v2/address', OLD)).toMatchObject({ status: 200, address: '10.92.0.0/32' });
  });

  test('gives a Service of another cluster its address, and keeps it over a restart', async () => {
    const plane = north();
    await plane.client.apply([
      namespace,
      secret('remote-ca', { 'ca.crt': authority }),
      secret('remote-token', { token: TOKENS.north }),
    ]);
    const remote = { url, token: { name: 'remote-token' }, ca: { name: 'remote-ca' } };
    await applyInstallation(plane, { zones: ZONES, store: { remote }, replicas: 1 });
    const operator = await startOperator(plane, { args: { 'shutdown-delay': '0' } });
    const scene = new ServiceScene({ plane: north, operator: () => operator, namespace: 'shop' });
    await scene.open();
    await scene.create('web', { annotations: { [IPAM.zone]: 'inet' } });
    expect(ingressOf(await scene.ready('web'))).toEqual(['10.92.0.1']);
    await api.restart();
    expect(await holders()).toContain('inet 10.92.0.1 web bound');
    await eventually(() => scene.create('next', { annotations: { [IPAM.zone]: 'inet' } }));
    expect(ingressOf(await scene.ready('next'))).toEqual(['10.92.0.2']);
    for (const name of ['web', 'next']) await scene.remove(name);
    await eventually(async () => !(await holders()).some((each) => each.includes('bound') && /web|next/u.test(each)));
  });

  test('takes an address back over version 2', async () => {
    expect(await v2('DELETE', '/v2/service', { ...OLD, address: '10.92.0.0' })).toMatchObject({ status: 200 });
    await eventually(async () => !(await holders()).some((each) => each.includes(' old bound')));
  });

  test('uses every right that it has, and asks for no other', async () => {
    await api.stop();
    const grants = grantsIn(installed);
    const uses = await usesUntilNow(central(), USER);
    const used = new Set(uses.map((use) => grantFor(use, grants)));
    expect(grants.filter((grant) => !used.has(grant)).map(textOf)).toEqual([]);
    expect(uses.filter((use) => use.status === 403 || grantFor(use, grants) === undefined).map(textOf)).toEqual([]);
    expect(grants.map(textOf)).toEqual(['create secrets in ipam-system', 'get secrets "ipam-keys" in ipam-system']);
  });
});
