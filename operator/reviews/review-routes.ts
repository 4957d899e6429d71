import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { parseAdmissionReview, reviewAnswer, type AdmissionRequest } from '../contract/admission-review';
import { ADMISSION_BODY_BYTES } from '../contract/group';
import { errorAnswer, refusalOfHttp } from '../contract/ipam-api/error-answer';
import { isParsedAtOnce, parseJson } from '../contract/json-slices';
import { MAX_NAME_LENGTH } from '../contract/vocabulary';
import { isIpamError, refusalOf } from '../errors/ipam-error';
import type { Refusal } from '../errors/outcome';
import type { Logger } from '../ports/logger';
import type { Tools } from '../ports/tools';
import { faultFields, reportUnread, reportVerdict } from './report-verdict';
import { deny, responseOf, type Verdict } from './verdict';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Every type is read; fastify remembers the parser of those that have a name only, and the API server sends this one. */
const READ_TYPES = ['application/json', '*'];

type Judge = (request: AdmissionRequest) => Promise<Verdict>;

/** One webhook: path and decision. */
export interface ReviewRoute {
  readonly path: string;
  /** Subject of the log lines, for example `service`. */
  readonly subject: string;
  readonly judge: Judge;
  /** Called after a review was allowed that is no dry run; absent: nothing follows. */
  readonly onAllowed?: ((request: AdmissionRequest) => Promise<void>) | undefined;
}

/**
 * Makes an instance take reviews as bodies, and answer those that are none.
 *
 * @param app - an encapsulated instance
 * @param tools - log and metrics of what is no review
 */
export function readReviews(app: FastifyInstance, tools: Pick<Tools, 'logger' | 'meter'>): void {
  // keys such as "constructor" are legal in an object, so the body is read without the guard against them
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    READ_TYPES,
    { parseAs: 'buffer', bodyLimit: ADMISSION_BODY_BYTES },
    (_request, body, done) => {
      parseReview(body as Buffer, done);
    },
  );
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOfHttp(error);
    if (refusal.code === 'internal') tools.logger.error('review not answered', faultFields(error));
    return sendUnread(tools, { request, reply }, refusal);
  });
}

// Nearly every review is small; a promise for each would cost turns of the microtask queue.
function parseReview(bytes: Buffer, done: (error: Error | null, review?: unknown) => void): void {
  const refuse = (error: unknown): void => {
    done(isIpamError(error) ? error : Object.assign(new SyntaxError('the body is not JSON'), { statusCode: 400 }));
  };
  if (!isParsedAtOnce(bytes)) {
    parseJson(bytes).then((review) => {
      done(null, review);
    }, refuse);
    return;
  }
  let review: unknown;
  try {
    review = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    refuse(error);
    return;
  }
  done(null, review);
}

function sendUnread(
  tools: Pick<Tools, 'logger' | 'meter'>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  refusal: Refusal,
): FastifyReply {
  const { status, headers, body } = errorAnswer(refusal);
  reportUnread(tools, { path: request.routeOptions.url ?? '', status }, refusal);
  return reply.code(status).headers(headers).send(body);
}

/**
 * Adds a route that answers reviews. It has no schema: one on the request would coerce or drop fields of the object, one on
 * the response would drop the patch.
 *
 * @param app - an instance after {@link readReviews}
 * @param tools - clock, log and metrics
 * @param route - path and decision
 */
export function addReviewRoute(
  app: FastifyInstance,
  tools: Tools,
  { path, subject, judge, onAllowed }: ReviewRoute,
): void {
  app.post(path, { bodyLimit: ADMISSION_BODY_BYTES }, async (request, reply) => {
    const startMs = tools.clock.nowMs();
    const review = parseAdmissionReview(request.body);
    if (!review.ok) return sendUnread(tools, { request, reply }, review.refusal);
    const { uid, operation, namespace, dryRun } = review.value;
    // admission comes before the API server's own look at the name, which is for the log here
    const name = review.value.name.slice(0, MAX_NAME_LENGTH);
    const verdict = await judgeSafely(tools.logger, review.value, judge);
    const seconds = (tools.clock.nowMs() - startMs) / 1000;
    reportVerdict(tools, { path, operation, namespace, name, seconds, dryRun, subject }, verdict);
    if (verdict.allowed && !dryRun) await onAllowed?.(review.value);
    // as text, so that fastify has nothing left to serialise
    return reply.type(JSON_TYPE).send(JSON.stringify(reviewAnswer(responseOf(uid, verdict))));
  });
}

async function judgeSafely(logger: Logger, request: AdmissionRequest, judge: Judge): Promise<Verdict> {
  try {
    return await judge(request);
  } catch (thrown) {
    logger.error('review failed', { namespace: request.namespace, name: request.name, ...faultFields(thrown) });
    return deny(refusalOf(thrown));
  }
}
