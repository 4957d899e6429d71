import { disagreementsWith, readCorpus } from '../support/address-corpus';
import { buildGoReference, startSampler, type GoReference, type Variant } from './codec/variant';
import type { BenchResult } from './result';

const INPUTS = 2048;

type Operation = 'parse' | 'format';
type Version = 'v4' | 'v6';

/** One gate of C1: `higher` is "how many times the CPU time of ours", `lower` is the reverse. */
interface Gate {
  readonly peer: 'ipaddr.js' | 'ip-address' | 'netip';
  readonly gate: number;
  readonly better: BenchResult['better'];
}

const atLeast = (peer: Gate['peer'], gate: number): Gate => ({ peer, gate, better: 'higher' });
const atMost = (peer: Gate['peer'], gate: number): Gate => ({ peer, gate, better: 'lower' });

const GATES: readonly { operation: Operation; version: Version; gates: readonly Gate[] }[] = [
  {
    operation: 'parse',
    version: 'v4',
    gates: [atLeast('ipaddr.js', 10), atLeast('ip-address', 8), atMost('netip', 2.2)],
  },
  {
    operation: 'parse',
    version: 'v6',
    gates: [atLeast('ipaddr.js', 10), atLeast('ip-address', 8), atMost('netip', 2.5)],
  },
  { operation: 'format', version: 'v4', gates: [atLeast('ipaddr.js', 1.5), atMost('netip', 2.2)] },
  { operation: 'format', version: 'v6', gates: [atLeast('ipaddr.js', 3), atMost('netip', 2.5)] },
];

/** The same pseudo-random 32-bit numbers in every run (xorshift). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

function textsOf(version: Version): readonly string[] {
  const next = numbers(2_463_534_242);
  const group = (): string => (next() & 0xffff).toString(16);
  const write4 = (): string => Array.from({ length: 4 }, () => next() & 255).join('.');
  // half of them as a /64 hands them out, half without any zero group
  const write6 = (_: unknown, index: number): string =>
    index % 2 === 0 ? `2001:db8::${group()}:${group()}` : Array.from({ length: 8 }, group).join(':');
  return Array.from({ length: INPUTS }, version === 'v4' ? write4 : write6);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Samples all variants in turn, so that a disturbance of the machine meets all of them. */
async function interleave(variants: ReadonlyMap<string, Variant>, rounds: number): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>();
  for (const name of variants.keys()) samples.set(name, []);
  for (let round = 0; round < rounds; round++) {
    for (const [name, variant] of variants) samples.get(name)?.push(await variant.sample());
  }
  return samples;
}

function judge(id: string, { gate, better }: Gate, [ours, theirs]: readonly [number[], number[]]): BenchResult {
  const ratios = ours.map((nanoseconds, round) => {
    const ratio = (theirs[round] ?? Number.NaN) / nanoseconds;
    return better === 'higher' ? ratio : 1 / ratio;
  });
  const measured = median(ratios);
  const passes = better === 'higher' ? measured >= gate : measured <= gate;
  const note = `ours ${median(ours).toFixed(0)} ns, theirs ${median(theirs).toFixed(0)} ns of CPU time per address`;
  return { id, measured, gate, better, verdict: passes ? 'pass' : 'fail', note };
}

async function measure(
  { operation, version, gates }: (typeof GATES)[number],
  go: GoReference | undefined,
  rounds: number,
): Promise<readonly BenchResult[]> {
  const texts = textsOf(version);
  const variants = new Map([['ours', startSampler('ours', operation, texts)]]);
  for (const { peer } of gates) {
    const variant = peer === 'netip' ? go?.start(operation, texts) : startSampler(peer, operation, texts);
    if (variant !== undefined) variants.set(peer, variant);
  }
  try {
    const samples = await interleave(variants, rounds);
    return gates.map((gate) => {
      const id = `C1 ${operation} ${version} vs ${gate.peer}`;
      const [ours, theirs] = [samples.get('ours'), samples.get(gate.peer)];
      if (ours !== undefined && theirs !== undefined) return judge(id, gate, [ours, theirs]);
      return { id, measured: 0, gate: gate.gate, better: gate.better, verdict: 'skipped', note: 'Go is not installed' };
    });
  } finally {
    for (const variant of variants.values()) variant.stop();
  }
}

function correctness(): BenchResult {
  const corpus = readCorpus();
  const measured = disagreementsWith(corpus).length;
  const id = 'C2 disagreements with net/netip';
  const note = `${String(corpus.length)} frozen inputs, zones refused`;
  return { id, measured, gate: 0, better: 'lower', verdict: measured === 0 ? 'pass' : 'fail', note };
}

/** Gates C1 (CPU time of the public `parseAddress` and `toString`) and C2 (agreement with the frozen corpus). */
export async function bench(quick: boolean): Promise<BenchResult[]> {
  const results = [correctness()];
  const go = buildGoReference();
  try {
    for (const row of GATES) results.push(...(await measure(row, go, quick ? 3 : 9)));
  } finally {
    go?.remove();
  }
  return results;
}
