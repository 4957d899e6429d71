import type { AdmissionResponse, PatchOperation } from '../contract/admission-review';
import { catalogueRow } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';

/** Why a review was allowed; a bounded word for the metric. */
export type AllowedBecause = 'not-ours' | 'unchanged' | 'served' | 'waiting' | 'verified';

/** Decision of a webhook. */
export type Verdict =
  | {
      readonly allowed: true;
      readonly because: AllowedBecause;
      readonly patch?: readonly PatchOperation[];
      /** Zone and addresses, for the log. */
      readonly zone?: string;
      readonly addresses?: string;
      /** Reason that keeps a waiting object from its address. */
      readonly cause?: Refusal;
      /** Told to the user beside the success. */
      readonly warnings?: readonly string[];
    }
  | { readonly allowed: false; readonly refusals: readonly [Refusal, ...Refusal[]] };

const CONFLICT = 409;
const FORBIDDEN = 403;

/**
 * Allows without a change.
 *
 * @param because - bounded word
 * @returns the verdict
 */
export function allow(because: AllowedBecause): Verdict {
  return { allowed: true, because };
}

/**
 * Denies.
 *
 * @param first - the refusal whose code and status are answered
 * @param others - further problems, told in the same message
 * @returns the verdict
 */
export function deny(first: Refusal, ...others: readonly Refusal[]): Verdict {
  return { allowed: false, refusals: [first, ...others] };
}

/**
 * Turns a verdict into the response of the review.
 *
 * @param uid - UID of the request
 * @param verdict - what was decided
 * @returns the response; without a patch when nothing changes
 */
export function responseOf(uid: string, verdict: Verdict): AdmissionResponse {
  if (verdict.allowed) {
    const { patch = [], warnings = [] } = verdict;
    const told = warnings.length === 0 ? {} : { warnings };
    if (patch.length === 0) return { uid, allowed: true, ...told };
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    return { uid, allowed: true, patchType: 'JSONPatch', patch: encoded, ...told };
  }
  const { http, reason } = catalogueRow(verdict.refusals[0].code);
  const message = verdict.refusals.map((refusal) => refusal.message).join('; ');
  // kubectl, Argo CD and Pulumi take 409 for a race that they or --force-conflicts could win, and hide the message
  const code = http === CONFLICT ? FORBIDDEN : http;
  return { uid, allowed: false, status: { status: 'Failure', code, reason, message } };
}
