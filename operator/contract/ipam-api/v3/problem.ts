import { catalogueRow, isErrorCode } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import { errorAnswer } from '../error-answer';
import type { Problem } from './problem-schema';

/** Media type of problem details (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';
/** How the URI of every kind of problem begins. */
const PROBLEM_URI = 'https://ipam.vitistack.io/problems/';

/** A refusal, ready to be sent. */
export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Problem;
}

/**
 * Writes a refusal as problem details.
 *
 * @param refusal - what was refused and why
 * @returns status, `retry-after` where asking again helps, and the body
 */
export function problemOf(refusal: Refusal): ProblemAnswer {
  const { status, headers } = errorAnswer(refusal);
  const { code, message, field, value, suggestion } = refusal;
  const wait = headers['retry-after'];
  return {
    status,
    headers,
    body: {
      type: `${PROBLEM_URI}${code}`,
      title: catalogueRow(code).summary,
      status,
      detail: message,
      code,
      ...(field === undefined ? {} : { field }),
      ...(value === undefined ? {} : { value }),
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(wait === undefined ? {} : { retryAfterSeconds: Number(wait) }),
    },
  };
}

/** The part of a reply of a server that a problem is sent by; `R` is what handlers return. */
export interface UnsentReply<R> {
  code(status: number): {
    headers(headers: Readonly<Record<string, string>>): { type(mediaType: string): { send(text: string): R } };
  };
}

/**
 * Sends a refusal as problem details.
 *
 * @param reply - reply that has not been sent
 * @param refusal - what was refused and why
 * @returns the reply, for handlers to return
 */
export function sendProblem<R>(reply: UnsentReply<R>, refusal: Refusal): R {
  const { status, headers, body } = problemOf(refusal);
  return reply.code(status).headers(headers).type(PROBLEM_TYPE).send(JSON.stringify(body));
}

/**
 * Reads problem details back.
 *
 * @param problem - body of an error
 * @returns the refusal as its server made it; undefined where this version does not know its code
 */
export function refusalOfProblem(problem: Problem): Refusal | undefined {
  const { code, detail: message, field, value, suggestion, retryAfterSeconds } = problem;
  if (!isErrorCode(code)) return undefined;
  return {
    code,
    message,
    ...(field === undefined ? {} : { field }),
    ...(value === undefined ? {} : { value }),
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
