import fc from 'fast-check';
import { PrefixSet } from '../../operator/addressing/prefix-set';
import { addressClaimCodec } from '../../operator/backends/claim-objects/address-claim-codec';
import { listOf, mapOf, type JsonMap } from '../../operator/contract/loose-json';
import type { NetworkTable, TableVerdict } from '../../operator/contract/networks/table';
import { CLAIMS, MortalClient, overlaps, TABLE } from '../support/claim-objects-scene';
import { GoldenNested } from '../support/golden-nested';
import type { ManualClock } from '../support/manual-clock';
import type { MemoryApiClient } from '../support/memory-api-client';
import { allocation, blockOfText, giving, leaving, poolOf, wishing, writing } from '../support/network-decisions';
import { claimServer, openClaims, standingClock, type OpenedClaims } from '../support/open-claim-objects';
import type { AddressRecord } from '../../operator/ports/claims';

const NET = 'default';
const POOLS = ['10.0.0.0/26', '10.0.0.64/27'];

/** One call of a process; the number picks an owner, a pool and a block. */
const call = fc.record({
  verb: fc.constantFrom('give', 'give', 'wish', 'leave', 'pool', 'unpool'),
  process: fc.nat({ max: 2 }),
  owner: fc.nat({ max: 7 }),
  pool: fc.nat({ max: 1 }),
  length: fc.integer({ min: 27, max: 32 }),
  place: fc.nat({ max: 95 }),
});
type Call = typeof call extends fc.Arbitrary<infer C> ? C : never;

/** Calls of one moment; the process with this number dies before that request of its own. */
const burst = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 6 }),
  death: fc.option(fc.record({ process: fc.nat({ max: 2 }), request: fc.integer({ min: 1, max: 12 }) }), {
    nil: undefined,
  }),
  isLater: fc.boolean(),
});
type Burst = typeof burst extends fc.Arbitrary<infer B> ? B : never;

const nameOf = ({ owner }: Call): string => `o${owner}`;

function decisionOf(one: Call): (table: NetworkTable) => TableVerdict<unknown> {
  const owner = allocation(nameOf(one));
  const pool = POOLS[one.pool] ?? '';
  if (one.verb === 'give') return giving(owner, { parent: pool, length: one.length });
  if (one.verb === 'leave') return leaving(owner);
  if (one.verb === 'pool') return declaring(pool);
  if (one.verb === 'unpool') return removing(pool);
  const block = `10.0.0.${one.place & (one.length === 32 ? 255 : 256 - 2 ** (32 - one.length))}/${one.length}`;
  return (table) => {
    const [mine] = table.ofOwner(owner);
    return mine === undefined ? wishing(owner, block)(table) : { as: 'answer', value: mine.block.toString() };
  };
}

// A pool comes only where nothing is in its place; what is inside may have come first.
function declaring(text: string): (table: NetworkTable) => TableVerdict<unknown> {
  return (table) =>
    table.at(blockOfText(text)) === undefined ? writing([poolOf(text)])() : { as: 'answer', value: 'there' };
}

// A pool goes only while nothing is in it.
function removing(text: string): (table: NetworkTable) => TableVerdict<unknown> {
  return (table) => {
    let inside = table.at(blockOfText(text))?.facts?.role === 'prefix' ? 0 : 1;
    table.eachInside(blockOfText(text), () => (inside += 1) < 0);
    return inside > 0
      ? { as: 'answer', value: 'in use' }
      : { as: 'change', put: [], remove: [blockOfText(text)], answer: 'gone' };
  };
}

interface Process {
  readonly client: MortalClient;
  readonly opened: OpenedClaims;
}

/** Three processes over one server, and what was answered. */
class Run {
  readonly #clock: ManualClock;
  readonly #server: MemoryApiClient;
  readonly #processes: Process[] = [];
  readonly #dead: Process[] = [];
  /** Blocks that owners were told they have, and that they did not leave. */
  readonly #told = new Map<string, string>();

  constructor() {
    const clock = standingClock();
    this.#clock = clock;
    this.#server = claimServer(clock);
  }

  async start(): Promise<void> {
    for (const number of [0, 1, 2]) await this.#open(number);
  }

  async play({ calls, death, isLater }: Burst): Promise<void> {
    const doomed = death === undefined ? undefined : this.#processes[death.process];
    let left = death?.request ?? 0;
    doomed?.client.dieBefore(() => (left -= 1) === 0);
    for (const one of calls) if (one.verb === 'leave') this.#told.delete(nameOf(one));
    const outcomes = await Promise.allSettled(calls.map((one) => this.#decide(one)));
    const leavers = new Set(calls.filter(({ verb }) => verb === 'leave').map(nameOf));
    for (const [index, one] of calls.entries()) this.#note(one, outcomes[index], leavers);
    if (isLater) this.#clock.advance(31_000);
    if (death !== undefined) await this.#open(death.process);
  }

  async claims(): Promise<readonly AddressRecord[]> {
    const answer = await this.#server.request({ method: 'GET', path: CLAIMS });
    const items = answer.ok ? (listOf(answer.body['items']) as readonly JsonMap[]) : [];
    return items.flatMap((item) => addressClaimCodec('networks').read(item) ?? []);
  }

  /** Owners that were told a block which the record does not give them. */
  async wronged(): Promise<readonly string[]> {
    const stored = new Map((await this.claims()).map((each) => [each.holders[0]?.owner.name ?? '', each]));
    return [...this.#told].flatMap(([owner, block]) => {
      const record = stored.get(owner);
      const has = record === undefined ? 'nothing' : `${record.address.toString()}/${record.length}`;
      return has === block ? [] : [`${owner} was told ${block} and has ${has}`];
    });
  }

  /** Lets everything left behind be carried out, and reads the table of a process that begins then. */
  async end(): Promise<OpenedClaims> {
    this.#clock.advance(31_000);
    const last = await openClaims(this.#server, { clock: this.#clock });
    this.#dead.push({ client: new MortalClient(this.#server), opened: last });
    return last;
  }

  async decisions(): Promise<number> {
    const answer = await this.#server.request({ method: 'GET', path: TABLE });
    return answer.ok ? listOf(mapOf(answer.body['spec'])['decisions']).length : 0;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes, ...this.#dead].map(({ opened }) => opened.close()));
  }

  async #open(number: number): Promise<void> {
    const former = this.#processes[number];
    if (former !== undefined) this.#dead.push(former);
    const client = new MortalClient(this.#server);
    this.#processes[number] = { client, opened: await openClaims(client, { clock: this.#clock }) };
  }

  #decide(one: Call): Promise<unknown> {
    const { opened } = this.#processes[one.process] as Process;
    return opened.store.decide(NET, decisionOf(one)).then((outcome) => (outcome.ok ? outcome.value : undefined));
  }

  // What an owner asked for beside its leaving may have come before it.
  #note(one: Call, outcome: PromiseSettledResult<unknown> | undefined, leavers: ReadonlySet<string>): void {
    const isGrant = (one.verb === 'give' || one.verb === 'wish') && !leavers.has(nameOf(one));
    if (!isGrant || outcome?.status !== 'fulfilled' || typeof outcome.value !== 'string') return;
    this.#told.set(nameOf(one), blockOfText(outcome.value).toString());
  }
}

const allocated = (records: readonly AddressRecord[]): readonly AddressRecord[] =>
  records.filter(({ entry }) => entry?.role === 'allocation');

/** Owners with more than one allocation. */
function greedy(records: readonly AddressRecord[]): readonly string[] {
  const names = allocated(records).map(({ holders }) => holders[0]?.owner.name ?? '');
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe('network tables', () => {
  test('give no space twice and keep every word, whichever process dies when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 10 }), async (bursts) => {
        const run = new Run();
        try {
          await run.start();
          for (const each of bursts) {
            await run.play(each);
            const stored = await run.claims();
            expect(overlaps(allocated(stored))).toBe(0);
            expect(greedy(stored)).toEqual([]);
            expect(await run.wronged()).toEqual([]);
          }
          const { store } = await run.end();
          const stored = await run.claims();
          expect([await run.decisions(), overlaps(allocated(stored)), greedy(stored)]).toEqual([0, 0, []]);
          const page = store.page(NET, { most: 1_000 });
          expect(page).toHaveLength(stored.length);
          const golden = new GoldenNested<string>();
          for (const { block } of page) golden.insert(block, block.toString());
          for (const pool of POOLS.map(blockOfText)) {
            const search = { length: 30, without: PrefixSet.EMPTY };
            const found = store.look(NET, (table) => table.bestFit(pool, search));
            expect(String(found)).toBe(String(golden.bestFit(pool, search)));
          }
        } finally {
          await run.close();
        }
      }),
      { numRuns: 60 },
    );
  }, 300_000);
});
