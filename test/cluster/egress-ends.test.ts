import { EGRESS_FINALIZER, EGRESS_KEYS } from '../../operator/contract/egress';
import { WEBHOOK_NAMES } from '../../operator/contract/group';
import { egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import { ApiProxy } from './support/api-proxy';
import { deleteKept } from './support/delete-kept';
import { egressAdmissionReady } from './support/egress-admission-ready';
import { CLAIMS, IPAMS, NAMESPACES } from './support/egress-scene';
import { eventually } from './support/eventually';
import { applyInstallation, tokenFor } from './support/installation';
import { startOperator, type RunningOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

const PROPS = { services: { enabled: false }, egress: { enabled: true }, certificates: 'self-managed' } as const;
const NET = { CIDR: '192.0.2.0/28', labelValue: 'a' };
const WEBHOOKS = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${WEBHOOK_NAMES.egressConfiguration}`;
/** CONC-06: what happened meanwhile is known within two minutes. */
const KNOWN_MS = 120_000;
/** A watch that is broken for a minute is told; the rest is for a busy machine. */
const TOLD_MS = 180_000;
const WITHIN_A_MINUTE = 60_000;

let operator: RunningOperator;
let proxy: ApiProxy;
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, PROPS);
    proxy = await ApiProxy.start(control);
    await start('operator');
    await egressAdmissionReady(control);
    await control.client.request('POST', IPAMS, ipamOf('bm', NET));
    for (const name of ['kept', 'early']) await create(name);
    await has('kept', '192.0.2.1');
    await has('early', '192.0.2.2');
  },
});

/** Starts a process that reaches the API server through the proxy. */
async function start(name: string): Promise<void> {
  const token = await tokenFor(plane(), 'ipam-system', 'ipam-controller-manager');
  const kubeconfig = proxy.kubeconfigOf(`${name}-by-proxy`, token);
  operator = await startOperator(plane(), { name, awaitWebhooks: false, args: { kubeconfig, 'shutdown-delay': '0' } });
}

const ipamOf = (name: string, entry: object) => egressIpamObject(name, { ...egressSpec(entry), dataplane: 'none' });

async function create(name: string): Promise<void> {
  const annotations = { [EGRESS_KEYS.egressIpam]: 'bm' };
  await plane().client.request('POST', NAMESPACES, { metadata: { name, annotations } });
}

const untilGone = (path: string) => plane().client.watchUntil(path, (all) => all.length === 0, WITHIN_A_MINUTE);

async function end(name: string): Promise<void> {
  await plane().client.request('DELETE', `${NAMESPACES}/${name}`);
  await untilGone(`${NAMESPACES}/${name}`);
}

const listed = async (name: string): Promise<string | undefined> =>
  (await plane().client.request('GET', `${NAMESPACES}/${name}`)).metadata.annotations?.[EGRESS_KEYS.addresses];

const has = (name: string, list: string) => eventually(async () => (await listed(name)) === list, KNOWN_MS);

async function record(): Promise<readonly string[]> {
  const { items = [] } = await plane().client.request('GET', CLAIMS);
  return items.map(({ spec }) => `${String(spec?.['address'])}=${String(spec?.['holder']?.['name'])}`).sort();
}

const recorded = (...entries: readonly string[]) =>
  eventually(async () => JSON.stringify(await record()) === JSON.stringify([...entries].sort()), KNOWN_MS);

describe('CONC-06 an API server that is away', () => {
  test('and comes back by a restart is watched again, and no address moves', async () => {
    const { pid } = operator;
    await plane().restartServer();
    await end('early');
    await create('after');
    await eventually(async () => (await listed('after')) !== undefined, KNOWN_MS);
    await eventually(async () => !(await record()).some((each) => each.endsWith('=early')), KNOWN_MS);

    expect(await listed('kept')).toBe('192.0.2.1');
    expect({ running: operator.running(), pid: operator.pid }).toEqual({ running: true, pid });
  });

  test('for more than a minute is told by readiness, and what happened meanwhile is known afterwards', async () => {
    await create('gone');
    await eventually(async () => (await listed('gone')) !== undefined, KNOWN_MS);
    const lines = operator.log().length;
    const startedMs = Date.now();
    await proxy.goAway();
    await end('gone');
    await create('late');
    const told = await eventually(async () => {
      const answer = await fetch(`${operator.probes}/readyz`);
      const text = await answer.text();
      if (answer.status !== 503 || !text.includes('have not been watched since')) throw new RangeError(text);
      return text;
    }, TOLD_MS);
    const alive = await fetch(`${operator.probes}/healthz`);
    const seconds = (Date.now() - startedMs) / 1_000;
    const tries =
      operator
        .log()
        .slice(lines)
        .match(/watch failed, trying again/gu)?.length ?? 0;
    expect(await listed('late')).toBeUndefined();
    await proxy.comeBack();

    await eventually(async () => (await listed('late')) !== undefined, KNOWN_MS);
    await eventually(async () => !(await record()).some((each) => each.endsWith('=gone')), KNOWN_MS);
    expect(await record()).toContain(`${String(await listed('late'))}=late`);
    expect([await listed('kept'), alive.status]).toEqual(['192.0.2.1', 200]);
    expect(told).toContain('egressipams have not been watched since');
    // nine kinds are watched, each at most about once a second
    expect(tries).toBeLessThan(10 * seconds);
    await eventually(async () => (await fetch(`${operator.probes}/readyz`)).status === 200, KNOWN_MS);
  });
});

test('DEL-01 without the operator namespaces go away, an EgressIPAM by a documented step, and the next installation frees what they had', async () => {
  const { client, kubectl } = plane();
  await create('left');
  await eventually(async () => (await listed('left')) !== undefined, KNOWN_MS);
  await client.request('POST', IPAMS, ipamOf('short', { CIDR: '198.51.100.0/28', labelValue: 'a' }));
  await eventually(
    async () => (await client.request('GET', `${IPAMS}/short`)).metadata.finalizers?.join() === EGRESS_FINALIZER,
    KNOWN_MS,
  );
  await operator.stop();
  await client.request('DELETE', '/apis/apps/v1/namespaces/ipam-system/deployments/ipam-controller-manager');
  // its webhooks stay, and hold up no end
  for (const name of ['left', 'late', 'after']) await end(name);
  await client.request('DELETE', `${IPAMS}/short`);
  expect((await client.request('GET', `${IPAMS}/short`)).metadata.finalizers).toEqual([EGRESS_FINALIZER]);
  await kubectl(
    ...['patch', 'egressipams.redhatcop.redhat.io', 'short', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'],
  );
  await untilGone(`${IPAMS}/short`);
  expect(await record()).toHaveLength(4);

  await applyInstallation(plane(), PROPS);
  await start('again');

  await recorded('192.0.2.1=kept');
  expect(await listed('kept')).toBe('192.0.2.1');
});

test('DEL-02 the namespace of the operator ends, no namespace waits for it, and the next installation goes on with the claims', async () => {
  const { client } = plane();
  await create('goes');
  await eventually(async () => (await listed('goes')) !== undefined, KNOWN_MS);
  await operator.stop();
  const system = `${NAMESPACES}/ipam-system`;
  await deleteKept(client, system);
  await untilGone(system);
  // they stay with the policies Fail and Ignore, and what ends does not wait for them
  expect((await client.request('GET', WEBHOOKS)).metadata.name).toBe(WEBHOOK_NAMES.egressConfiguration);
  await end('goes');
  await create('new');
  expect((await client.attempt('DELETE', `${IPAMS}/bm?dryRun=All`)).status).toBe(200);
  expect(await listed('kept')).toBe('192.0.2.1');

  await applyInstallation(plane(), PROPS);
  await start('third');

  await eventually(async () => (await listed('new')) !== undefined, KNOWN_MS);
  await recorded('192.0.2.1=kept', `${String(await listed('new'))}=new`);
  expect(await listed('kept')).toBe('192.0.2.1');
});
