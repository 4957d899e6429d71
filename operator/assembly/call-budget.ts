/** Part of the deadline of an admission that is left for everything but the call. */
const SPARE_MS = 1_000;

/**
 * Tells how long a call to a remote IPAM-API may last within an admission.
 *
 * @param admissionDeadlineSeconds - deadline of the webhooks
 * @returns milliseconds; the rest of the deadline is left for everything but the call
 */
export function callBudgetMs(admissionDeadlineSeconds: number): number {
  return Math.max(SPARE_MS, admissionDeadlineSeconds * 1_000 - SPARE_MS);
}
