import { optsOut } from '../../../rules/service-owner';
import { optOutProblem } from '../../../rules/opt-out';
import type { Outcome } from '../../../errors/outcome';
import type { Facts } from './facts';
import type { AnnotationChanges } from './patch';
import { resultTest } from './result-marks';
import type { Review } from './review';

/**
 * Decides what becomes of a Service that opts out of the default zone: our keys go, and so does its claim, once its status does not
 * show the address any more.
 *
 * @param review - object and stored object
 * @param facts - zones, and what the Service holds
 * @returns the keys to take away, or why it may not opt out; undefined for a Service that does not
 */
export function optOutOf(review: Review, { catalogue, grants }: Facts): Outcome<AnnotationChanges> | undefined {
  const { service } = review;
  if (!optsOut(service)) return undefined;
  const isResult = resultTest(review, grants);
  const keys = Object.keys(service.annotations);
  const wished = Object.fromEntries(Object.entries(service.annotations).filter(([key]) => !isResult(key)));
  const problem = optOutProblem({ ...service, annotations: wished }, catalogue);
  if (problem !== undefined) return { ok: false, refusal: problem };
  return { ok: true, value: new Map(keys.filter(isResult).map((key) => [key, undefined])) };
}
