import fc from 'fast-check';
import type { OwnStore } from '../../../../operator/ports/store';
import type { OutsideRows } from '../../../../operator/ports/outside-rows';
import { FakeNetBox, type FakeFault } from '../../../support/fake-netbox';
import { Mortal } from '../../../support/mortal';
import {
  heldIn,
  ip,
  newGround,
  startWorld,
  withVerbs,
  type Ground,
  type NetBoxWorld,
} from '../../../support/netbox-world';

/** One step of a program. */
type Step =
  | { readonly do: 'take'; readonly name: string; readonly address?: number }
  | { readonly do: 'release'; readonly pick: number; readonly quarantine: boolean }
  | { readonly do: 'fault'; readonly fault: number; readonly method: string; readonly times: number }
  | { readonly do: 'kill'; readonly after: number; readonly name: string }
  | { readonly do: 'work' | 'sweep' | 'restart' }
  | { readonly do: 'wait'; readonly seconds: number };

const FAULTS: readonly ReturnType<FakeFault>[] = [
  { reset: 'before' },
  { reset: 'after' },
  { status: 502, body: '<html>' },
  { status: 502, body: '<html>', after: true },
  { status: 429, headers: { 'retry-after': '20' } },
  { status: 403, body: '{"detail":"You do not have permission"}' },
  { status: 200, body: '<html>' },
  { status: 409, body: '{"detail":"Insufficient space"}' },
];

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('take'), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take'), name, address: fc.nat(7) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('release'), pick: fc.nat(5), quarantine: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fault'),
      fault: fc.nat(FAULTS.length - 1),
      method: fc.constantFrom('POST', 'DELETE', 'GET', ''),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('kill'), after: fc.nat(9), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('work', 'sweep', 'restart') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), seconds: fc.constantFrom(1, 30, 400) }) },
);

class Run {
  readonly netbox: FakeNetBox;
  readonly ground: Ground;
  #world: NetBoxWorld | undefined;

  constructor(netbox: FakeNetBox, ground: Ground) {
    this.netbox = netbox;
    this.ground = ground;
  }

  async world(): Promise<NetBoxWorld> {
    this.#world ??= await startWorld(this.netbox, this.ground);
    return this.#world;
  }

  async step(step: Step): Promise<void> {
    const world = await this.world();
    switch (step.do) {
      case 'take':
        await world.take({
          name: step.name,
          ...(step.address === undefined ? {} : { address: ip(`10.0.0.${step.address}`) }),
        });
        return;
      case 'release':
        await this.#release(world, step);
        return;
      case 'fault':
        this.netbox.fail(FAULTS[step.fault], ({ method }) => step.method === '' || method === step.method, step.times);
        return;
      case 'kill':
        await this.#kill(step);
        return;
      case 'work':
        await world.outbox.work();
        return;
      case 'sweep':
        await world.sweep.sweep();
        return;
      case 'restart':
        await this.stop();
        return;
      case 'wait':
        this.ground.clock.advance(step.seconds * 1000);
    }
  }

  async stop(): Promise<void> {
    await this.#world?.close();
    this.#world = undefined;
  }

  // A second process takes, works and dies somewhere in between.
  async #kill({ after, name: who }: Extract<Step, { do: 'kill' }>): Promise<void> {
    const mortal = new Mortal(after);
    const rows: OutsideRows = mortal.wrap(this.ground.store.outsideRows());
    const store: OwnStore = mortal.wrap(this.ground.store);
    const free = this.ground.store.outsideRows();
    const reading: Partial<OutsideRows> = { note: (key) => free.note(key), keep: (key, text) => free.keep(key, text) };
    const doomed = await startWorld(this.netbox, this.ground, { rows: withVerbs(rows, reading), store });
    const life = { over: false };
    void doomed
      .take({ name: who })
      .then(() => doomed.outbox.work())
      .then(() => (life.over = true));
    while (!mortal.dead && !life.over) await new Promise((resolve) => setImmediate(resolve));
    await doomed.close();
  }

  async #release(world: NetBoxWorld, { pick, quarantine }: Extract<Step, { do: 'release' }>): Promise<void> {
    const records = await world.store.list({ by: 'pool', network: 'default', pool: 'inet' });
    const held = records.filter(({ state }) => state === 'held');
    const one = held[pick % Math.max(1, held.length)];
    if (one !== undefined) await world.release(one.address, quarantine ? 300_000 : undefined);
  }
}

describe('NetBox beside the store', () => {
  test.each([
    ['enforces uniqueness', true],
    ['allows duplicates', false],
  ])('ends as the record says whatever was cut off, where NetBox %s', async (_name, enforceUnique) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const netbox = await FakeNetBox.start();
        const vrf = netbox.records.vrfs.get(7);
        if (vrf !== undefined) vrf.enforceUnique = enforceUnique;
        netbox.records.container('inet', '10.0.0.0/29');
        const theirs = netbox.records.put('10.0.0.2/32', { custom_fields: { k8s_uuid: 'theirs', k8s_zone: 'inet' } });
        const run = new Run(netbox, newGround());
        await run.world();
        for (const each of steps) await run.step(each);
        netbox.faults = [];
        await run.stop();
        run.ground.clock.advance(120_000);
        const after = await run.world();
        for (let rounds = 0; rounds < 3; rounds++) {
          await after.sweep.sweep();
          await after.settle();
          run.ground.clock.advance(700_000); // quarantines end, and what waits longest comes again
        }
        const held = await heldIn(run.ground.store);
        const hosts = netbox.records.hosts();
        const foreign = netbox.records.prefixes.get(theirs.id);
        await run.stop();
        await netbox.stop();
        // NetBox = record: none twice, none lost, and what others have is untouched
        expect(hosts).toEqual([...held, '10.0.0.2'].sort().map((address) => `${address}/32`));
        expect(foreign).toBe(theirs);
      }),
      { numRuns: 150 },
    );
  });
});
