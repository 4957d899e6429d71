import type { FastifyError, FastifyInstance } from 'fastify';

import { parseAdmissionReview, reviewAnswer, type AdmissionRequest } from '../../contract/admission-review';
import { WEBHOOK_PATHS } from '../../contract/group';
import { refusalOf } from '../../errors/ipam-error';
import type { Logger } from '../../ports/logger';
import { admitService } from './admit';
import { checkService } from './admit-check';
import type { ServicesDoorParts } from './door';
import { reportVerdict } from './report';
import { deny, responseOf, type Verdict } from './verdict';

/** A review carries the object twice, and an object may have 1.5 MiB in the store; more in transit. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

const JSON_TYPE = 'application/json; charset=utf-8';

type Judge = (request: AdmissionRequest) => Promise<Verdict>;

/**
 * Adds the two webhook routes.
 *
 * @param app - an encapsulated instance
 * @param parts - of the door
 */
export function addWebhookRoutes(app: FastifyInstance, parts: ServicesDoorParts): void {
  readReviews(app, parts.logger);
  addReviewRoute(app, parts, { path: WEBHOOK_PATHS.mutate, judge: (request) => admitService(parts, request) });
  addReviewRoute(app, parts, { path: WEBHOOK_PATHS.validate, judge: (request) => checkService(parts, request) });
}

/**
 * Makes an instance take reviews as bodies, and answer those that are none.
 *
 * @param app - an encapsulated instance
 * @param logger - gets faults of the program
 */
export function readReviews(app: FastifyInstance, logger: Logger): void {
  // keys such as "constructor" are legal in an object, so the body is read without the guard against them
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES }, (_request, body, done) => {
    try {
      done(null, JSON.parse((body as Buffer).toString('utf8')));
    } catch {
      done(Object.assign(new SyntaxError('the body is not JSON'), { statusCode: 400 }));
    }
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    const known = status === 400 || status === 413;
    const code = status === 413 ? 'api/too-large' : status === 400 ? 'api/malformed' : 'internal';
    const message = status === 413 ? `the body is larger than ${BODY_LIMIT_BYTES} bytes` : 'the body is not JSON';
    if (!known) logger.error('review not answered', { code: 'internal', error: error.name });
    return reply
      .code(known ? status : 500)
      .send({ code, message: known ? message : 'internal error; see the log of the operator' });
  });
}

/**
 * Adds a route that answers reviews. It has no schema: one on the request would coerce or drop fields of the object, one on
 * the response would drop the patch.
 *
 * @param app - an instance after {@link readReviews}
 * @param parts - of the door
 * @param route - where, and who decides
 */
export function addReviewRoute(
  app: FastifyInstance,
  parts: Pick<ServicesDoorParts, 'clock' | 'meter' | 'logger' | 'admitted'>,
  { path, judge }: { readonly path: string; readonly judge: Judge },
): void {
  app.post(path, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    const startMs = parts.clock.nowMs();
    const review = parseAdmissionReview(request.body);
    if (!review.ok) return reply.code(400).send(review.refusal);
    const { uid, operation, namespace, name } = review.value;
    const verdict = await judgeSafely(parts.logger, review.value, judge);
    const seconds = (parts.clock.nowMs() - startMs) / 1000;
    reportVerdict(parts, { path, operation, namespace, name, seconds }, verdict);
    const final = path === WEBHOOK_PATHS.validate && verdict.allowed && !review.value.dryRun;
    if (final) await parts.admitted?.(review.value);
    // as text, so that fastify has nothing left to serialise
    return reply.type(JSON_TYPE).send(JSON.stringify(reviewAnswer(responseOf(uid, verdict))));
  });
}

async function judgeSafely(logger: Logger, request: AdmissionRequest, judge: Judge): Promise<Verdict> {
  try {
    return await judge(request);
  } catch (thrown) {
    logger.error('review failed', { namespace: request.namespace, name: request.name, code: 'internal' });
    return deny(refusalOf(thrown));
  }
}
