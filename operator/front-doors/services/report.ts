import { isIpamError } from '../../errors/ipam-error';
import type { Logger } from '../../ports/logger';
import type { ServicesDoorParts } from './door';
import type { Review } from './review';
import type { Verdict } from './verdict';
import { catalogueRow } from '../../errors/catalogue';

/** What an answered review is reported by. */
export interface Answered {
  readonly path: string;
  readonly operation: string;
  readonly namespace: string;
  readonly name: string;
  readonly seconds: number;
}

/**
 * Counts and logs an answered review; never bodies, never annotations.
 *
 * @param parts - of the door
 * @param answered - which review, and how long it took
 * @param verdict - what was decided
 */
export function reportVerdict(
  { meter, logger }: Pick<ServicesDoorParts, 'meter' | 'logger'>,
  answered: Answered,
  verdict: Verdict,
): void {
  const { path, operation, namespace, name, seconds } = answered;
  const reason = verdict.allowed ? verdict.because : catalogueRow(verdict.refusals[0].code).reason;
  meter.observe('admission_duration_seconds', seconds, { path });
  meter.count('admission_requests_total', { path, operation, verdict: verdict.allowed ? 'allowed' : 'denied', reason });
  if (!verdict.allowed) {
    const { code, message } = verdict.refusals[0];
    meter.count('refusals_total', { reason });
    logger.warn('service denied', { namespace, name, code, problem: message });
    return;
  }
  const { zone, addresses, cause } = verdict;
  if (cause !== undefined) {
    meter.count('refusals_total', { reason: catalogueRow(cause.code).reason });
    logger.warn('service admitted without a new address', { namespace, name, code: cause.code });
  } else if (addresses !== undefined) {
    logger.info('service admitted', { namespace, name, zone, address: addresses });
  }
}

/**
 * Logs a fault of the program or the world; the text of foreign errors stays out, since it may quote an object.
 *
 * @param logger - where to
 * @param thrown - what was caught
 * @param where - whose review it was
 */
export function reportFault(
  logger: Logger,
  thrown: unknown,
  { namespace, service }: Pick<Review, 'namespace' | 'service'>,
): void {
  const ours = isIpamError(thrown);
  const frame = thrown instanceof Error && !ours ? (/\n\s+at (.*)/u.exec(thrown.stack ?? '')?.[1] ?? '') : undefined;
  logger.error('service could not be judged', {
    namespace,
    name: service.name,
    code: ours ? thrown.code : 'internal',
    error: thrown instanceof Error ? thrown.name : typeof thrown,
    ...(ours ? { message: thrown.message } : { at: frame }),
  });
}
