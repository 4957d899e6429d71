import { IPAM } from '../../operator/contract/group';
import type { KubeObject } from './support/cluster-client';
import { CutScene, type Change, type Place } from './support/cut-scene';
import type { Side } from './support/api-proxy';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { ServiceScene } from './support/service-scene';
import { ingressOf, isReady } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONE = { annotations: { [IPAM.zone]: 'cuts' } };
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
      zonePools: 'claims',
      zones: [
        { name: 'cuts', prefixes: ['10.70.0.0/24'], quarantineSeconds: 1 },
        { name: 'lost', prefixes: ['10.71.0.0/24'], quarantineSeconds: 1 },
      ],
    });
    cuts = await CutScene.start(control);
    await scene.open();
    await scene.create('kept', ZONE);
    await scene.ready('kept');
    everybody = followEverybody();
    everybody.catch(() => undefined); // told by the last test
  },
});
const scene = new ServiceScene({ plane, operator: () => cuts.operator, namespace: 'a' });
let everybody: Promise<unknown>;
/** Addresses that two Services showed at one moment. */
const doubles: string[] = [];
/** Addresses that the Service beside all of them showed, version by version. */
const keptShown = new Set<string>();

/** Looks at every version of every Service until one named `end` is there. */
function followEverybody(): Promise<unknown> {
  return plane().client.watchUntil(
    scene.path(),
    (all) => {
      const shown = all.flatMap(ingressOf);
      doubles.push(...shown.filter((address, i) => shown.indexOf(address) !== i));
      for (const each of all) if (each.metadata.name === 'kept') keptShown.add(ingressOf(each).join());
      return all.some(({ metadata }) => metadata.name === 'end');
    },
    900_000,
  );
}

const list = async (): Promise<readonly KubeObject[]> =>
  (await plane().client.request('GET', scene.path())).items ?? [];

/** True when record and pool hold what the stored Services show, and nothing else. */
async function isSquare(): Promise<boolean> {
  const all = await list();
  const shown = all.flatMap(ingressOf);
  return shown.length === all.length && (await scene.held('cuts')) === shown.length && cuts.publishes('cuts', shown);
}

async function sent(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}

function creating(name: string): Change {
  return {
    send: () => sent(scene.create(name, ZONE)),
    isDone: async () => (await cuts.has(scene.path(name), undefined)) && isSquare(),
  };
}

async function moving(name: string, address: string): Promise<Change> {
  await scene.create(name, ZONE);
  await eventually(() => creating(name).isDone());
  return {
    send: () => sent(scene.annotate(name, { [IPAM.addresses]: address })),
    isDone: async () => (await cuts.has(scene.path(name), address)) && isSquare(),
  };
}

async function deleting(name: string): Promise<Change> {
  await scene.create(name, ZONE);
  await eventually(() => creating(name).isDone());
  return {
    send: () => sent(plane().client.request('DELETE', scene.path(name))),
    isDone: async () => (await list()).every(({ metadata }) => metadata.name !== name) && isSquare(),
  };
}

async function clear(...starts: readonly string[]): Promise<void> {
  const ours = (await list()).filter(({ metadata: { name } }) => starts.some((start) => name.startsWith(start)));
  for (const { metadata } of ours) await plane().client.request('DELETE', scene.path(metadata.name));
  await eventually(isSquare);
}

let round = 0;

describe('EXT-01 SIGKILL at every write, none doubled, none lost, none moved', () => {
  test.each(CUTS)('of a create, in the %s, %s it', async (place, side) => {
    round += 1;
    const writes = await cuts.walk(place, side, (write) => Promise.resolve(creating(`new-${round}-${write}`)));
    expect(writes).toBeGreaterThanOrEqual(2);
    await clear('new-');
  });

  test.each(CUTS)('of a change of the address, in the %s, %s it', async (place, side) => {
    round += 1;
    const writes = await cuts.walk(place, side, (write) =>
      moving(`move-${round}-${write}`, `10.70.0.${100 + 10 * round + write}`),
    );
    expect(writes).toBeGreaterThanOrEqual(3);
    await clear('move-');
  });

  test.each(CUTS)('of a release, in the %s, %s it', async (place, side) => {
    round += 1;
    const writes = await cuts.walk(place, side, (write) => deleting(`gone-${round}-${write}`));
    expect(writes).toBeGreaterThanOrEqual(1);
    await clear('gone-');
  });
});

describe('a restart', () => {
  test('CONC-01 moves nothing of 20 Services, and writes nothing', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `many-${i}`);
    await Promise.all(names.map((name) => scene.create(name, ZONE)));
    for (const name of names) await eventually(() => creating(name).isDone());
    const before = await list();
    const { length } = cuts.proxy.writes;
    await cuts.operator.kill('SIGKILL');
    await cuts.operator.restart();
    // an address that one of them has is refused only by who knows it, and a new one is served behind all of them
    await scene.create('behind', { annotations: { [IPAM.zone]: 'lost' } });
    await scene.ready('behind');
    const after = await list();

    expect(after.filter(({ metadata }) => metadata.name !== 'behind')).toEqual(before);
    expect(cuts.proxy.writes.slice(length).filter((write) => !/behind|lost|events/u.test(write))).toEqual([]);
  });
});

describe('a reservation whose Service never came', () => {
  test('EXT-01 comes back after the operator was killed right behind it', async () => {
    const body = scene.manifest('', { ...ZONE, metadata: { name: undefined, generateName: 'never-' } });
    const tries = [
      () => scene.create('nobody', { annotations: { [IPAM.zone]: 'lost' } }),
      () =>
        plane().client.request('POST', scene.path(), {
          ...body,
          metadata: { ...body.metadata, annotations: { [IPAM.zone]: 'lost' } },
        }),
    ];
    const held = await scene.held('lost');
    for (const attempt of tries) {
      cuts.cutAt('store', 1, 'after');
      expect(await sent(attempt())).toBe(false);
      await cuts.killed();
      await cuts.operator.restart();
    }
    expect(await scene.held('lost')).toBe(held + 2);
    await scene.create('other', { annotations: { [IPAM.zone]: 'lost' } });
    expect(ingressOf(await scene.ready('other'))).toEqual(['10.71.0.3']); // behind those that nobody has yet
    await scene.holds('lost', held + 1, 150_000);
    expect((await list()).every(isReady)).toBe(true);
  });
});

test('no address was ever shown twice, and the Service beside all of this never lost its own', async () => {
  await scene.create('end', ZONE);
  await everybody;

  expect(doubles).toEqual([]);
  expect(cuts.operator.log()).not.toContain('"dropped"');
  expect([...keptShown]).toEqual([ingressOf(await scene.get('kept')).join()]);
});
