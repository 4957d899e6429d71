import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, refusalOfHttp } from '../contract/ipam-api/error-answer';
import { problemOf, PROBLEM_TYPE, sendProblem } from '../contract/ipam-api/v3/problem';
import { catalogueRow, type ErrorCode } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';
import { traceOf } from '../errors/trace';
import type { Tools } from '../ports/tools';
import { KnownPaths } from './known-paths';

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
 * Makes every error of an instance JSON: unknown paths (404), known paths with another method (405 with `allow`),
 * unusable bodies, and whatever a handler throws.
 *
 * @param app - instance without routes so far
 * @param tools - log and metrics of what was refused; never a text that a caller sent
 */
export function useJsonErrors(app: FastifyInstance, tools: Pick<Tools, 'logger' | 'meter'>): void {
  const paths = new KnownPaths(app);
  const sendNoRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { refusal, allow } = noRoute(paths, request);
    countRefusal(tools, refusal);
    return sendRefusal(allow === undefined ? reply : reply.header('allow', allow), refusal);
  };
  // Before the body is read, since it does not matter to the answer.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendNoRoute(request, reply);
    else done();
  });
  app.setNotFoundHandler(sendNoRoute);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOfHttp(error);
    report(tools, { request, error }, refusal);
    return sendRefusal(reply, refusal);
  });
}

function countRefusal({ meter }: Pick<Tools, 'meter'>, { code }: Refusal): void {
  meter.count('refusals_total', { reason: catalogueRow(code).reason });
}

function report(
  { logger, meter }: Pick<Tools, 'logger' | 'meter'>,
  { request, error }: { readonly request: FastifyRequest; readonly error: Error },
  refusal: Refusal,
): void {
  countRefusal({ meter }, refusal);
  const { code } = refusal;
  const { http: status } = catalogueRow(code);
  const about = { method: request.method, route: request.routeOptions.url };
  if (code === 'internal') {
    const fields = { ...about, error: error.name, trace: traceOf(error) };
    logger.error('request failed by a fault of the program', fields);
  } else if (status >= 500) logger.warn('request failed', { ...about, status, code });
  else logger.info('request refused', { ...about, status, code });
}

/** Answers of a server to what reaches no hook of its instance. */
export interface EarlyAnswers {
  /** Answers errors that fastify meets before any hook, such as a path that cannot be decoded. */
  readonly frameworkErrors: (error: FastifyError, request: unknown, reply: FastifyReply) => void;
  /** Answers bytes that are no HTTP request, or come too slowly, then closes the connection. */
  readonly clientErrorHandler: (error: Error & { readonly code?: string }, socket: Socket) => void;
}

/**
 * Makes the answers of a server to what reaches no hook.
 *
 * @param tools - metrics of what is refused
 * @returns the two handlers that fastify takes
 */
export function earlyAnswers(tools: Pick<Tools, 'meter'>): EarlyAnswers {
  return {
    frameworkErrors: (error, _request, reply) => {
      const refusal = refusalOfHttp(error);
      countRefusal(tools, refusal);
      void sendRefusal(reply, refusal);
    },
    clientErrorHandler: ({ code }, socket) => {
      if (code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
      }
      const refusal = refusalOfParser(code);
      countRefusal(tools, refusal);
      answerBytes(socket, refusal);
    },
  };
}

function answerBytes(socket: Socket, refusal: Refusal): void {
  // the parser keeps no path, so the answer is problem details for `/v3`, with the member that the other paths have beside it
  const { status, body } = problemOf(refusal);
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

function noRoute(paths: KnownPaths, request: FastifyRequest): { readonly refusal: Refusal; readonly allow?: string } {
  const path = request.url.split('?', 1)[0] ?? '';
  const shown = `"${path.slice(0, MAX_PATH_CHARACTERS)}"`;
  const known = paths.methodsOf(path);
  const allowed = METHODS.filter((method) => known.has(method));
  if (allowed.length === 0) return { refusal: notFound(`path ${shown} does not exist here`) };
  const code: ErrorCode = 'api/method-not-allowed';
  const message = `path ${shown} does not take ${request.method}; it takes ${allowed.join(', ')}`;
  return { refusal: { code, message }, allow: allowed.join(', ') };
}

function notFound(message: string): Refusal {
  return { code: 'api/not-found', message };
}
