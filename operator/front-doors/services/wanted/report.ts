import type { Logger } from '../../../ports/logger';
import { faultFields } from '../../../reviews/report-verdict';
import type { Review } from './review';

/**
 * Logs a fault of the program or the world.
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
  logger.error('service could not be judged', { namespace, name: service.name, ...faultFields(thrown) });
}
