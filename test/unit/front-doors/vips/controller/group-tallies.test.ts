import fc from 'fast-check';
import { addressFromBigInt, type Address } from '../../../../../operator/addressing/address';
import { PrefixSet } from '../../../../../operator/addressing/prefix-set';
import { GroupTallies } from '../../../../../operator/front-doors/vips/controller/group-tallies';
import type { AddressRecord } from '../../../../../operator/ports/claims';
import type { KnownClaims } from '../../../../../operator/ports/known-claims';
import { countGroup } from '../../../../support/count-group';
import type { VipGroup } from '../../../../../operator/rules/vips/types';
import { spaceOf } from '../../../../support/claim-requests';

const BASE = 0x0a00_0000n;
const addressAt = (offset: number): Address => addressFromBigInt(4, BASE + BigInt(offset));

interface Spaces {
  readonly segments: readonly string[];
  readonly usable: readonly string[];
  readonly excluded: readonly string[];
}

const groupOf = (name: string, { segments, usable, excluded }: Spaces): VipGroup => ({
  name,
  priority: 0,
  network: 'default',
  explicitOnly: false,
  draining: false,
  quarantineMs: 0,
  segments: spaceOf(...segments),
  parts: [spaceOf(...usable)],
  usable: spaceOf(...usable),
  excluded: spaceOf(...excluded),
  readiness: { ok: true },
});

/** Of 32 addresses: 8 are outside, 4 excluded, 4 of another door. */
const PLANS: readonly Spaces[] = [
  { segments: ['10.0.0.0/28', '10.0.0.16/29'], usable: ['10.0.0.0/29', '10.0.0.16/29'], excluded: ['10.0.0.8/30'] },
  { segments: ['10.0.0.0/27'], usable: ['10.0.0.0/27'], excluded: [] },
  { segments: ['10.0.0.16/28'], usable: ['10.0.0.20/30'], excluded: ['10.0.0.0/30', '10.0.0.24/29'] },
];

/** Record and cluster, as the controller sees them. */
class World {
  readonly records = new Map<string, AddressRecord>();
  readonly occupied = new Map<string, Address>();
  blocks = PrefixSet.EMPTY;
  scans = 0;
  readonly tallies = new GroupTallies(
    {
      at: ({ address }) => this.records.get(address.toString()),
      find: (query) => {
        this.scans += 1;
        return [...this.records.values()].filter(({ pool }) => query.by === 'pool' && pool === query.pool);
      },
      within: (_network, space) => [...this.records.values()].filter(({ address }) => space.contains(address)),
    } satisfies KnownClaims,
    {
      occupied: () => [...this.occupied.values()].filter((each) => this.isOccupied(each)),
      isOccupied: (address) => this.isOccupied(address),
      blocksOf: () => this.blocks,
    },
  );

  isOccupied(address: Address): boolean {
    const text = address.toString();
    return this.occupied.has(text) && this.records.get(text)?.state !== 'held';
  }

  put(offset: number, pool: string, state: string): void {
    const address = addressAt(offset);
    const text = address.toString();
    if (state === 'free') this.records.delete(text);
    else if (state === 'shown') this.occupied.set(text, address);
    else if (state === 'hidden') this.occupied.delete(text);
    else this.records.set(text, { address, pool, state, holders: [] } as unknown as AddressRecord);
    this.tallies.look(address);
  }

  inFull(group: VipGroup) {
    const records = [...this.records.values()];
    const of = (state: AddressRecord['state'], isOwn: boolean) =>
      records
        .filter((each) => (each.pool === group.name) === isOwn && each.state === state)
        .map(({ address }) => address);
    const shown = [...this.occupied.values()].filter((each) => this.isOccupied(each));
    const ofOthers = of('quarantined', false).filter((address) => !this.isOccupied(address));
    const uses = {
      held: of('held', true),
      quarantined: [...of('quarantined', true), ...ofOthers],
      foreign: [...shown, ...of('held', false)],
    };
    return [countGroup(group, uses), countGroup(group, uses, 4), countGroup(group, uses, 6)];
  }
}

const STATES = ['held', 'held', 'quarantined', 'free', 'shown', 'hidden'];
const change = fc.record({
  offset: fc.nat(31),
  pool: fc.constantFrom('a', 'b', 'other'),
  state: fc.constantFrom(...STATES),
  /** Plan of both groups from now on. */
  plan: fc.option(fc.nat(PLANS.length - 1), { nil: undefined, freq: 5 }),
});

describe('GroupTallies', () => {
  test('tells after each change what a count of everything tells', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const world = new World();
        let plans = PLANS.slice(0, 1).flatMap((plan) => ['a', 'b'].map((name) => groupOf(name, plan)));
        for (const { offset, pool, state, plan } of changes) {
          const next = plan === undefined ? undefined : PLANS[plan];
          if (next !== undefined) plans = ['a', 'b'].map((name) => groupOf(name, next));
          world.put(offset, pool, state);
          for (const group of plans) {
            const tally = world.tallies.of(group);
            expect([tally.counts(), tally.counts(4), tally.counts(6)]).toEqual(world.inFull(group));
            const held = [...world.records.values()].filter(
              (each) => each.pool === group.name && each.state === 'held',
            );
            expect(tally.isInUse).toBe(held.length > 0);
            const excluded = held.filter(({ address }) => group.excluded.contains(address));
            expect(tally.excludedInUse().map(String).sort()).toEqual(
              excluded.map(({ address }) => String(address)).sort(),
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test('has no free address where another group, or none, has it on record', () => {
    const world = new World();
    const group = groupOf('a', { segments: ['10.0.0.0/30'], usable: ['10.0.0.0/30'], excluded: [] });
    for (const [offset, pool] of ['a', 'other', ''].entries()) world.put(offset, pool, 'held');
    world.put(3, 'other', 'quarantined');
    expect(world.tallies.of(group).counts()).toMatchObject({
      total: '4',
      allocated: '1',
      foreign: '2',
      quarantined: '1',
      free: '0',
    });
  });

  test('counts what prefixes of other doors have as foreign, and no address twice', () => {
    const world = new World();
    const [plan] = PLANS;
    if (plan === undefined) throw new RangeError('there is no plan');
    const group = groupOf('a', plan);
    world.put(0, 'a', 'held');
    world.put(1, 'a', 'shown');
    world.blocks = spaceOf('10.0.0.0/30');
    // of 16 usable ones 1 is held, 1 shown, and 2 more are in the prefix
    expect(world.tallies.of(group).counts()).toMatchObject({ total: '16', allocated: '1', foreign: '3', free: '12' });
    expect(world.tallies.of(group).counts(6)).toMatchObject({ total: '0', foreign: '0', free: '0' });
    world.blocks = PrefixSet.EMPTY;
    expect(world.tallies.of(group).counts()).toMatchObject({ foreign: '1', free: '14' });
  });

  test('reads the record once, however often something changes and the plan is made anew without another space', () => {
    const world = new World();
    const [plan] = PLANS;
    if (plan === undefined) throw new RangeError('there is no plan');
    for (let offset = 0; offset < 32; offset++) {
      world.put(offset, 'a', 'held');
      world.tallies.of(groupOf('a', plan)).counts();
    }
    expect(world.scans).toBe(1);
    world.tallies.forget('a');
    expect(world.tallies.of(groupOf('a', plan)).counts().allocated).toBe('24');
    expect(world.scans).toBe(2);
  });
});
