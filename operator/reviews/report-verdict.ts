import { catalogueRow, type ErrorCode } from '../errors/catalogue';
import { isIpamError } from '../errors/ipam-error';
import type { Refusal } from '../errors/outcome';
import { traceOf } from '../errors/trace';
import type { LogFields } from '../ports/logger';
import type { Tools } from '../ports/tools';
import type { Verdict } from './verdict';

/** An answered review, as it is reported. */
export interface Answered {
  readonly path: string;
  readonly operation: string;
  readonly namespace: string;
  readonly name: string;
  readonly seconds: number;
  /** True where nothing will be stored. */
  readonly dryRun: boolean;
  /** Subject of the log lines, for example `service`. */
  readonly subject: string;
}

/** Refusals that a dry run counts like a real call, since it is as good for guessing. */
const GUESSED: readonly ErrorCode[] = ['secret/wrong'];

/**
 * Counts and logs an answered review; never bodies, never annotations.
 *
 * @param tools - log and metrics
 * @param answered - which review, and how long it took
 * @param verdict - what was decided
 */
export function reportVerdict(
  { meter, logger }: Pick<Tools, 'meter' | 'logger'>,
  answered: Answered,
  verdict: Verdict,
): void {
  const { path, operation, namespace, name, seconds, dryRun, subject } = answered;
  const reason = verdict.allowed ? verdict.because : catalogueRow(verdict.refusals[0].code).reason;
  meter.observe('admission_duration_seconds', seconds, { path });
  const word = verdict.allowed ? 'allowed' : 'denied';
  meter.count('admission_requests_total', { path, operation, verdict: dryRun ? `dry-run-${word}` : word, reason });
  if (dryRun) {
    reportDryRun({ meter, logger }, answered, verdict);
    return;
  }
  if (!verdict.allowed) {
    const { code, message } = verdict.refusals[0];
    meter.count('refusals_total', { reason });
    logger.warn(`${subject} denied`, { namespace, name, code, problem: message });
    return;
  }
  const { zone, addresses, cause } = verdict;
  if (cause !== undefined) {
    meter.count('refusals_total', { reason: catalogueRow(cause.code).reason });
    logger.warn(`${subject} admitted without a new address`, { namespace, name, code: cause.code });
  } else if (addresses !== undefined) {
    logger.info(`${subject} admitted`, { namespace, name, zone, address: addresses });
  }
}

function reportDryRun(
  { meter, logger }: Pick<Tools, 'meter' | 'logger'>,
  { namespace, name }: Answered,
  verdict: Verdict,
): void {
  if (verdict.allowed) return;
  const { code, message } = verdict.refusals[0];
  if (GUESSED.includes(code)) meter.count('refusals_total', { reason: catalogueRow(code).reason });
  logger.info('dry run denied', { namespace, name, code, problem: message });
}

/** Operation of a review that was not read, in the metric. */
const UNREAD = 'UNREAD';

/**
 * Counts and logs a call of a webhook whose body was no review; the API server answers its user by the failure policy then.
 *
 * @param tools - log and metrics
 * @param answered - path of the route, and the HTTP status
 * @param refusal - what was wrong with the body
 */
export function reportUnread(
  { meter, logger }: Pick<Tools, 'meter' | 'logger'>,
  { path, status }: { readonly path: string; readonly status: number },
  { code, message: problem }: Refusal,
): void {
  const { reason } = catalogueRow(code);
  meter.count('admission_requests_total', { path, operation: UNREAD, verdict: 'denied', reason });
  meter.count('refusals_total', { reason });
  logger.warn('review refused unread', { path, status, code, problem });
}

/**
 * Describes a fault for the log; the text of foreign errors stays out, since it may quote an object.
 *
 * @param thrown - what was caught
 * @returns code and name of the error; the sentence of ours, the place where any other was thrown
 */
export function faultFields(thrown: unknown): LogFields {
  if (isIpamError(thrown)) return { code: thrown.code, error: thrown.name, problem: thrown.message };
  return { code: 'internal', error: thrown instanceof Error ? thrown.name : typeof thrown, trace: traceOf(thrown) };
}
