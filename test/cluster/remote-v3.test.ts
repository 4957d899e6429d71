import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf } from '../../operator/addressing/address';
import { IPAM, METALLB } from '../../operator/contract/group';
import { ask, claimant } from '../support/ledger-world';
import { clientPair } from '../support/client-pair';
import { startApiOperator, type ApiOperator } from './support/api-operator';
import { deleteKept } from './support/delete-kept';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONES = [
  { name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'] },
  { name: 'brief', prefixes: ['83.118.169.0/24'], quarantineSeconds: 1 },
  { name: 'still', prefixes: ['83.118.170.0/28'], quarantineSeconds: 1 },
];
const IN = { annotations: { [IPAM.zone]: 'inet' } };
/** A breaker that opened, and a controller that paused. */
const SETTLED_MS = 120_000;
/** A lease, a pause between sweeps, and what goes before. */
const SWEPT_MS = 240_000;

type Pair = Awaited<ReturnType<typeof clientPair>>;

const secret = (name: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'ipam-system' },
  stringData: data,
});

let api: ApiOperator;
let operator: RunningOperator;
let known: Pair;
let stranger: Pair;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    [known, stranger] = await Promise.all([clientPair(), clientPair()]);
    const clientCa = join(control.folder, 'client-ca.crt');
    writeFileSync(clientCa, known.authority);
    const trusts = [`--ipam-api-client-ca-file=${clientCa}`];
    [api] = await Promise.all([
      startApiOperator(control, ZONES, trusts),
      startMetalLb(control),
      startCertManager(control),
    ]);
    await control.client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipam-system' } },
      secret('remote-ca', { 'ca.crt': api.authority }),
    ]);
    await show(known, control);
    await applyInstallation(control, {
      zones: ZONES,
      store: { remote: { url: api.url, certificateSecret: 'login', ca: { name: 'remote-ca' } } },
      replicas: 1,
    });
    operator = await startOperator(control, { args: { 'shutdown-delay': '0' } });
    await scene.open();
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });

/** Left out always, so its Services never reach the operator. */
const neighbours = new ServiceScene({ plane, operator: () => operator, namespace: 'kube-public' });

/** Puts a client certificate into the Secret that the operator logs in by. */
async function show({ cert, key }: Pair, control = plane()): Promise<void> {
  const login = { ...secret('login', { 'tls.crt': cert, 'tls.key': key }), type: 'kubernetes.io/tls' };
  await control.client.apply([login]);
}

/** Lists the Services of the namespace with their addresses, as the record would. */
async function services(): Promise<readonly string[]> {
  const { items } = (await plane().client.request('GET', scene.path())) as unknown as {
    readonly items: readonly Parameters<typeof ingressOf>[0][];
  };
  return items.flatMap((each) => ingressOf(each).map((ip) => `${ip} ${each.metadata.name} bound`)).sort();
}

/** Services and record agree: nothing is lost, nothing is doubled. */
async function agreed(withinMs = SETTLED_MS): Promise<void> {
  await eventually(async () => {
    expect(await api.holders()).toEqual(await services());
    return true;
  }, withinMs);
}

/** Runs something as soon as the record has a holder of that name. */
async function onceReserved(name: string, then: () => Promise<void>): Promise<void> {
  await eventually(async () => (await api.holders()).some((each) => each.includes(` ${name} `)));
  await then();
}

describe('an operator on an IPAM-API of version 3', () => {
  test('serves create, update and delete without a key of its own', async () => {
    await scene.create('web', IN);
    await scene.create('both', { annotations: { ...IN.annotations, [IPAM.ipFamily]: 'dual' } });
    await scene.ready('web');
    expect(ingressOf(await scene.ready('both'))).toHaveLength(2);
    await scene.annotate('web', { [IPAM.addresses]: '83.118.168.77' });
    await scene.shows('web', '83.118.168.77');
    await agreed();
    await scene.remove('both');
    await agreed();
    const keys = await plane().client.attempt('GET', '/api/v1/namespaces/ipam-system/secrets/ipam-keys');
    expect(keys.status).toBe(404);
  });

  test('shows the numbers of the zones that the record has', async () => {
    await scene.holds('inet', 1);
    expect(await api.holders()).toHaveLength(1);
  });

  test('logs in by its client certificate, and by a renewed one without a restart', async () => {
    const create = (name: string) => plane().client.attempt('POST', scene.path(), scene.manifest(name, IN));
    await show(stranger);
    await eventually(async () => (await create('unknown')).status >= 400 || scene.remove('unknown').then(() => false));
    await show(known);
    await eventually(async () => (await create('renewed')).status === 201, SETTLED_MS);
    await scene.ready('renewed');
    await agreed();
    expect(operator.log()).toContain('client certificate of the IPAM-API renewed');
  });

  test('deletes while the IPAM-API is away, and tells it afterwards', async () => {
    await scene.create('gone', IN);
    await scene.ready('gone');
    await api.kill('SIGKILL');
    await scene.remove('gone');
    const refused = await plane().client.attempt('POST', scene.path(), scene.manifest('early', IN));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await operator.metrics()).toContain('ipam_zone_addresses{zone="inet"');
    await api.start();
    await agreed();
    await eventually(() => scene.create('early', IN), SETTLED_MS);
    await scene.ready('early');
    await agreed();
  });

  test('loses and doubles nothing when it is killed between reservation and bind', async () => {
    const creating = plane().client.attempt('POST', scene.path(), scene.manifest('killed', IN));
    await onceReserved('killed', () => operator.kill('SIGKILL'));
    const { status } = await creating;
    await operator.restart();
    if (status >= 400) await eventually(() => scene.create('killed', IN), SETTLED_MS);
    await scene.ready('killed');
    await agreed();
    expect((await api.holders()).filter((each) => each.includes(' killed '))).toHaveLength(1);
  });

  test('loses and doubles nothing when the IPAM-API is killed between reservation and bind', async () => {
    const creating = plane().client.attempt('POST', scene.path(), scene.manifest('cut', IN));
    await onceReserved('cut', () => api.kill('SIGKILL'));
    await api.start();
    const { status } = await creating;
    if (status >= 400) await eventually(() => scene.create('cut', IN), SETTLED_MS);
    await scene.ready('cut', SETTLED_MS);
    await agreed();
    expect((await api.holders()).filter((each) => each.includes(' cut '))).toHaveLength(1);
  });

  test('ends the lease of a Service that was never stored, by the list of its sweep', async () => {
    const { metadata, ...rest } = scene.manifest('never', IN);
    const wrong = { ...rest, metadata, spec: { ...rest.spec, sessionAffinity: 'Wrong' } };
    expect((await plane().client.attempt('POST', scene.path(), wrong)).status).toBe(422);
    expect((await api.holders()).join()).toContain(' never reserved');
    await agreed(SWEPT_MS);
  });

  test('FU-02 what the cluster shows without a claim is given to no other cluster, nor what that one shows to it', async () => {
    const { client } = plane();
    await client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-public' } }]);
    const annotations = { [METALLB.pool]: 'inet', [METALLB.addresses]: '83.118.168.99' };
    await neighbours.create('db', { annotations });
    await neighbours.when('db', (object) => ingressOf(object).length > 0);
    await eventually(async () => (await api.shown()).includes('83.118.168.99 Service/kube-public/db'), SETTLED_MS);
    const { book, uses } = api.other;
    const asked = ask(claimant('far/db', { cluster: 'cluster-b' }), { at: '83.118.168.99', zone: 'inet' });
    expect(await book.reserve(asked)).toMatchObject({
      refusal: { code: 'address/held', message: expect.stringContaining('an object of cluster') as string },
    });
    await neighbours.remove('db');
    const got = await eventually(async () => {
      const answer = await book.reserve(asked);
      return answer.ok && answer.value;
    }, SETTLED_MS);
    await book.undo(got);

    const use = { source: 'Service/far/db', weight: 'occupied' } as const;
    const at = { cluster: 'cluster-b', network: 'default', address: addressOf('83.118.168.98') };
    await uses.write({ ...at, use });
    const wish = { annotations: { ...IN.annotations, [IPAM.addresses]: '83.118.168.98' } };
    const denied = await plane().client.attempt('POST', scene.path(), scene.manifest('wish', wish));
    expect(denied.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(denied)).toContain('is in use by an object of cluster cluster-b');
    await uses.write(at);
    await scene.create('wish', wish);
    await scene.shows('wish', '83.118.168.98');
    await scene.remove('wish');
    await agreed();
  });

  test('FU-02 a cluster that reports every address of a zone moves and takes nothing of this one, announced or not', async () => {
    const { uses } = api.other;
    const { client } = plane();
    // without its pool MetalLB announces nothing of a zone
    await deleteKept(client, '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/still');
    const [loudly, quietly] = [{ annotations: { [IPAM.zone]: 'brief' } }, { annotations: { [IPAM.zone]: 'still' } }];
    await scene.create('announced', loudly);
    const announced = ingressOf(await scene.ready('announced'));
    await scene.create('quiet', quietly);
    const wish = { annotations: { ...quietly.annotations, [IPAM.addresses]: '83.118.170.5' } };
    await scene.create('wished', wish);
    const keys = async (name: string) => (await scene.get(name)).metadata.annotations?.[METALLB.addresses];
    await scene.when('quiet', (each) => conditionOf(each)?.status === 'Unknown', SETTLED_MS);
    await scene.when('wished', (each) => conditionOf(each)?.status === 'Unknown', SETTLED_MS);
    const before = [await keys('announced'), await keys('quiet'), await keys('wished')];
    const followed = await scene.follow('announced');

    const all = [
      ...Array.from({ length: 256 }, (_, i) => `83.118.169.${i}`),
      ...Array.from({ length: 16 }, (_, i) => `83.118.170.${i}`),
    ].map((text) => ({ cluster: 'cluster-b', network: 'default', address: addressOf(text) }));
    const use = { source: 'Service/far/db', weight: 'occupied' } as const;
    const written = await Promise.all(all.map((at) => uses.write({ ...at, use })));
    expect(written.filter(Boolean)).toHaveLength(128 + 8);
    const isMet = async (): Promise<boolean> => /^ipam_claims_met [1-9]/mu.test(await operator.metrics());
    await eventually(isMet, SETTLED_MS);
    await operator.kill('SIGKILL');
    await operator.restart();
    await eventually(isMet, SETTLED_MS);
    // a look at the record is made every half a minute
    await new Promise((resolve) => setTimeout(resolve, 35_000));
    expect([await keys('announced'), await keys('quiet'), await keys('wished')]).toEqual(before);
    expect(await followed.stop()).toEqual(announced);
    expect((await api.holders()).join()).toContain(`${before[1]} quiet bound`);
    expect((await api.holders()).join()).toContain('83.118.170.5 wished bound');
    await scene.create('new', quietly);
    const listed = await uses.list({ by: 'cluster', cluster: 'cluster-b' });
    const shown = listed.filter(({ weight }) => weight === 'occupied').map(({ address }) => address.toString());
    expect(shown).not.toContain(await keys('new'));

    for (const name of ['announced', 'quiet', 'wished', 'new']) await scene.remove(name);
    await Promise.all(all.map((at) => uses.write(at)));
    await agreed();
  });

  test('FU-04 an address that the record grants to another cluster stays where it is shown, and is contested on record', async () => {
    const annotations = { [IPAM.zone]: 'brief', [IPAM.addresses]: '83.118.169.5' };
    await scene.create('loud', { annotations });
    await scene.shows('loud', '83.118.169.5');
    await operator.kill('SIGKILL');
    await api.release('83.118.169.5');
    const { book } = api.other;
    const asked = ask(claimant('far/db', { cluster: 'cluster-b' }), { at: '83.118.169.5', zone: 'brief' });
    const got = await eventually(async () => {
      const answer = await book.reserve(asked);
      return answer.ok && answer.value;
    }, SETTLED_MS);
    const followed = await scene.follow('loud');
    await operator.restart();
    await scene.when('loud', (each) => conditionOf(each)?.reason === 'AddressContested', SETTLED_MS);
    expect(await api.contests()).toEqual(['83.118.169.5 loud']);
    await book.undo(got);
    await scene.when('loud', (each) => conditionOf(each)?.reason === 'Bound', SETTLED_MS);
    expect(await api.contests()).toEqual([]);
    expect(await followed.stop()).toEqual(['83.118.169.5']);
    await agreed();
  });

  test('keeps every address over a restart, and gives the rest back at the end', async () => {
    const before = await services();
    await operator.kill('SIGKILL');
    await operator.restart();
    await agreed();
    expect(await services()).toEqual(before);
    for (const name of new Set(before.map((each) => each.split(' ')[1] ?? ''))) await scene.remove(name);
    await eventually(async () => (await api.holders()).length === 0, SETTLED_MS);
  });
});
