import { IPAM } from '../../operator/contract/group';
import { startApiOperator, type ApiOperator } from './support/api-operator';
import type { ControlPlane } from './support/control-plane';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { RemoteAgreement } from './support/remote-agreement';
import { ServiceScene } from './support/service-scene';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONES = [{ name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'] }];
const IN = { annotations: { [IPAM.zone]: 'inet' } };
const SHARED = '83.118.168.77';
const SETTLED_MS = 120_000;

let api: ApiOperator;
const operators = new Map<ControlPlane, RunningOperator>();

async function install(control: ControlPlane): Promise<void> {
  await Promise.all([startMetalLb(control), startCertManager(control)]);
  await control.client.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipam-system' } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'remote-ca', namespace: 'ipam-system' },
      data: { 'ca.crt': Buffer.from(api.authority).toString('base64') },
    },
  ]);
  await applyInstallation(control, {
    zones: ZONES,
    store: { remote: { url: api.url, apiVersion: 2, ca: { name: 'remote-ca' } } },
    replicas: 1,
  });
  operators.set(control, await startOperator(control, { args: { 'shutdown-delay': '0' } }));
}

const programs = ['metallb-controller', 'cert-manager'] as const;
const first = useControlPlane({
  programs,
  prepare: async (control) => {
    api = await startApiOperator(control, ZONES, ['--allow-anonymous-v2=true']);
    await install(control);
    await one.open();
  },
});
const second = useControlPlane({
  programs,
  prepare: async (control) => {
    await install(control);
    await two.open();
  },
});

function sceneOn(plane: () => ControlPlane, namespace: string): ServiceScene {
  const operator = (): RunningOperator => {
    const found = operators.get(plane());
    if (found === undefined) throw new RangeError('no operator');
    return found;
  };
  return new ServiceScene({ plane, operator, namespace });
}
const [one, two] = [sceneOn(first, 'a'), sceneOn(second, 'b')];

/** Holders of the Services whose names begin so; each cluster has its own names here. */
async function holdersOf(cluster: string): Promise<readonly string[]> {
  const all = (await api.holders()).map((each) => each.split(' '));
  return all.filter(([, name = '']) => name.startsWith(cluster)).map(([ip = '', name = '']) => `${ip} ${name}`);
}
const agreements = [
  new RemoteAgreement({ plane: first, scene: one, holders: () => holdersOf('one-') }),
  new RemoteAgreement({ plane: second, scene: two, holders: () => holdersOf('two-') }),
];
async function agreed(): Promise<void> {
  for (const agreement of agreements) await agreement.reached();
}

describe('two clusters on version 2 of our own IPAM-API', () => {
  test('share a zone, and no address comes twice', async () => {
    const names = [0, 1, 2, 3, 4].map(String);
    await Promise.all(names.flatMap((name) => [one.create(`one-${name}`, IN), two.create(`two-${name}`, IN)]));
    for (const name of names) await Promise.all([one.ready(`one-${name}`), two.ready(`two-${name}`)]);
    await agreed();
    const addresses = (await api.holders()).map((each) => each.split(' ')[0]);
    expect(new Set(addresses).size).toBe(10);
  });

  test('join one address by a common secret, and whoever leaves takes nothing from the other', async () => {
    await Promise.all([one.secret('common', 'the-common-secret'), two.secret('common', 'the-common-secret')]);
    const at = { ...IN.annotations, [IPAM.addresses]: SHARED };
    const joined = { annotations: { ...at, [IPAM.secret]: 'common' } };
    await one.create('one-shared', joined);
    await one.ready('one-shared');
    const thief = await second().client.attempt('POST', two.path(), two.manifest('two-thief', { annotations: at }));
    expect(thief.status).toBe(403);
    await two.create('two-shared', joined);
    expect(ingressOf(await two.ready('two-shared'))).toEqual([SHARED]);
    await agreed();
    await one.remove('one-shared');
    await agreed();
    expect(ingressOf(await two.get('two-shared'))).toEqual([SHARED]);
    await one.create('one-back', joined);
    expect(ingressOf(await one.ready('one-back'))).toEqual([SHARED]);
    await two.remove('two-shared');
    await agreed();
    expect(await api.holders()).toContain(`${SHARED} one-back bound`);
  });

  test('outlive a server that is killed while both call it', async () => {
    const creating = [one, two].map((scene, index) => {
      const plane = index === 0 ? first() : second();
      const name = index === 0 ? 'one-cut' : 'two-cut';
      return plane.client.attempt('POST', scene.path(), scene.manifest(name, IN));
    });
    await api.kill('SIGKILL');
    await Promise.all([...creating, one.remove('one-0'), two.remove('two-0')]);
    await api.start();
    for (const [plane, scene, name] of [[first, one, 'one-cut'] as const, [second, two, 'two-cut'] as const]) {
      await eventually(async () => {
        const { status } = await plane().client.attempt('POST', scene.path(), scene.manifest(name, IN));
        return status < 300 || status === 409;
      }, SETTLED_MS);
      await scene.ready(name, SETTLED_MS);
    }
    await agreed();
    const names = (await api.holders()).map((each) => each.split(' ')[1] ?? '');
    expect(names.filter((name) => /-(cut|0)$/u.test(name)).sort()).toEqual(['one-cut', 'two-cut']);
  });

  test('keep their addresses over a restart of the operators, and give all of them back at the end', async () => {
    for (const operator of operators.values()) await operator.kill('SIGKILL');
    for (const operator of operators.values()) await operator.restart();
    await agreed();
    for (const [scene, agreement] of [[one, agreements[0]] as const, [two, agreements[1]] as const]) {
      for (const shown of (await agreement?.services()) ?? []) await scene.remove(shown.split(' ')[1] ?? '');
    }
    await agreed();
    expect(await api.holders()).toEqual([]);
  });
});
