import { IPAM } from '../../operator/contract/group';
import { FakeNetBox, type FakeFault } from '../support/fake-netbox';
import type { FakePrefix } from '../support/fake-netbox-records';
import { servingPair } from '../support/serving-pair';
import type { KubeObject } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const LOGIN = 'ipam-netbox';
const IN = { annotations: { [IPAM.zone]: 'inet' } };
/** Longest pause of the calls after an outage, and of the controller. */
const RECOVERED_MS = 120_000;
/** A reservation that nobody confirms, the pause between two sweeps, and the quarantine. */
const LEASE_MS = 200_000;
/** Two comparisons, ten seconds apart, and what goes before. */
const COMPARED_MS = 120_000;

let netbox: FakeNetBox;
let operator: RunningOperator;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    const { authority, ...pair } = await servingPair();
    netbox = await FakeNetBox.start(pair);
    control.onStop(() => netbox.stop());
    netbox.records.container('inet', '10.90.0.0/24');
    netbox.records.container('inet', '2a05:90::/120');
    netbox.records.container('dmz', '10.91.0.0/28');
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    const metadata = { name: LOGIN, namespace: 'ipam-system' };
    const stringData = { token: `${netbox.token}\n`, 'ca.crt': authority };
    await control.client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipam-system' } },
      { apiVersion: 'v1', kind: 'Secret', metadata, stringData },
    ]);
    await applyInstallation(control, {
      zones: [{ name: 'inet', prefixes: [], fromNetBox: true, quarantineSeconds: 1 }],
      netbox: {
        url: netbox.url.origin,
        token: { name: LOGIN },
        ca: { name: LOGIN },
        tag: 'vitistack',
        fields: { domain: 'dc', env: 'test', purpose: 'lb' },
        refreshSeconds: 10,
      },
      zonePools: 'claims',
      whenUnavailable: 'admit',
    });
    operator = await startOperator(control, { args: { 'shutdown-delay': '0', 'reservation-lease': '30' } });
    await scene.open();
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });

const list = async (): Promise<readonly KubeObject[]> =>
  (await plane().client.request('GET', scene.path())).items ?? [];

/** Throws unless NetBox has one prefix for each address that a Service shows, and none besides. */
async function agreed(): Promise<void> {
  await eventually(async () => {
    const shown = (await list()).flatMap(ingressOf).map((ip) => `${ip}/${ip.includes(':') ? '128' : '32'}`);
    expect([...netbox.records.hosts()].sort()).toEqual(shown.sort());
    return true;
  }, RECOVERED_MS);
}

function hostOf(address: string): FakePrefix {
  const found = [...netbox.records.prefixes.values()].filter(({ prefix }) => prefix === `${address}/32`);
  if (found[0] === undefined || found.length > 1) throw new RangeError(`NetBox has ${String(found.length)} ${address}`);
  return found[0];
}

const addressOf = async (name: string): Promise<string> => ingressOf(await scene.ready(name, RECOVERED_MS))[0] ?? '';

const differences = async (kind: string): Promise<number> =>
  (await scene.numbers('ipam_netbox_differences')).get(`{kind="${kind}"}`) ?? 0;

const says = (name: string, reason: string): Promise<KubeObject> =>
  scene.when(name, (object) => conditionOf(object)?.reason === reason, COMPARED_MS);

const deletes = (id: number): boolean => netbox.seen().includes(`DELETE /api/ipam/prefixes/${String(id)}/`);

test('gives addresses of the zones that NetBox lists, and NetBox has them with their fields', async () => {
  await scene.create('web', { annotations: { ...IN.annotations, [IPAM.ipFamily]: 'dual' } });
  await scene.create('back', { annotations: { [IPAM.zone]: 'dmz' } });
  await scene.shows('web', '10.90.0.0', '2a05:90::');
  // no entry of the zones document says what becomes of the edges of "dmz"
  await scene.shows('back', '10.91.0.1');
  await agreed();
  expect(hostOf('10.90.0.0')).toMatchObject({
    status: 'active',
    vrf: 7,
    tenant: 3,
    role: 5,
    tags: [11],
    custom_fields: {
      domain: 'dc',
      env: 'test',
      purpose: 'lb',
      infra: 'prod',
      k8s_zone: 'inet',
      k8s_uuid: expect.stringMatching(/^ipam-[0-9a-f]{8}-[0-9a-f-]{36}$/u) as string,
    },
  });
  await expect(scene.create('lost', { annotations: { [IPAM.zone]: 'wrong' } })).rejects.toThrow('"wrong"');
});

/** How NetBox is away, and comes back. */
const OUTAGES: readonly (readonly [string, () => Promise<void> | void])[] = [
  ['refuses connections', () => netbox.goAway()],
  ['answers 503 with HTML', always({ status: 503, body: '<html><body>Maintenance</body></html>' })],
  ['answers 429 and asks for five seconds', always({ status: 429, headers: { 'retry-after': '5' } })],
];

function always(answer: ReturnType<FakeFault>): () => void {
  return () => {
    netbox.faults = [() => answer];
  };
}

test.each(OUTAGES)('EXT-04 loses and doubles nothing while NetBox %s', async (how, goAway) => {
  const kind = how.split(' ')[1] ?? '';
  const [kept, gone, late] = [`kept-${kind}`, `gone-${kind}`, `late-${kind}`];
  await scene.create(kept, IN);
  await scene.create(gone, IN);
  const [address, freed] = [await addressOf(kept), await addressOf(gone)];
  const held = await scene.held('inet');
  await goAway();
  const unserved = await scene.create(late, IN);
  await scene.remove(gone);
  await scene.holds('inet', held - 1);
  await scene.annotate(kept, { note: 'changed' });
  expect(ingressOf(unserved)).toEqual([]);
  expect(netbox.records.hosts()).toContain(`${freed}/32`);
  netbox.faults = [];
  if (how.startsWith('refuses')) await netbox.comeBack();
  await addressOf(late);
  await agreed();
  expect(await addressOf(kept)).toBe(address);
});

/** Creates a Service, and kills the operator when NetBox is asked for its address. */
async function cut(name: string, side: 'before' | 'after'): Promise<void> {
  let killed: Promise<void> | undefined;
  netbox.faults = [
    ({ method }) => {
      if (method !== 'POST' || killed !== undefined) return undefined;
      killed = operator.kill('SIGKILL');
      return side === 'after' ? { waitFor: killed } : { reset: 'before' };
    },
  ];
  await scene.create(name, IN);
  expect(killed).toBeDefined();
  await killed;
}

/** Id of a prefix whose Service is gone; the last test tells what became of it. */
let doomed = 0;

describe('a kill between the intention and its confirmation', () => {
  test.each(['before', 'after'] as const)(
    'takes no address from a Service, %s NetBox made its prefix',
    async (side) => {
      await cut(`cut-${side}`, side);
      await operator.restart();
      expect(await addressOf(`cut-${side}`)).not.toBe('');
    },
  );

  test('leaves a prefix of a Service that is deleted before the operator is back', async () => {
    await cut('doomed', 'after');
    doomed = Math.max(...netbox.records.prefixes.keys());
    await scene.remove('doomed');
    await scene.remove('kept-503');
    await operator.restart();
    expect(netbox.records.prefixes.get(doomed)).toMatchObject({ status: 'active' });
  });
});

test('reports an orphan on either side before it does anything about it', async () => {
  const address = await addressOf('web');
  const { id, custom_fields } = hostOf(address);
  const [, installation] = /^(ipam-[0-9a-f]{8}-)/u.exec(custom_fields['k8s_uuid'] ?? '') ?? [];
  const orphan = netbox.records.put('10.90.0.200/32', {
    custom_fields: { ...custom_fields, k8s_uuid: `${String(installation)}lost` },
  });
  const theirs = netbox.records.put('10.90.0.201/32', { custom_fields: { ...custom_fields, k8s_uuid: 'theirs' } });
  netbox.records.prefixes.delete(id);
  await eventually(() => operator.log().includes('has no claim; a later comparison removes it'), COMPARED_MS);
  expect(deletes(orphan.id)).toBe(false);
  // the log tells it in the middle of a comparison, the metric at its end
  await eventually(async () => (await differences('orphan')) === 1, COMPARED_MS);
  await eventually(
    () => operator.log().includes('the prefix of a claim is missing or edited and is put right'),
    COMPARED_MS,
  );
  await eventually(() => deletes(orphan.id), COMPARED_MS);
  netbox.records.prefixes.delete(theirs.id);
  expect(deletes(theirs.id)).toBe(false);
  expect(await addressOf('web')).toBe(address);
  await eventually(async () => (await differences('orphan')) === 0, COMPARED_MS);
});

test('lets a Service keep an address that NetBox gives to somebody else, and takes it from nobody', async () => {
  await scene.create('contested', IN);
  const address = await addressOf('contested');
  const { id, custom_fields } = hostOf(address);
  netbox.records.prefixes.delete(id);
  const theirs = netbox.records.put(`${address}/32`, { custom_fields: { ...custom_fields, k8s_uuid: 'theirs' } });
  await eventually(async () => (await differences('foreign')) === 1, COMPARED_MS);
  const flagged = conditionOf(await says('contested', 'AddressForeign'));
  expect(flagged).toMatchObject({ status: 'True', message: expect.stringContaining('k8s_uuid "theirs"') as string });
  expect(await scene.event('contested', 'AddressForeign')).toMatchObject({ type: 'Warning' });
  await scene.annotate('contested', { note: 'changed' });
  await scene.create('other', IN);
  expect(await addressOf('other')).not.toBe(address);
  expect(await addressOf('contested')).toBe(address);
  expect(hostOf(address)).toEqual(theirs);
  netbox.records.prefixes.delete(theirs.id);
  await eventually(() => hostOf(address).custom_fields['k8s_uuid'] !== 'theirs', COMPARED_MS);
  expect(ingressOf(await says('contested', 'Bound'))).toEqual([address]);
});

test('EXT-01 ends with one record for each address, and none of the Service that is gone', async () => {
  await eventually(() => deletes(doomed), LEASE_MS);
  await agreed();
  const addresses = (await list()).flatMap(ingressOf);
  expect(new Set(addresses).size).toBe(addresses.length);
});
