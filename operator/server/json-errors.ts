import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer } from '../contract/ipam-api/error-answer';
import type { ErrorCode } from '../errors/catalogue';
import { isIpamError, refusalOf } from '../errors/ipam-error';
import type { Refusal } from '../errors/outcome';
import type { Logger } from '../ports/logger';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
/** Most characters of a path that an answer repeats. */
const MAX_PATH_CHARACTERS = 200;

const NOT_JSON: Refusal = { code: 'api/malformed', message: 'the body is not valid JSON; send one JSON object' };
/**
 * What is said of fastify's own errors. Their texts are never passed on: the JSON parser quotes the body, which holds a
 * secret.
 */
const FASTIFY_ERRORS: Readonly<Record<string, Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'api/too-large', message: 'the body is larger than this path takes' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'api/unsupported-media-type',
    message: 'the body is not announced as JSON; send the header "content-type: application/json"',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'api/malformed', message: 'the body is empty; send one JSON object' },
  FST_ERR_CTP_INVALID_JSON_BODY: NOT_JSON,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'api/malformed',
    message: 'the body has another length than the header "content-length" says',
  },
  FST_ERR_BAD_URL: { code: 'api/malformed', message: 'the path is not a valid URL' },
};

/**
 * Sends a refusal as JSON.
 *
 * @param reply - reply that has not been sent
 * @param refusal - what was refused and why
 * @returns the reply, for handlers to return
 */
function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const answer = errorAnswer(refusal);
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
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
    const refusal = refusalOfError(error);
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
  void sendRefusal(reply, refusalOfError(error));
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
  const { status, body } = errorAnswer(refusalOfParser(error.code));
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'content-type: application/json; charset=utf-8',
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

function refusalOfError(error: FastifyError): Refusal {
  if (isIpamError(error)) return refusalOf(error);
  const known = FASTIFY_ERRORS[error.code];
  if (known !== undefined) return known;
  const status = error.statusCode ?? 500;
  // The JSON parser's own error has a status and no code.
  return status >= 400 && status < 500 ? NOT_JSON : refusalOf(error);
}

// Frames without the first line: the message of a foreign error could hold a secret.
function traceOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames.map((line) => line.trim()).join(' < ');
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
