import type { IpamOperatorProps } from '../../constructs';
import { IPAM } from '../../operator/contract/group';
import { ApiProxy } from './support/api-proxy';
import { eventually } from './support/eventually';
import { applyInstallation, tokenFor } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONE = { annotations: { [IPAM.zone]: 'calm' } };
/** A watch that is broken for a minute is told; the rest is for a busy machine. */
const TOLD_MS = 180_000;
/** CONC-06: what happened meanwhile is known within two minutes. */
const KNOWN_MS = 120_000;

const TENANT = { annotations: { [IPAM.zone]: 'tenant' } };

/** A zone for everybody, and one for the namespaces of a tenant. */
function propsWith(tenant: string): Partial<IpamOperatorProps> {
  const namespaces = { matchLabels: { 'kubernetes.io/metadata.name': tenant } };
  return {
    zones: [
      { name: 'calm', prefixes: ['10.73.0.0/24'], quarantineSeconds: 1 },
      { name: 'tenant', prefixes: ['10.73.1.0/24'], quarantineSeconds: 1, namespaces },
      { name: 'red', prefixes: ['10.73.2.0/24'], quarantineSeconds: 1, namespaces: { matchLabels: { team: 'red' } } },
    ],
    zonePools: 'claims',
    whenUnavailable: 'admit',
  };
}

let operator: RunningOperator;
let proxy: ApiProxy;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await applyInstallation(control, propsWith('a'));
    proxy = await ApiProxy.start(control);
    const kubeconfig = proxy.kubeconfigOf('outages', await tokenFor(control, 'ipam-system', 'ipam-controller-manager'));
    operator = await startOperator(control, { args: { kubeconfig, 'shutdown-delay': '0' } });
    await scene.open();
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });

interface Probe {
  readonly status: number;
  readonly text: string;
}

async function probe(path: 'healthz' | 'readyz'): Promise<Probe> {
  const answer = await fetch(`${operator.probes}/${path}`);
  return { status: answer.status, text: await answer.text() };
}

const becomesReady = (): Promise<unknown> =>
  eventually(async () => {
    const { status, text } = await probe('readyz');
    if (status !== 200) throw new RangeError(text);
    return true;
  });

describe('CONC-06 an API server that is away', () => {
  test('and comes back by a restart is watched again, and no address moves', async () => {
    for (const name of ['r0', 'r1']) await scene.create(name, ZONE);
    const before = ingressOf(await scene.ready('r0'));
    await scene.ready('r1');
    const { pid } = operator;
    await plane().restartServer();
    await scene.remove('r1');
    await scene.create('r2', ZONE);
    await scene.ready('r2');
    await scene.holds('calm', 2);

    expect(ingressOf(await scene.get('r0'))).toEqual(before);
    expect({ running: operator.running(), pid: operator.pid }).toEqual({ running: true, pid });
    await becomesReady();
  });

  test('for more than a minute is told by readiness, and what happened meanwhile is known afterwards', async () => {
    const before = ingressOf(await scene.get('r0'));
    const lines = operator.log().length;
    const startedMs = Date.now();
    await proxy.goAway();
    await scene.remove('r2');
    const unserved = await scene.create('late', ZONE);
    const told = await eventually(async () => {
      const now = await probe('readyz');
      return now.status === 503 && now.text.includes('services have not been watched since') && now;
    }, TOLD_MS);
    const alive = await probe('healthz');
    const seconds = (Date.now() - startedMs) / 1_000;
    const tries =
      operator
        .log()
        .slice(lines)
        .match(/watch failed, trying again/gu)?.length ?? 0;
    await proxy.comeBack();
    const late = await scene.ready('late', KNOWN_MS);
    await scene.holds('calm', 2, KNOWN_MS);

    expect(ingressOf(unserved)).toEqual([]);
    expect(told.text).toContain('nodes have not been watched since');
    expect(alive.status).toBe(200);
    // Services, namespaces, pools, Nodes and the addresses of the API server, each at most about once a second
    expect(tries).toBeLessThan(5 * seconds);
    expect(ingressOf(await scene.get('r0'))).toEqual(before);
    expect(ingressOf(late)).toHaveLength(1);
    await becomesReady();
  });
});

test('WH-07 a create under a name that exists leaves the Service of that name as it is', async () => {
  await scene.create('once', ZONE);
  const before = await scene.ready('once');
  const held = await scene.held('calm');
  for (let i = 0; i < 5; i += 1) await expect(scene.create('once', ZONE)).rejects.toThrow('already exists');

  expect(await scene.get('once')).toEqual(before);
  expect(await scene.held('calm')).toBe(held);
});

test('REQ-05 a Service whose namespace lost its right to a zone is flagged and not moved, and gets nothing new there', async () => {
  await scene.create('holds', TENANT);
  const before = ingressOf(await scene.ready('holds'));
  await applyInstallation(plane(), propsWith('b'));
  const flagged = await scene.waits('holds', 'ZoneForbidden');
  await scene.event('holds', 'ZoneForbidden');
  await expect(scene.create('more', TENANT)).rejects.toThrow('tenant');
  await operator.restart();
  const after = await scene.waits('holds', 'ZoneForbidden');

  expect(before).toEqual(['10.73.1.0']);
  expect([ingressOf(flagged), ingressOf(after)]).toEqual([before, before]);
  expect(conditionOf(flagged)).toMatchObject({
    status: 'True',
    message: expect.stringContaining('10.73.1.0') as string,
  });
  expect(await scene.held('tenant')).toBe(1);

  await applyInstallation(plane(), propsWith('a'));
  await scene.waits('holds', 'Bound');
});

test('REQ-05 a changed label of the namespace is told to its Services at once, and the number of those who keep what they have', async () => {
  const label = (team: string): Promise<unknown> =>
    scene.kubectl('label', '--overwrite', 'namespace', 'a', `team=${team}`);
  const kept = (count: number): Promise<boolean> =>
    eventually(async () =>
      (await operator.metrics()).includes(`ipam_services_kept{zone="red",reason="ZoneForbidden"} ${String(count)}`),
    );
  await label('red');
  // the label that a namespace had a moment ago is in memory
  await eventually(() => scene.create('labelled', { annotations: { [IPAM.zone]: 'red' } }));
  const before = ingressOf(await scene.ready('labelled'));
  await label('blue');
  const flagged = await scene.waits('labelled', 'ZoneForbidden');
  await kept(1);
  await expect(scene.create('more', { annotations: { [IPAM.zone]: 'red' } })).rejects.toThrow('"red"');
  await label('red');
  const again = await scene.waits('labelled', 'Bound');
  await kept(0);

  expect(before).toEqual(['10.73.2.0']);
  expect([ingressOf(flagged), ingressOf(again)]).toEqual([before, before]);
});

test('a Service whose address was taken out of its zone keeps it, is told so, and nobody else gets any of that', async () => {
  await scene.create('outside', ZONE);
  const before = ingressOf(await scene.ready('outside'));
  const [zone, ...others] = propsWith('a').zones ?? [];
  const moved = { ...zone!, prefixes: ['10.73.8.0/24'] };
  await applyInstallation(plane(), { ...propsWith('a'), zones: [moved, ...others] });
  const flagged = await scene.waits('outside', 'OutsideZone');
  await scene.create('inside', ZONE);

  expect(ingressOf(await scene.ready('inside'))).toEqual(['10.73.8.0']);
  expect(ingressOf(flagged)).toEqual(before);
  expect(ingressOf(await scene.get('outside'))).toEqual(before);
});
