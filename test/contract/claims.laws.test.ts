import fc from 'fast-check';
import type { Outcome } from '../../operator/errors/outcome';
import type { AddressRecord, ClaimChange, Taken } from '../../operator/ports/claims';
import type { OwnStore } from '../../operator/ports/store';
import { lowestByHand, ProgramRun, programs, type Burst, type Call } from '../support/claim-programs';
import type { StoreUnderTest } from '../support/store-under-test';
import { sharedPostgres } from '../support/postgres-server';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';

let memory: StoreUnderTest;
let real: StoreUnderTest;
let runs = 0;

beforeAll(sharedPostgres, 300_000);

function recorded(store: OwnStore): { readonly told: ClaimChange[]; readonly stop: () => void } {
  const told: ClaimChange[] = [];
  return { told, stop: store.watch((change) => told.push(change)) };
}

// Both count up, but a database burns numbers on what it refuses: only their order is the same.
const COUNTED: readonly string[] = ['id', 'version'];

function countsIn(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.flatMap(countsIn);
  if (!isPlain(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => (COUNTED.includes(name) ? [Number(each)] : countsIn(each)));
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Replaces ids and versions by their ranks. */
function ranked(whole: unknown): unknown {
  const ranks = new Map([...new Set(countsIn(whole))].sort((a, b) => a - b).map((count, rank) => [count, rank]));
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    if (!isPlain(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => {
      return [name, COUNTED.includes(name) ? ranks.get(Number(each)) : inside(each)] as const;
    });
    return Object.fromEntries(entries);
  };
  return inside(whole);
}

// When a store notices that a quarantine is over is its own affair, so only what was held before is told to be free in one order.
function withoutNotices(told: readonly ClaimChange[], before: readonly AddressRecord[]): readonly ClaimChange[] {
  const held = new Set(before.filter(({ state }) => state === 'held').map(({ address }) => address.toString()));
  return told.filter(({ kind, address }) => {
    const text = address.toString();
    if (kind !== 'freed') held.add(text);
    return kind !== 'freed' || held.delete(text);
  });
}

// Runs a call on the reference and checks its choice against a walk over the space.
async function reference(run: ProgramRun, call: Call, work: (store: OwnStore) => Promise<unknown>): Promise<unknown> {
  const before = await run.records(memory.store);
  const outcome = await work(memory.store);
  if (call.do !== 'take' || call.where.wish !== undefined) return outcome;
  const [want] = run.takeOf(call, before).wants;
  const lowest = lowestByHand(want, before);
  const taken = outcome as Outcome<readonly Taken[]>;
  if (taken.ok && taken.value[0]?.created === true) expect(taken.value[0].record.address.toString()).toBe(lowest);
  if (!taken.ok && taken.refusal.code === 'pool/exhausted' && !call.where.both) expect(lowest).toBeUndefined();
  return outcome;
}

async function runBurst(run: ProgramRun, burst: Burst, durable: OwnStore): Promise<void> {
  for (const { clock } of [memory, real]) await clock.advance(burst.pauseMs);
  const [naiveRecords, records] = [await run.records(memory.store), await run.records(durable)];
  const naiveWorks = burst.calls.map((call) => run.bound(call, naiveRecords));
  const works = burst.calls.map((call) => run.bound(call, records));
  const [naive, told] = [recorded(memory.store), recorded(durable)];
  const expected: unknown[] = [];
  for (const [index, call] of burst.calls.entries()) expected.push(await reference(run, call, naiveWorks[index]!));
  const outcomes = await Promise.all(works.map((work) => work(durable)));
  naive.stop();
  told.stop();
  expect(ranked(outcomes)).toEqual(ranked(expected));
  expect(withoutNotices(told.told, records)).toEqual(withoutNotices(naive.told, naiveRecords));
  expect(ranked(await run.view(durable))).toEqual(ranked(await run.view(memory.store)));
}

describe.each([
  ['sqlite', openSqlite],
  ['postgres', openPostgres],
])('claims %s', (_name, open) => {
  beforeAll(async () => {
    memory = await openMemory();
    real = await open();
  });
  afterAll(async () => {
    await memory.dispose();
    await real.dispose();
  });

  test('answers every program as the store in plain maps does, in bursts and over restarts', async () => {
    let durable = real.store;
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const run = new ProgramRun(runs++);
        for (const burst of program) {
          if (burst.restart) durable = await real.reopen!();
          await runBurst(run, burst, durable);
        }
      }),
      // the limit keeps a loaded machine from failing: it ends with the runs that it made
      { numRuns: 100, plugins: [fc.interruptAfterTimeLimit(20_000)] },
    );
  }, 300_000);
});
