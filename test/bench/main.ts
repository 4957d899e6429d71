/**
 * Runs the benches and checks their gates: `npm run bench [-- --quick] [-- name …]`, names as in {@link SUITES} and
 * {@link BY_NAME_ONLY}. With `--tiny` those of {@link TINY} run over a handful of rows, for a test; their figures mean nothing.
 * Prints one table, appends one JSON line a result to `test/bench/results.jsonl`, ends non-zero when a gate fails twice.
 */
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bench as address } from './address';
import { bench as allocations } from './allocations';
import { bench as cluster } from './cluster';
import { bench as codec } from './codec';
import { bench as egress } from './egress';
import { bench as heldSpace } from './held-space';
import { bench as informer } from './informer';
import { bench as lpm } from './lpm';
import { bench as networks } from './networks';
import { bench as peers } from './peers';
import { bench as postgres } from './postgres';
import { bench as prefix } from './prefix';
import { bench as pulumi } from './pulumi';
import { bench as rest } from './rest';
import { bench as restore } from './restore';
import { bench as sqlite } from './sqlite';
import { bench as start } from './start';
import { bench as synth } from './synth';
import { bench as vips } from './vips';
import { bench as webhook } from './webhook';
import type { BenchResult, BenchSize } from './result';

type Bench = (quick: boolean) => Promise<readonly BenchResult[]>;
type SizedBench = (size: BenchSize) => Promise<readonly BenchResult[]>;

const sized =
  (bench: SizedBench): Bench =>
  (quick) =>
    bench(quick ? 'quick' : 'full');

const SUITES: Readonly<Record<string, Bench>> = {
  codec,
  address,
  prefix,
  lpm,
  peers,
  'held-space': heldSpace,
  networks: sized(networks),
  sqlite: sized(sqlite),
  postgres: sized(postgres),
  restore: sized(restore),
  informer,
  rest,
  synth,
  pulumi,
  start,
  webhook,
};

/** They take minutes and need the programs of `npm run test:cluster`. */
const BY_NAME_ONLY: Readonly<Record<string, Bench>> = {
  cluster,
  vips: sized(vips),
  allocations: sized(allocations),
  egress: sized(egress),
};

const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function print(results: readonly BenchResult[]): void {
  for (const each of results) {
    const gate = Number.isNaN(each.gate) ? '' : `${each.better === 'higher' ? '≥' : '≤'} ${number(each.gate)}`;
    console.log(
      [
        each.verdict.padEnd(8),
        each.id.padEnd(58),
        number(each.measured).padStart(9),
        gate.padStart(9),
        each.note ?? '',
      ].join('  '),
    );
  }
}

/** Suites that can run in a second or two. */
const TINY: Readonly<Record<string, SizedBench>> = { sqlite, postgres, restore, networks };

/** Suites of {@link BY_NAME_ONLY} that can run in half a minute. */
const TINY_BY_NAME_ONLY: Readonly<Record<string, SizedBench>> = { vips, allocations, egress };

async function runTiny(names: readonly string[]): Promise<void> {
  const known = { ...TINY, ...TINY_BY_NAME_ONLY };
  for (const name of names.length === 0 ? Object.keys(TINY) : names) {
    const bench = known[name];
    if (bench !== undefined) print(await bench('tiny'));
  }
}

/** Runs one suite; a failed gate gets one retry, since other work on the machine can spoil a run. */
async function runSuite(
  bench: Bench,
  { name, quick }: { name: string; quick: boolean },
): Promise<readonly BenchResult[]> {
  const first = await bench(quick);
  if (first.every((each) => each.verdict !== 'fail')) return first;
  console.log(`${name}: a gate failed, running once more`);
  const second = await bench(quick);
  return first.map((each) => (each.verdict === 'fail' ? (second.find((again) => again.id === each.id) ?? each) : each));
}

/** Before anything runs, so that a wrong word costs nothing. */
function suitesOf(named: readonly string[]): readonly (readonly [string, Bench])[] {
  const known = { ...SUITES, ...BY_NAME_ONLY };
  return (named.length > 0 ? named : Object.keys(SUITES)).map((name) => {
    const bench = known[name];
    if (bench === undefined) throw new RangeError(`no bench "${name}"; there are ${Object.keys(known).join(', ')}`);
    return [name, bench];
  });
}

async function main(words: readonly string[]): Promise<void> {
  const options = { quick: { type: 'boolean', default: false }, tiny: { type: 'boolean', default: false } } as const;
  const { values, positionals: named } = parseArgs({ args: [...words], options, allowPositionals: true });
  const { quick } = values;
  const suites = suitesOf(named);
  if (values.tiny) {
    await runTiny(named);
    return;
  }
  const all: BenchResult[] = [];
  for (const [name, bench] of suites) {
    const results = await runSuite(bench, { name, quick });
    print(results);
    all.push(...results);
  }
  const lines = all.map((each) => JSON.stringify({ ...each, quick, load: loadavg()[0] }));
  appendFileSync(join(__dirname, 'results.jsonl'), `${lines.join('\n')}\n`);
  const count = (verdict: BenchResult['verdict']): number => all.filter((each) => each.verdict === verdict).length;
  console.log(`${count('pass')} gates passed, ${count('fail')} failed, ${count('skipped')} skipped`);
  if (count('fail') > 0) process.exitCode = 1;
}

void main(process.argv.slice(2));
