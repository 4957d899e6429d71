/**
 * S1: one allocation against the number of rows and against the plainest SQL. S2: durable and in groups against one by one.
 */
import { buildSync } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from '../../operator/backends/sql/sqlite/sqlite-claim-store';
import { wireTake } from '../../operator/backends/sql/sqlite/take-wire';
import { holderCells, SERVICE_CELLS } from '../../operator/backends/sql/shared/claim-row';
import { toColumn } from '../../operator/backends/sql/shared/address-column';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { Claims, NewHolder, TakeRequest, Want } from '../../operator/ports/claims';
import { EIGHT, leaseOf, NOW, spaceOf, taken } from '../support/claim-requests';
import type { BenchResult, BenchSize } from './result';
import { addressNumber, cpuOf, inFolder, median, openFile, seed, SPACE, type OpenFile } from './sqlite/seeded-file';

const SIZES = {
  full: { rows: [100_000, 1_000_000], takes: 2000, calls: 100, rounds: 15 },
  quick: { rows: [10_000, 100_000], takes: 500, calls: 30, rounds: 15 },
  tiny: { rows: [50, 500], takes: 20, calls: 2, rounds: 2 },
} as const;
const SECRET = { hash: 'k1:aa', scope: 'shared' } as const;

/** The holder that a webhook takes for: a lease under a key; the UID comes when the object is stored. */
const lease = (name: string): NewHolder => leaseOf(name, 300_000, { key: `key of ${name}` });

interface Sample {
  readonly cpuUs: number;
  readonly p50Us: number;
}

// A transaction for each; the wait for the disk is left out, since it hides everything else.
function sampleOf(count: number, run: (index: number) => void): Sample {
  const walls: number[] = [];
  const cpu = cpuOf(() => {
    for (let index = 0; index < count; index++) {
      const start = process.hrtime.bigint();
      run(index);
      walls.push(Number(process.hrtime.bigint() - start) / 1000);
    }
  });
  return { cpuUs: cpu / count, p50Us: median(walls) };
}

/** The work of the product for one take; the index of free addresses was built in the warm-up. */
function product({ groups }: OpenFile, round: number): (index: number) => void {
  return (index) => {
    const ranges = (): typeof SPACE | undefined => (round === 0 && index === 0 ? SPACE : undefined);
    const { key, ...holder } = lease(`r${round}-${index}`);
    const want: Want = { family: 4, space: EIGHT, ...(key === undefined ? {} : { key }) };
    const request: TakeRequest = { network: 'default', pool: 'z', secret: SECRET, wants: [want], holder };
    groups.run([wireTake(request, { nowMs: NOW, ranges })]);
  };
}

/** Look up by key, insert both rows, no choice, no limits, no answer. */
function bare({ statements }: OpenFile, label: string, from: number): (index: number) => void {
  return (index) => {
    const holder = holderCells(lease(`${label}-${index}`), NOW + 300_000);
    const address = toColumn(addressNumber(from + index));
    statements.begin.run();
    statements.holderByKey.get(holder[6]);
    const inserted = statements.insertAddress.run('default', address, null, 4, 'z', 'k1:aa', 'shared', null, 1, 1);
    statements.insertService.run(from + index, Number(inserted.lastInsertRowid), 1, ...holder.slice(0, SERVICE_CELLS));
    statements.commit.run();
  };
}

// Rounds take turns, so that other work on the machine meets every variant.
function rowsAndBare(small: OpenFile, large: OpenFile, size: BenchSize) {
  const { takes: count, rounds } = SIZES[size];
  // far above the product's own addresses
  const high = 8_000_000;
  const samples = { small: [] as Sample[], large: [] as Sample[], bare: [] as Sample[] };
  for (let round = 0; round <= rounds; round++) {
    const found = {
      small: sampleOf(count, product(small, round)),
      large: sampleOf(count, product(large, round)),
      bare: sampleOf(count, bare(large, `b${round}`, high + round * count)),
    };
    if (round === 0) continue; // warm-up
    for (const name of ['small', 'large', 'bare'] as const) samples[name].push(found[name]);
  }
  return samples;
}

async function rows(size: BenchSize): Promise<BenchResult[]> {
  const [few, many] = SIZES[size].rows;
  return inFolder((folder) => {
    const [small, large] = [few, many].map((count) => {
      const path = join(folder, `${count}.sqlite`);
      seed(path, count);
      return openFile(path, 'NORMAL');
    }) as [OpenFile, OpenFile];
    const samples = rowsAndBare(small, large, size);
    small.db.close();
    large.db.close();
    const middle = (name: keyof typeof samples, of: keyof Sample): number =>
      median(samples[name].map((each) => each[of]));
    const growth = ratio(samples.large, samples.small, ({ p50Us }) => p50Us);
    const cost = ratio(samples.large, samples.bare, ({ cpuUs }) => cpuUs);
    return Promise.resolve([
      verdict({
        id: 'S1 allocate, 10 times the rows',
        measured: growth,
        gate: 1.3,
        better: 'lower',
        note: `${middle('small', 'p50Us').toFixed(0)} us at ${few}, ${middle('large', 'p50Us').toFixed(0)} us at ${many} rows (p50, no fsync)`,
      }),
      verdict({
        id: 'S1 allocate against a bare look-up and insert',
        measured: cost,
        gate: 1.6,
        better: 'lower',
        note: `${middle('large', 'cpuUs').toFixed(0)} against ${middle('bare', 'cpuUs').toFixed(0)} us CPU at ${many} rows`,
      }),
    ]);
  });
}

/** Middle of the ratios of each round: its two sides met the same load of the machine. */
function ratio<T>(above: readonly T[], below: readonly T[], of: (sample: T) => number): number {
  return median(above.map((sample, round) => of(sample) / of(below[round] ?? sample)));
}

function verdict(result: Omit<BenchResult, 'verdict'>): BenchResult {
  const passed = result.better === 'lower' ? result.measured <= result.gate : result.measured >= result.gate;
  return { ...result, verdict: passed ? 'pass' : 'fail' };
}

/** Takes per second when so many callers ask one after the other, as for Services whose names follow each other. */
async function rate(
  store: Claims,
  label: string,
  { callers, each }: { callers: number; each: number },
): Promise<number> {
  const space = spaceOf('10.0.0.0/8');
  const call = async (caller: number): Promise<void> => {
    for (let index = 0; index < each; index++) {
      await taken(store, '', { space, secret: SECRET, holder: lease(`${label}-${index}-${caller}`) });
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return (callers * each * 1000) / (performance.now() - start);
}

/** The worker as it ships, and one that does not wait for the disk: only the baseline may do that. */
function workers(folder: string): { readonly full: string; readonly normal: string } {
  const [full, normal] = [join(folder, 'full.js'), join(folder, 'normal.js')];
  const entry = join(__dirname, '../../operator/backends/sql/sqlite/sqlite-worker.ts');
  buildSync({ entryPoints: [entry], outfile: full, bundle: true, platform: 'node', target: 'node24', format: 'cjs' });
  const text = readFileSync(full, 'utf8');
  const without = text.replace('PRAGMA synchronous = FULL', 'PRAGMA synchronous = NORMAL');
  if (without === text) throw new RangeError('the worker sets no synchronous = FULL any more');
  writeFileSync(normal, without);
  return { full, normal };
}

async function groups(size: BenchSize): Promise<BenchResult[]> {
  return inFolder(async (folder) => {
    const { full, normal } = workers(folder);
    const rates = { one: [] as number[], many: [] as number[], normal: [] as number[] };
    const durable = await openSqliteStore({ path: join(folder, 'full.sqlite'), clock: SYSTEM_CLOCK, workerFile: full });
    const hasty = await openSqliteStore({
      path: join(folder, 'normal.sqlite'),
      clock: SYSTEM_CLOCK,
      workerFile: normal,
    });
    const { calls, rounds } = SIZES[size];
    for (let round = 0; round <= rounds; round++) {
      const one = await rate(durable, `one${round}`, { callers: 1, each: calls });
      const many = await rate(durable, `many${round}`, { callers: 32, each: calls });
      const unsafe = await rate(hasty, `hasty${round}`, { callers: 1, each: calls * 4 });
      if (round === 0) continue; // warm-up
      rates.one.push(one);
      rates.many.push(many);
      rates.normal.push(unsafe);
    }
    await durable.close();
    await hasty.close();
    const [one, many, unsafe] = [median(rates.one), median(rates.many), median(rates.normal)];
    const note = (other: number, name: string): string =>
      `${many.toFixed(0)} against ${other.toFixed(0)} takes/s ${name}`;
    const common = { better: 'higher' as const };
    return [
      verdict({
        ...common,
        id: 'S2 FULL, 32 callers against one by one',
        measured: many / one,
        gate: 8,
        note: note(one, 'FULL'),
      }),
      verdict({
        ...common,
        id: 'S2 FULL, 32 callers against NORMAL one by one',
        measured: ratio(rates.many, rates.normal, Number),
        gate: 1,
        note: note(unsafe, 'NORMAL'),
      }),
    ];
  });
}

/**
 * Runs S1 and S2.
 *
 * @param size - how large the files are and how many calls there are
 * @returns one result for each gate
 */
export async function bench(size: BenchSize): Promise<BenchResult[]> {
  return [...(await rows(size)), ...(await groups(size))];
}
