import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** One admission, as its caller saw it. */
export interface Admission {
  /** When it was sent, milliseconds since 1970. */
  readonly atMs: number;
  readonly ms: number;
  /** True where the answer brought an address. */
  readonly ok: boolean;
}

/** Cost of admissions while a resync runs, and in the same run while none does. */
export interface BesideResync {
  readonly during: Percentiles;
  readonly without: Percentiles;
  readonly failed: number;
  readonly resyncs: number;
}

/** Latencies of some admissions, in milliseconds. */
interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** Below what a replica is sized for, so that nothing but the resync makes a call wait. */
const PER_SECOND = 40;
/** A comparison follows the last page of its list; afterwards nothing is left to do for so long. */
const COMPARISON_MS = 2_000;
const QUIET_MS = 3_000;

/** Sends admissions for so many seconds to a webhook, and tells those beside a resync from the others. */
export async function admitBesideResync(
  port: number,
  seconds: number,
  pagesMs: readonly number[],
): Promise<BesideResync> {
  const words = ['--import', 'tsx', join(__dirname, 'admissions.ts'), ...[port, PER_SECOND, seconds].map(String)];
  const caller = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await Promise.all([text(caller.stdout), once(caller, 'close')]);
  const admissions = JSON.parse(said) as readonly Admission[];
  const [from = 0, to = 0] = [admissions[0]?.atMs, admissions.at(-1)?.atMs];
  const begins = pagesMs.filter((at, i) => i === 0 || at - (pagesMs[i - 1] ?? 0) > QUIET_MS);
  return {
    during: percentiles(admissions.filter((each) => pagesMs.some((page) => overlaps(each, page, COMPARISON_MS)))),
    without: percentiles(admissions.filter((each) => !pagesMs.some((page) => overlaps(each, page, QUIET_MS)))),
    failed: admissions.filter(({ ok }) => !ok).length,
    resyncs: begins.filter((at) => at >= from && at <= to).length,
  };
}

function overlaps({ atMs, ms }: Admission, pageMs: number, afterMs: number): boolean {
  return atMs + ms >= pageMs && atMs <= pageMs + afterMs;
}

function percentiles(admissions: readonly Admission[]): Percentiles {
  const sorted = admissions.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}
