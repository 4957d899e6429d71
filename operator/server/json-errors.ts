import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, refusalOfHttp } from '../contract/ipam-api/error-answer';
import { problemOf, PROBLEM_TYPE } from '../contract/ipam-api/v3/problem';
import type { ErrorCode } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';
import { traceOf } from '../errors/trace';
import type { Logger } from '../ports/logger';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
/** Most characters of a path that an answer repeats. */
const MAX_PATH_CHARACTERS = 200;

/**
 * Sends a refusal as JSON, under `/v3` as problem details.
 *
 * @param reply - reply that has not been sent
 * @param refusal - what was refused and why
 * @returns the reply, for handlers to return
 */
function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (reply.request.url.startsWith('/v3/')) return sendProblem(reply, refusal);
  const answer = errorAnswer(refusal);
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}

/**
 * Sends a refusal as problem details (RFC 9457).
 *
 * @param reply - reply that has not been sent
 * @param refusal - what was refused and why
 * @returns the reply, for handlers to return
 */
function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, headers, body } = problemOf(refusal);
  return reply.code(status).headers(headers).type(PROBLEM_TYPE).send(JSON.stringify(body));
}

/**
 * Makes every error of an instance JSON: unknown paths (404), known paths with another method (405 with `allow`),
 * unusable bodies, and whatever a handler throws.
 *
 * @param app - instance without routes so far
 * @param logger - gets faults of the program, without their text
 */
export function useJsonErrors(app: FastifyInstance, logger: Logger): void {
  // Before the body is read, since it does not matter to the answer.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendNoRoute(app, request, reply);
    else done();
  });
  app.setNotFoundHandler((request, reply) => sendNoRoute(app, request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOfHttp(error);
    if (refusal.code === 'internal') {
      logger.error('request failed by a fault of the program', {
        method: request.method,
        route: request.routeOptions.url,
        error: error.name,
        trace: traceOf(error),
      });
    }
    return sendRefusal(reply, refusal);
  });
}

/**
 * Answers errors that fastify meets before any hook, such as a path that cannot be decoded.
 *
 * @param error - fastify's error
 * @param _request - not needed
 * @param reply - reply that has not been sent
 */
export function answerFrameworkError(error: FastifyError, _request: unknown, reply: FastifyReply): void {
  void sendRefusal(reply, refusalOfHttp(error));
}

/**
 * Answers bytes that are no HTTP request, or come too slowly, then closes the connection.
 *
 * @param error - error of Node's HTTP parser
 * @param socket - the connection
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // the parser keeps no path, so the answer is problem details for `/v3`, with the member that the other paths have beside it
  const { status, body } = problemOf(refusalOfParser(error.code));
  const text = JSON.stringify({ ...body, message: body.detail });
  const head = [
    `HTTP/1.1 ${status} Refused`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

function refusalOfParser(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { code: 'api/timeout', message: 'the request did not arrive in time' };
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { code: 'api/headers-too-large', message: 'the header of the request is larger than the limit' };
  }
  return { code: 'api/malformed', message: 'the bytes received are not an HTTP/1.1 request' };
}

function sendNoRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const shown = `"${path.slice(0, MAX_PATH_CHARACTERS)}"`;
  const allowed = METHODS.filter((method) => app.hasRoute({ url: path, method }));
  if (allowed.length === 0) return sendRefusal(reply, notFound(`path ${shown} does not exist here`));
  const code: ErrorCode = 'api/method-not-allowed';
  const message = `path ${shown} does not take ${request.method}; it takes ${allowed.join(', ')}`;
  return sendRefusal(reply.header('allow', allowed.join(', ')), { code, message });
}

function notFound(message: string): Refusal {
  return { code: 'api/not-found', message };
}
