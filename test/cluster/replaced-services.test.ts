import { IPAM, METALLB } from '../../operator/contract/group';
import type { KubeObject } from './support/cluster-client';
import { CutScene, type Change, type Place } from './support/cut-scene';
import type { Side } from './support/api-proxy';
import { eventually, shortestMs } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf, isReady } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const CUTS: readonly (readonly [Place, Side])[] = [
  ['api', 'before'],
  ['api', 'after'],
  ['store', 'before'],
  ['store', 'after'],
];

let cuts: CutScene;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await applyInstallation(control, {
      zones: [
        { name: 'fixed', prefixes: ['10.81.0.0/24'] },
        { name: 'other', prefixes: ['10.82.0.0/24'] },
      ],
    });
    cuts = await CutScene.start(control);
    await Promise.all([scene.open(), elsewhere.open()]);
    everybody = followEverybody();
    everybody.catch(() => undefined); // told by the last test
  },
});
const scene = new ServiceScene({ plane, operator: () => cuts.operator, namespace: 'a' });
const elsewhere = new ServiceScene({ plane, operator: () => cuts.operator, namespace: 'b' });
let everybody: Promise<unknown>;
/** Addresses that two Services showed at one moment, but for those that share one. */
const doubles: string[] = [];

/** Looks at every version of every Service until one named `end` is there. */
function followEverybody(): Promise<unknown> {
  return plane().client.watchUntil(
    scene.path(),
    (all) => {
      const alone = all.filter(({ metadata }) => metadata.annotations?.[METALLB.sharing] === undefined);
      const shown = alone.flatMap(ingressOf);
      doubles.push(...shown.filter((address, i) => shown.indexOf(address) !== i));
      return all.some(({ metadata }) => metadata.name === 'end');
    },
    900_000,
  );
}

const fixed = (last: number, more: Readonly<Record<string, string>> = {}) => ({
  annotations: { [IPAM.zone]: 'fixed', [IPAM.addresses]: at(last), ...more },
});
const at = (last: number): string => `10.81.0.${String(last)}`;
const wish = (name: string, last: number) => scene.annotate(name, { [IPAM.addresses]: at(last) });

async function sent(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}

const isNext = (object: KubeObject): boolean =>
  object.metadata.name.startsWith('by-') && isReady(object) && ingressOf(object).join() === at(11);

/** Makes a Service that waits for an address that another one has. */
async function waitsFor(name: string): Promise<KubeObject> {
  const told = await scene.kubectlFile('create', scene.manifest(name, fixed(10)));
  expect(told).toContain(`service/${name} created`);
  return scene.waits(name, 'AddressInUse');
}

describe('FU-12 a Service that is made before the one that it replaces is deleted', () => {
  test('waits, names the holder, and has the address within a second after its end', async () => {
    await scene.create('old', fixed(10));
    await scene.shows('old', at(10));
    const waiting = await waitsFor('new-1');
    expect(waiting.metadata.annotations).toMatchObject({ [METALLB.pool]: 'ipam-waiting' });
    expect(conditionOf(waiting)?.message).toContain('"a/old"');
    expect(ingressOf(waiting)).toEqual([]);
    const tookMs = await shortestMs(1_000, async (round) => {
      const [old, next] = [round === 1 ? 'old' : `new-${String(round - 1)}`, `new-${String(round)}`];
      if (round > 1) await waitsFor(next);
      await scene.remove(old);
      const goneMs = performance.now();
      await scene.shows(next, at(10));
      return performance.now() - goneMs;
    });
    expect(tookMs).toBeLessThan(1_000);
  });

  test('waits also by the key of MetalLB and by spec.loadBalancerIP, also beside a retention', async () => {
    const days = { [IPAM.retentionPeriodDays]: '3' };
    await scene.create('kept', fixed(11, days));
    await scene.shows('kept', at(11));
    await scene.create('by-key', { annotations: { [IPAM.zone]: 'fixed', [METALLB.addresses]: at(11), ...days } });
    await scene.waits('by-key', 'AddressInUse');
    await scene.create('by-spec', { annotations: { [IPAM.zone]: 'fixed' }, spec: { loadBalancerIP: at(11) } });
    await scene.waits('by-spec', 'AddressInUse');
    await scene.remove('kept');
    // both came within a second, and either of them may be the first
    const [first] = await plane()
      .client.watchUntil(scene.path(), (all) => all.some(isNext))
      .then((all) => all.filter(isNext));
    const others = ['by-key', 'by-spec'].filter((name) => name !== first?.metadata.name);
    expect(others).toHaveLength(1);
    await scene.remove(first?.metadata.name ?? '');
    expect(ingressOf(await scene.shows(others[0] ?? '', at(11)))).toEqual([at(11)]);
  });

  test('is refused in another namespace', async () => {
    await expect(elsewhere.create('new', fixed(10))).rejects.toThrow(/is held by "a\/new-\d"/u);
  });

  test('a served one waits for a wish in our key with its address, and is refused by the keys that MetalLB reads', async () => {
    await scene.create('holder', fixed(12));
    await scene.create('mover', fixed(13));
    await scene.shows('mover', at(13));
    const followed = await scene.follow('mover');
    for (const change of [
      { metadata: { annotations: { [METALLB.addresses]: at(12), [IPAM.addresses]: null } } },
      {
        spec: { loadBalancerIP: at(12) },
        metadata: { annotations: { [METALLB.addresses]: null, [IPAM.addresses]: null } },
      },
    ]) {
      await expect(scene.patch('mover', change)).rejects.toThrow(
        `wish it by metadata.annotations[${IPAM.addresses}] alone`,
      );
    }
    await wish('mover', 12);
    await scene.waits('mover', 'AddressInUse');
    await scene.remove('holder');
    await scene.shows('mover', at(12));
    expect(await followed.stop()).toEqual([at(13), at(12)]);
  });
});

const alternately = (names: readonly string[], first: number): Promise<unknown> =>
  Promise.all(names.map((name, i) => scene.shows(name, at(first + ((i + 1) % names.length)))));

describe('FU-107 Services that wait for the address of each other', () => {
  test.each([
    { names: ['left', 'right'], first: 20 },
    { names: ['red', 'green', 'blue'], first: 30 },
  ])('$names exchange them within seconds', async ({ names, first }) => {
    for (const [i, name] of names.entries()) await scene.create(name, fixed(first + i));
    for (const [i, name] of names.entries()) await scene.shows(name, at(first + i));
    for (const [i, name] of names.entries()) await wish(name, first + ((i + 1) % names.length));
    const wishedMs = Date.now();
    await alternately(names, first);
    // long before any of them is looked at again for having waited
    expect(Date.now() - wishedMs).toBeLessThan(30_000);
    await scene.event(names[0] ?? '', 'AddressesExchanged');
  });

  let round = 0;

  /** Two that are served, of which one waits for the other already; the change is the wish of the other one. */
  async function swapping(first: number): Promise<Change> {
    round += 1;
    const names = [`swap-${String(round)}-a`, `swap-${String(round)}-b`] as const;
    for (const [i, name] of names.entries()) await scene.create(name, fixed(first + i));
    for (const [i, name] of names.entries()) await scene.shows(name, at(first + i));
    await wish(names[0], first + 1);
    await scene.waits(names[0], 'AddressInUse');
    return {
      send: () => sent(wish(names[1], first)),
      isDone: async () => {
        const [a, b] = await Promise.all(names.map((name) => scene.get(name)));
        return has(a, at(first + 1)) && has(b, at(first));
      },
    };
  }

  test.each(CUTS)(
    'EXT-01 SIGKILL at every write, in the %s, %s it: both have what they wished',
    async (place, side) => {
      const base = 40 + 45 * CUTS.findIndex(([each, other]) => each === place && other === side);
      const writes = await cuts.walk(place, side, (write) => swapping(base + 2 * write));
      expect(writes).toBeGreaterThanOrEqual(place === 'store' ? 1 : 3);
    },
  );
});

function has(object: KubeObject | undefined, address: string): boolean {
  return object !== undefined && isReady(object) && ingressOf(object).join() === address;
}

describe('who left an address', () => {
  test('FU-09 its secret recalls it under another name', async () => {
    await scene.create('former', fixed(250, { [IPAM.retentionPeriodDays]: '7' }));
    await scene.shows('former', at(250));
    await scene.remove('former');
    await scene.create('latter', fixed(250));
    expect(ingressOf(await scene.shows('latter', at(250)))).toEqual([at(250)]);
  });
});

describe('two Services on one address', () => {
  test('FU-17 both become Local by the way that the refusal names', async () => {
    const shared = (last: number) => fixed(last, { [IPAM.allowLocalSharedIp]: 'k' });
    const spec = (port: number) => ({ ports: [{ port }], selector: { app: 'x' } });
    const local = { spec: { externalTrafficPolicy: 'Local' } };
    await scene.create('web', { ...shared(240), spec: spec(80) });
    await scene.create('dns', { ...shared(240), spec: spec(53) });
    await Promise.all(['web', 'dns'].map((name) => scene.shows(name, at(240))));
    for (const name of ['web', 'dns']) await expect(scene.patch(name, local)).rejects.toThrow('move one away first');
    await wish('dns', 241);
    await scene.shows('dns', at(241));
    await eventually(async () => sent(scene.patch('web', local)));
    await scene.patch('dns', local);
    await wish('dns', 240);
    await Promise.all(['web', 'dns'].map((name) => scene.shows(name, at(240))));
  });
});

describe('Services with one sharing key', () => {
  test('FU-16 have one address where they can share it; the others are told why not', async () => {
    const spec = (port: number) => ({ ports: [{ port }] });
    const annotations = { [IPAM.zone]: 'other', [IPAM.allowLocalSharedIp]: 'one-key' };
    await scene.create('first', { annotations, spec: spec(80) });
    await scene.create('second', { annotations, spec: spec(443) });
    await scene.create('third', { annotations, spec: spec(80) });
    const shown = await Promise.all(
      ['first', 'second', 'third'].map(async (name) => ingressOf(await scene.ready(name))),
    );
    expect(shown[1]).toEqual(shown[0]);
    expect(shown[2]).not.toEqual(shown[0]);
    expect(JSON.stringify(await scene.event('third', 'AddressNotShared'))).toContain('both use port 80/TCP');
  });
});

test('no address was ever shown by two that do not share', async () => {
  await scene.create('end', { annotations: { [IPAM.zone]: 'other' } });
  await everybody;

  expect(doubles).toEqual([]);
});
