import { readAddressClaim } from '../../contract/cluster-api';
import type { JsonMap } from '../../contract/loose-json';
import { ReasonCounts } from '../../runtime/reason-counts';
import { providerOf } from './claim-facts';
import type { ClusterApiParts } from './door-parts';

/** Conditions of stored claims of our pools: how many are not ready, by reason. Every process tells the same. */
export class WaitingGauge {
  readonly #parts: ClusterApiParts;
  readonly #reasons = new Map<string, string>();
  readonly #counts: ReasonCounts;
  readonly #stop: () => void;

  /**
   * Begins to follow the claims.
   *
   * @param parts - watch, pools and meter
   */
  constructor(parts: ClusterApiParts) {
    this.#parts = parts;
    this.#counts = new ReasonCounts({ meter: parts.meter, gauge: 'cluster_api_claims_waiting' });
    this.#stop = parts.claims.onChange(({ key, after }) => {
      this.#follow(key.uid, after);
    });
    // a watch tells its first list to those that listen by then
    for (const raw of parts.claims.list()) this.#follow(readAddressClaim(raw)?.uid ?? '', raw);
  }

  /** Ends the listener. */
  close(): void {
    this.#stop();
  }

  #follow(uid: string, raw: JsonMap | undefined): void {
    const reason = waitingReason(this.#parts, raw);
    this.#counts.move(this.#reasons.get(uid), reason);
    if (reason === undefined) this.#reasons.delete(uid);
    else this.#reasons.set(uid, reason);
  }
}

// Conditions are written by others too: only our own reasons become labels.
const REASONS: readonly string[] = ['PoolExhausted', 'PoolNotReady', 'AllocationFailed'];

function waitingReason(parts: ClusterApiParts, raw: JsonMap | undefined): string | undefined {
  const claim = readAddressClaim(raw);
  if (claim?.ready?.status !== 'False' || providerOf(parts, claim.poolRef) === undefined) return undefined;
  return REASONS.includes(claim.ready.reason) ? claim.ready.reason : 'Other';
}
