import type { FastifyReply } from 'fastify';
import { problemOf, PROBLEM_TYPE } from '../../contract/ipam-api/v3/problem';
import type { Refusal } from '../../errors/outcome';

/**
 * Sends a refusal as problem details (RFC 9457).
 *
 * @param reply - reply that has not been sent
 * @param refusal - what was refused and why
 * @returns the reply, for handlers to return
 */
export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, headers, body } = problemOf(refusal);
  return reply.code(status).headers(headers).type(PROBLEM_TYPE).send(JSON.stringify(body));
}
