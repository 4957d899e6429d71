import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IPAM } from '../../operator/contract/group';
import { clientPair } from '../support/client-pair';
import { startApiOperator, type ApiOperator } from './support/api-operator';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene } from './support/service-scene';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONES = [{ name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'] }];
const IN = { annotations: { [IPAM.zone]: 'inet' } };
/** A breaker that opened, and a controller that paused. */
const SETTLED_MS = 60_000;
/** A lease, a pause between sweeps, and what goes before. */
const SWEPT_MS = 150_000;

type Pair = Awaited<ReturnType<typeof clientPair>>;

const secret = (name: string, data: Readonly<Record<string, string>>) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'ipam-system' } },
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

/** Puts a client certificate into the Secret that the operator logs in by. */
async function show({ cert, key }: Pair, control = plane()): Promise<void> {
  const login = { ...secret('login', { 'tls.crt': cert, 'tls.key': key }), type: 'kubernetes.io/tls' };
  await control.client.apply([login]);
}

/** What the Services of the namespace show, as the record would say it. */
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
