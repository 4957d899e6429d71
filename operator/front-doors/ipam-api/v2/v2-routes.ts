import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer } from '../../../contract/ipam-api/error-answer';
import {
  IPAM_API_BODY_BYTES,
  V2_PATHS,
  parseRegisterBody,
  parseReleaseBody,
  type V2Answer,
} from '../../../contract/ipam-api/v2';
import { catalogueRow } from '../../../errors/catalogue';
import type { Outcome, Refusal } from '../../../errors/outcome';
import type { Bindings, Releases, Reservations } from '../../../ports/address-book';
import type { Tools } from '../../../ports/tools';
import { ANY_TYPE, readJsonBodies } from '../shared/json-bodies';
import { withDeadline } from '../shared/request-deadline';
import { registerIntent, releaseIntent } from './v2-request';
import { register, release } from './register-address';

/** Record, time limit and openness of version 2. */
export interface IpamApiParts extends Tools {
  readonly book: Reservations & Bindings & Releases;
  /** Seconds after which a request is answered by 503. */
  readonly deadlineSeconds: number;
  /** False: every call of version 2 gets 401, since version 2 has no login. */
  readonly allowAnonymousV2: boolean;
}

type Operation = (body: unknown) => Promise<Outcome<V2Answer>>;

const NOT_ALLOWED: Refusal = {
  code: 'api/anonymous',
  message:
    'version 2 of the IPAM-API knows no login and is not open here; its operator opens it with --allow-anonymous-v2 (IPAM_ALLOW_ANONYMOUS_V2=true)',
};

/**
 * Adds the routes of version 2. Bodies are never logged, in no case.
 *
 * @param app - instance whose own errors are JSON already
 * @param parts - book, clock, logger, meter, limits
 */
export function addV2Routes(app: FastifyInstance, parts: IpamApiParts): void {
  const { book } = parts;
  const registering: Operation = async (body) => {
    const intent = parsed(parseRegisterBody(body), registerIntent);
    return intent.ok ? register(book, intent.value) : intent;
  };
  const releasing: Operation = async (body) => {
    const request = parsed(parseReleaseBody(body), releaseIntent);
    return request.ok ? release(book, request.value) : request;
  };
  // a scope of its own: other paths read a body only where it is called JSON
  void app.register((scope, _options, done) => {
    scope.removeContentTypeParser('text/plain');
    readJsonBodies(scope, ANY_TYPE);
    addRoute(scope, parts, { method: 'POST', url: V2_PATHS.address, operation: registering });
    addRoute(scope, parts, { method: 'POST', url: V2_PATHS.root, operation: registering });
    addRoute(scope, parts, { method: 'DELETE', url: V2_PATHS.service, operation: releasing });
    addRoute(scope, parts, { method: 'DELETE', url: V2_PATHS.root, operation: releasing });
    done();
  });
}

function parsed<B, I>(body: Outcome<B>, intent: (body: B) => Outcome<I>): Outcome<I> {
  return body.ok ? intent(body.value) : body;
}

interface Route {
  readonly method: 'POST' | 'DELETE';
  readonly url: string;
  readonly operation: Operation;
}

function addRoute(app: FastifyInstance, parts: IpamApiParts, { method, url, operation }: Route): void {
  app.route({
    method,
    url,
    bodyLimit: IPAM_API_BODY_BYTES,
    // Before the body is read: a caller without the right need not send it.
    onRequest: async (request, reply) => {
      if (!parts.allowAnonymousV2) await sendRefused(parts, { request, reply }, NOT_ALLOWED);
    },
    handler: async (request, reply) => {
      const outcome = await withDeadline(parts, () => operation(request.body));
      if (!outcome.ok) return sendRefused(parts, { request, reply }, outcome.refusal);
      return reply.send(outcome.value);
    },
    onResponse: (request, reply, done) => {
      const labels = { route: url, method: request.method };
      parts.meter.count('api_requests_total', { ...labels, status: String(reply.statusCode) });
      parts.meter.observe('api_duration_seconds', reply.elapsedTime / 1_000, labels);
      done();
    },
  });
}

function sendRefused(
  { logger, meter }: IpamApiParts,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  refusal: Refusal,
): FastifyReply {
  const { status, headers, body } = errorAnswer(refusal);
  meter.count('refusals_total', { reason: catalogueRow(refusal.code).reason });
  const fields = { method: request.method, route: request.routeOptions.url, status, code: refusal.code };
  if (status >= 500) logger.warn('IPAM-API request failed', fields);
  else logger.info('IPAM-API request refused', fields);
  return reply.code(status).headers(headers).send(body);
}
