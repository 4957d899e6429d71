import type { FastifyInstance } from 'fastify';

import { WEBHOOK_PATHS } from '../../../contract/group';
import { addReviewRoute, readReviews } from '../../../reviews/review-routes';
import { admitService } from './admit';
import { checkService } from './admit-check';
import { checkPool } from '../pools/check-pool';
import type { ServicesDoorParts } from '../wanted/door-parts';

/**
 * Adds the webhook routes: two for Services, and one for the pools of MetalLB.
 *
 * @param app - an encapsulated instance
 * @param parts - of the door
 */
export function addWebhookRoutes(app: FastifyInstance, parts: ServicesDoorParts): void {
  readReviews(app, parts);
  addReviewRoute(app, parts, {
    path: WEBHOOK_PATHS.mutate,
    subject: 'service',
    judge: (request) => admitService(parts, request),
  });
  addReviewRoute(app, parts, {
    path: WEBHOOK_PATHS.validate,
    subject: 'service',
    judge: (request) => checkService(parts, request),
    onAllowed: parts.admitted,
  });
  const { holders } = parts;
  if (holders === undefined) return;
  const withHolders = { ...parts, holders };
  addReviewRoute(app, parts, {
    path: WEBHOOK_PATHS.pools,
    subject: 'change of a pool',
    judge: (request) => checkPool(withHolders, request),
  });
}
