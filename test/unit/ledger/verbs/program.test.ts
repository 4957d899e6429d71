import fc from 'fast-check';
import { refuse } from '../../../../operator/errors/outcome';
import type { Claimant, ClaimantSecret, Grant, LiveObject } from '../../../../operator/ports/address-book';
import type { AddressRecord, Holder } from '../../../../operator/ports/claims';
import type { OwnStore } from '../../../../operator/ports/store';
import {
  ask,
  claimant,
  CountingStore,
  CUSTOM,
  DEFAULT,
  LedgerWorld,
  liveServices,
  sharing,
  testHasher,
} from '../../../support/ledger-world';

/** Refuses guarded writes as if somebody else had been faster, in a sequence that a seed decides. */
class ContestedStore extends CountingStore {
  constructor(store: OwnStore, seed: number) {
    super(store);
    const { take, takeFirst, bind, release } = this;
    let state = seed;
    const unlucky = (): boolean => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32 < 0.3;
    };
    const conflict = () => Promise.resolve(refuse('store/conflict', 'injected by the test'));
    this.take = (request) => (unlucky() ? conflict() : take(request));
    if (takeFirst !== undefined) this.takeFirst = (request) => (unlucky() ? conflict() : takeFirst(request));
    this.bind = (request) => (unlucky() ? conflict() : bind(request));
    this.release = (request) => (unlucky() ? conflict() : release(request));
  }
}

const NAMES = ['a/s0', 'a/s1', 'a/s2', 'b/s3', 'b/s4'] as const;
const SECRETS: readonly ClaimantSecret[] = [DEFAULT, CUSTOM, { value: 'a third secret', scope: 'shared' }];

type Op =
  | {
      readonly op: 'reserve';
      readonly who: number;
      readonly wish: number | undefined;
      readonly secret: number;
      readonly days: number;
    }
  | { readonly op: 'store' | 'undo' | 'delete' | 'forget'; readonly who: number }
  | { readonly op: 'rotate'; readonly who: number; readonly secret: number }
  | { readonly op: 'wait'; readonly seconds: number }
  | { readonly op: 'sweep' };

const who = fc.nat({ max: NAMES.length - 1 });
const secret = fc.nat({ max: SECRETS.length - 1 });
const anOp: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('reserve'),
      who,
      wish: fc.option(fc.nat({ max: 7 }), { nil: undefined }),
      secret,
      days: fc.constantFrom(0, 0, 1),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constantFrom('store', 'store', 'undo', 'delete', 'forget'), who }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rotate'), who, secret }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('wait'), seconds: fc.constantFrom(1, 100, 301, 90_000) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('sweep') }) },
);

/** A stored Service as the API server has it. */
interface Stored {
  readonly uid: string;
  /** By address; each under the secret that it was reserved with, until the object's new one is bound to it. */
  readonly grants: Map<string, { readonly grant: Grant; readonly secret: ClaimantSecret }>;
  /** Secret that the object names. */
  secret: ClaimantSecret;
}

/** Plays the API server and the controller against the ledger, and knows what must hold. */
class Play {
  readonly world: LedgerWorld;
  readonly #stored = new Map<string, Stored>();
  readonly #pending = new Map<string, { grant: Grant; secret: ClaimantSecret }>();
  #uids = 0;

  constructor(seed: number) {
    const zones = [{ name: 'z', prefixes: ['192.0.2.0/29'], quarantineSeconds: 200 }];
    this.world = new LedgerWorld(zones, (store) => new ContestedStore(store, seed));
  }

  async run(op: Op): Promise<void> {
    if (op.op === 'wait') this.world.clock.advance(op.seconds * 1000);
    else if (op.op === 'sweep') await this.#sweep();
    else await this.#act(NAMES[op.who] ?? '', op);
  }

  async #act(name: string, op: Extract<Op, { who: number }>): Promise<void> {
    switch (op.op) {
      case 'reserve':
        return this.#reserve(op);
      case 'rotate':
        return this.#rotate(name, SECRETS[op.secret] ?? DEFAULT);
      case 'store':
        return this.#store(name);
      case 'undo':
        return this.#undo(name);
      case 'delete':
        return this.#delete(name);
      case 'forget':
        this.#pending.delete(name);
    }
  }

  async records(): Promise<readonly AddressRecord[]> {
    return this.world.store.list({ by: 'pool', network: 'default', pool: 'z' });
  }

  /** Bound addresses never move, and their Services still prove them. */
  async expectBoundStay(): Promise<void> {
    for (const [name, { uid, grants }] of this.#stored) {
      for (const [address, { secret: proof }] of grants) {
        const record = await this.world.record(address);
        expect(record?.holders.some((holder) => holder.owner.uid === uid && holder.state === 'bound')).toBe(true);
        expect({ name, address, hash: record?.secret?.hash }).toEqual({
          name,
          address,
          hash: testHasher.hash(proof.value),
        });
      }
    }
  }

  #claimant(name: string): Claimant {
    const stored = this.#stored.get(name);
    return claimant(name, stored === undefined ? {} : { serviceUid: stored.uid });
  }

  async #reserve({ who: index, wish, secret: number, days }: Extract<Op, { op: 'reserve' }>): Promise<void> {
    const name = NAMES[index] ?? '';
    const stored = this.#stored.get(name);
    const chosen = stored?.secret ?? SECRETS[number] ?? DEFAULT;
    const request = ask(this.#claimant(name), {
      secret: chosen,
      sharing: sharing('k', { ports: [`${index}/TCP`] }),
      options: { retentionPeriodDays: days, denyExternalCleanup: false },
      ...(wish === undefined ? {} : { at: `192.0.2.${wish}` }),
    });
    const outcome = await this.world.book.reserve(request);
    if (!outcome.ok) {
      expect(outcome.refusal.code).not.toBe('store/conflict');
      return;
    }
    const repeat = await this.world.book.reserve(request);
    expect(repeat).toMatchObject({ ok: true, value: { holderId: outcome.value.holderId, created: false } });
    this.#pending.set(name, { grant: outcome.value, secret: chosen });
  }

  async #store(name: string): Promise<void> {
    const pending = this.#pending.get(name);
    if (pending === undefined) return;
    const checked = await this.world.book.check({
      claimant: this.#claimant(name),
      zone: 'z',
      address: pending.grant.address,
    });
    this.#pending.delete(name);
    if (!checked.ok) return; // the lease ended long before: the API server refuses the object
    const uid = `u${(this.#uids + 1).toString()}`;
    const stored: Stored = this.#stored.get(name) ?? { uid, grants: new Map(), secret: pending.secret };
    if (stored.uid === uid) this.#uids += 1;
    const bound = await this.world.book.bind({
      claimant: { ...claimant(name), serviceUid: stored.uid },
      grant: checked.value,
    });
    expect(bound.ok).toBe(true);
    const place = pending.grant.address.toString();
    stored.grants.set(place, { grant: checked.value, secret: stored.grants.get(place)?.secret ?? pending.secret });
    this.#stored.set(name, stored);
  }

  async #undo(name: string): Promise<void> {
    const pending = this.#pending.get(name);
    this.#pending.delete(name);
    if (pending !== undefined) await this.world.book.undo(pending.grant);
  }

  async #delete(name: string): Promise<void> {
    const stored = this.#stored.get(name);
    if (stored === undefined) return;
    this.#stored.delete(name);
    const released = await this.world.book.releaseByUid({ serviceUid: stored.uid });
    expect(released.ok).toBe(true);
  }

  async #rotate(name: string, newSecret: ClaimantSecret): Promise<void> {
    const stored = this.#stored.get(name);
    const [held] = stored?.grants.values() ?? [];
    if (stored === undefined || held === undefined || stored.grants.size > 1) return;
    const place = held.grant.address.toString();
    const terms = { sharing: sharing('k', { ports: [`${NAMES.indexOf(name as never)}/TCP`] }) };
    const request = {
      ...ask(this.#claimant(name), {
        secret: newSecret,
        previousSecret: stored.secret,
        at: place,
      }),
      ...terms,
    };
    const outcome = await this.world.book.reserve(request);
    if (!outcome.ok) return;
    // admission changes nothing of what is bound, since others may still refuse the object; the stored one makes it durable
    await this.expectBoundStay();
    const { options, writtenKeys } = request;
    const bound = await this.world.book.bind({
      claimant: { ...claimant(name), serviceUid: stored.uid },
      grant: outcome.value,
      terms: { ...terms, options, writtenKeys, secret: newSecret },
    });
    // an earlier request of this name with the new secret has the key until its lease is over; the controller comes back
    if (!bound.ok) {
      expect(bound.refusal.code).toBe('store/conflict');
      return;
    }
    stored.secret = newSecret;
    stored.grants.set(place, { grant: outcome.value, secret: newSecret });
  }

  async #sweep(): Promise<void> {
    const live: LiveObject[] = [...this.#stored].map(([name, { uid, grants }]) => {
      const [namespace = '', service = ''] = name.split('/');
      return {
        namespace,
        name: service,
        uid,
        addresses: [...grants.values()].map(({ grant: { address } }) => address),
      };
    });
    const startedMs = this.world.clock.nowMs();
    await this.world.book.sweep({ clusterUid: 'c1', startedMs, live: liveServices(...live) });
    for (const holder of holdersOf(await this.records())) {
      const over = holder.expiresAtMs !== undefined && holder.expiresAtMs < startedMs;
      expect({ state: holder.state, over: over && holder.state !== 'bound' }).toEqual({
        state: holder.state,
        over: false,
      });
    }
  }
}

function holdersOf(records: readonly AddressRecord[]): readonly Holder[] {
  return records.flatMap(({ holders }) => holders);
}

function expectUniqueKeys(records: readonly AddressRecord[]): void {
  const keys = holdersOf(records).flatMap(({ key }) => (key === undefined ? [] : [key]));
  expect(new Set(keys).size).toBe(keys.length);
}

/** A default secret is never shared over the border of a namespace. */
function expectSecretsStayHome(records: readonly AddressRecord[]): void {
  for (const { secret: kept, holders } of records) {
    const namespaces = new Set(holders.map(({ owner }) => owner.namespace));
    expect(kept?.scope === 'shared' || namespaces.size <= 1).toBe(true);
  }
}

describe('a random program of many claimants on a contested store', () => {
  test('keeps secrets, keys, leases and bound addresses in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(anOp, { maxLength: 60, size: 'max' }), async (seed, ops) => {
        const play = new Play(seed);
        for (const op of ops) {
          await play.run(op);
          const records = await play.records();
          expectUniqueKeys(records);
          expectSecretsStayHome(records);
          await play.expectBoundStay();
        }
      }),
      { numRuns: 60 },
    );
  });

  test('gives parallel requests of distinct Services distinct addresses, and equal requests one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(who, { maxLength: 30 }), async (seed, callers) => {
        const world = new LedgerWorld(undefined, (store) => new ContestedStore(store, seed));
        const calls = callers.map((index) => world.book.reserve(ask(NAMES[index] ?? '')));
        const addresses = new Map<number, Set<string>>();
        for (const [i, outcome] of (await Promise.all(calls)).entries()) {
          const index = callers[i] ?? 0;
          const address = outcome.ok ? outcome.value.address.toString() : outcome.refusal.code;
          addresses.set(index, (addresses.get(index) ?? new Set()).add(address));
        }
        expect([...addresses.values()].every((each) => each.size === 1)).toBe(true);
        expect(new Set([...addresses.values()].flatMap((each) => [...each])).size).toBe(new Set(callers).size);
      }),
      { numRuns: 100 },
    );
  });
});
