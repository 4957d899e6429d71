import type { FastifyInstance } from 'fastify';

import { EGRESS_WEBHOOK_PATHS } from '../../../contract/egress-webhooks';
import { addReviewRoute, readReviews } from '../../../reviews/review-routes';
import { checkEgressIpam } from './check-egress-ipam';
import { checkNamespace } from './check-namespace';
import type { EgressAdmissionParts } from './admission-parts';

/**
 * Opens the webhooks of the Egress door on a server: one for EgressIPAMs, and one for the Namespaces that opt in.
 *
 * @param app - the server; it owns TLS, keep-alive and shutdown
 * @param parts - state that reviews are judged by, rights of users, and telemetry
 */
export function registerEgressDoor(app: FastifyInstance, parts: EgressAdmissionParts): void {
  app.register((scope, _options, done) => {
    const { tools } = parts;
    readReviews(scope, tools);
    addReviewRoute(scope, tools, {
      path: EGRESS_WEBHOOK_PATHS.egressIpams,
      subject: 'change of an EgressIPAM',
      judge: (request) => Promise.resolve(checkEgressIpam(parts, request)),
    });
    addReviewRoute(scope, tools, {
      path: EGRESS_WEBHOOK_PATHS.namespaces,
      subject: 'egress annotation of a namespace',
      judge: (request) => checkNamespace(parts, request),
    });
    done();
  });
}
