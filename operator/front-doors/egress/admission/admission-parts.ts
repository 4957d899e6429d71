import type { UserAccess } from '../../../ports/token-access';
import type { Tools } from '../../../ports/tools';
import type { EgressReview } from '../../../rules/egress';
import { deny, type Verdict } from '../../../reviews/verdict';
import type { ViewedContext } from '../facts/view';

/** Parts of the webhooks of the door. */
export interface EgressAdmissionParts {
  readonly tools: Tools;
  /** State that reviews are judged by; every process has it, whether it leads or not. */
  readonly state: ViewedContext;
  /** Tells who may use an EgressIPAM; absent: rights are not asked for. */
  readonly access?: UserAccess | undefined;
  /** What becomes of a Namespace while the rights of its author cannot be asked for. */
  readonly whenUnavailable: 'deny' | 'admit';
}

/**
 * Turns the result of a review into a verdict.
 *
 * @param review - problems and warnings
 * @returns denied with every problem, or allowed with the warnings
 */
export function verdictOf({ problems, warnings }: EgressReview): Verdict {
  const [first, ...others] = problems;
  return first === undefined ? { allowed: true, because: 'verified', warnings } : deny(first, ...others);
}
