import { DoorWorld } from '../support/door-world';
import { service } from '../support/review-builder';
import { settled, wrapped } from '../support/wrapped-book';

const LIMIT = 2;
/** Requests of one namespace that ask at the same time. */
const ASKING = 4;
const PAUSE_MS = 250;
const DEADLINE_MS = 8_000;

/** A namespace with as many reservations as it may have, and a count of what the record is asked. */
async function full(wrapBook: ReturnType<typeof wrapped> = (book) => book): Promise<DoorWorld> {
  const world = new DoorWorld({ maxReservedInNamespace: LIMIT, wrapBook });
  for (let i = 0; i < LIMIT; i += 1) await world.create(service({}, {}, { name: `first-${String(i)}` }));
  return world;
}

const create = (world: DoorWorld, name: string, namespace = 'a') => world.create(service({}, {}, { name, namespace }));

const reserves = (world: DoorWorld): number => world.calls.filter((call) => call === 'reserve').length;

async function pass(world: DoorWorld, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += PAUSE_MS) {
    world.clock.advance(PAUSE_MS);
    await settled();
  }
}

describe('a namespace with too many unbound reservations', () => {
  test('WH-07 asks the record for a few of those who wait, not for each', async () => {
    const world = await full();
    const waiting = Array.from({ length: 30 }, (_, i) => create(world, `web-${String(i)}`));
    await settled();
    const before = reserves(world);
    await pass(world, 4 * PAUSE_MS);
    expect(reserves(world) - before).toBe(4 * ASKING);
    await pass(world, DEADLINE_MS);
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map(({ denied }) => denied?.code))).toEqual(new Set([429]));
    expect(await world.held()).toBe(LIMIT);
  });

  test('lets who waits have the place of who was bound, the first one first, while others are not held up', async () => {
    const world = await full();
    const done: string[] = [];
    const waiting = ['web-0', 'web-1', 'web-2'].map(async (name) => {
      await create(world, name);
      done.push(name);
    });
    await settled();
    expect((await create(world, 'elsewhere', 'b')).stored).toBeDefined();
    for (const name of ['first-0', 'first-1']) {
      await world.bind(name);
      await pass(world, PAUSE_MS);
    }
    expect(done).toEqual(['web-0', 'web-1']);
    await world.bind('web-0');
    await pass(world, PAUSE_MS);
    await Promise.all(waiting);
    expect(done).toEqual(['web-0', 'web-1', 'web-2']);
  });

  test('WH-04 lets no retry wait for what it has already', async () => {
    const world = await full();
    const waiting = create(world, 'web-0');
    await settled();
    expect((await create(world, 'first-0')).stored).toBeDefined();
    await pass(world, DEADLINE_MS);
    expect((await waiting).denied?.code).toBe(429);
  });

  test('WH-07 keeps no reservation of a request that was refused while it was made', async () => {
    let gate: Promise<void> = Promise.resolve();
    let open = (): void => undefined;
    const world = await full(
      wrapped((book) => ({
        reserve: async (request) => {
          await gate;
          return book.reserve(request);
        },
      })),
    );
    const waiting = create(world, 'web-0');
    await settled();
    gate = new Promise((resolve) => {
      open = resolve;
    });
    await pass(world, DEADLINE_MS);
    expect((await waiting).denied?.code).toBe(429);
    await world.bind('first-0');
    open();
    await settled();
    expect(await world.held()).toBe(LIMIT);
  });
});
