import { CutScene, type Change } from './support/cut-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { conditionOf, GATEWAY, NetworkScene, shownIn } from './support/network-scene';
import { useControlPlane } from './support/use-control-plane';

/**
 * A decision of a killed process is left to it for half a minute, so the walk over all changes takes ten: `npm run test:networks-kills`.
 * Over the API server in memory all of it is done by test/unit/front-doors/networks/restart.test.ts.
 */
const isWhole = process.env['NETWORKS_KILLS'] === 'all';
// What is stored after a write is what is stored before the next one, so one side is enough.
const SIDE = 'after';

let cuts: CutScene;
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, { services: { enabled: false }, networks: { enabled: true } });
    cuts = await CutScene.start(control, { awaitWebhooks: false });
    await scene.open(control);
  },
});
const scene = new NetworkScene(plane, 'test');

const sending = (request: () => Promise<unknown>): (() => Promise<boolean>) => {
  return async () => {
    await request();
    return true;
  };
};

async function has(kind: 'prefix' | 'allocation', name: string, prefix: string): Promise<boolean> {
  const object = await scene.get(kind, name);
  return shownIn(object) === prefix && conditionOf(object)?.status === 'True';
}

const isRecord = async (expected: readonly string[]): Promise<boolean> =>
  (await scene.record()).join() === expected.join();

const F2 = ['10.0.0.0/8=agg0', '10.0.1.0/24=vpc-1', '10.0.1.1=net1-p1'];
const NET2 = ['10.0.5.0/24=vpc-1', '10.0.5.1=net2-p1'];

/** One of the changes that come after each other. */
interface Step extends Change {
  readonly step: string;
}

describe('CONC-01 SIGKILL after every write, nothing is given twice, lost or moved', () => {
  beforeAll(async () => {
    await scene.f2();
    await scene.prefix('net2-p1', '10.0.5.1/24', { network: 'net2', labels: GATEWAY });
    await scene.ready('prefix', 'net2-p1');
    await scene.allocation('kept', { prefix: '10.0.1.2/24' });
    await scene.ready('allocation', 'kept');
  }, 120_000);
  const kept = '10.0.1.2=kept';
  const base = [...F2, kept, ...NET2];

  const changes: readonly Step[] = [
    {
      step: 'allocation',
      send: sending(() => scene.allocation('a')),
      isDone: async () => (await has('allocation', 'a', '10.0.1.3/32')) && isRecord(withEntry('10.0.1.3=a')),
    },
    {
      step: 'move to another network',
      send: sending(() => scene.patch('allocation', 'a', { spec: { selector: scene.selecting('net2') } })),
      isDone: async () => (await has('allocation', 'a', '10.0.5.2/32')) && isRecord(withEntry('10.0.5.2=a')),
    },
    {
      step: 'release',
      send: sending(() => scene.remove('allocation', 'a')),
      isDone: () => isRecord(base),
    },
  ];

  test.each(changes.slice(0, isWhole ? undefined : 1))(
    'of an allocation: its $step',
    async (change) => {
      const writes = await cuts.walk('api', SIDE, async () => {
        await toStartOf(change);
        return change;
      });
      expect(writes).toBeGreaterThan(2);
      await scene.ready('allocation', 'kept', '10.0.1.2/24');
    },
    600_000,
  );

  async function toStartOf({ step }: Pick<Step, 'step'>): Promise<void> {
    const stored = await plane().client.attempt('GET', scene.path('allocation', 'a'));
    if (stored.status === 200) {
      if (stored.body.metadata.deletionTimestamp === undefined) await scene.remove('allocation', 'a');
      await scene.gone('allocation', 'a');
    }
    for (const each of changes.slice(
      0,
      changes.findIndex((one) => one.step === step),
    )) {
      await each.send();
      await eventually(() => each.isDone());
    }
  }

  const withEntry = (entry: string): readonly string[] => [...base, entry].toSorted();

  (isWhole ? test : test.skip)(
    'of a change of a prefix',
    async () => {
      await toStartOf({ step: 'allocation' });
      let isAway = false;
      const writes = await cuts.walk('api', SIDE, async () => {
        await Promise.resolve();
        isAway = !isAway;
        const [prefix, net] = isAway ? ['10.0.9.1/24', '10.0.9'] : ['10.0.5.1/24', '10.0.5'];
        return {
          send: sending(() => scene.patch('prefix', 'net2-p1', { spec: { prefix } })),
          isDone: async () =>
            (await has('prefix', 'net2-p1', prefix)) &&
            isRecord([...F2, kept, `${net}.0/24=vpc-1`, `${net}.1=net2-p1`].toSorted()),
        };
      });
      expect(writes).toBeGreaterThan(2);
      await scene.ready('allocation', 'kept', '10.0.1.2/24');
    },
    600_000,
  );
});
