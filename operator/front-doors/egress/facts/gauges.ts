import type { Meter } from '../../../ports/meter';
import type { ServedNamespaces } from './states';

/** Most EgressIPAMs with series of their own, and most CIDRs. */
const MOST_EGRESS_IPAMS = 256;

/** Exact counts of the addresses of one CIDR, as the status of its EgressIPAM has them. */
export interface PoolCounts {
  /** Canonical text. */
  readonly cidr: string;
  readonly total: bigint;
  readonly used: bigint;
  readonly quarantined: bigint;
  readonly reserved: bigint;
  readonly free: bigint;
}

/** Namespaces of an EgressIPAM, as its status has them. */
type EgressNamespaceCounts = Pick<ServedNamespaces, 'assigned' | 'pending' | 'invalid'> & {
  /** True: its spec is refused, or the work on one of them failed. */
  readonly isFailing: boolean;
};

const NAMESPACE_STATES = ['assigned', 'pending', 'invalid'] as const;
const STATES = ['total', 'used', 'quarantined', 'reserved', 'free'] as const;

/** Gauges about EgressIPAMs, as the process that leads sees them. They are exact up to 2^53, enough for a gauge. */
export class EgressGauges {
  readonly #meter: Meter;
  readonly #pools = new Map<string, readonly PoolCounts[]>();
  readonly #namespaces = new Map<string, EgressNamespaceCounts>();

  /**
   * Starts without a number.
   *
   * @param meter - where the numbers go
   */
  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /**
   * Sets the gauges of the CIDRs of an EgressIPAM; those beyond the most that are told stay away.
   *
   * @param egressipam - its name
   * @param pools - as they are now
   */
  tell(egressipam: string, pools: readonly PoolCounts[]): void {
    const before = this.#pools.get(egressipam) ?? [];
    const others = [...this.#pools.values()].reduce((count, { length }) => count + length, 0) - before.length;
    const told = pools.slice(0, Math.max(0, MOST_EGRESS_IPAMS - others));
    this.#pools.set(egressipam, told);
    const isSame = before.every(({ cidr }) => told.some((each) => each.cidr === cidr));
    if (isSame) this.#set(egressipam, told);
    else this.#tellAll();
  }

  /**
   * Takes the gauges of an EgressIPAM away.
   *
   * @param egressipam - its name
   */
  forget(egressipam: string): void {
    const isTold = this.#pools.delete(egressipam);
    if (this.#namespaces.delete(egressipam) || isTold) this.#tellAll();
  }

  /**
   * Sets the gauges of the namespaces of an EgressIPAM; those beyond the most that are told stay away.
   *
   * @param egressipam - its name
   * @param served - numbers of namespaces
   */
  tellNamespaces(egressipam: string, served: EgressNamespaceCounts): void {
    if (!this.#namespaces.has(egressipam) && this.#namespaces.size >= MOST_EGRESS_IPAMS) return;
    this.#namespaces.set(egressipam, served);
    this.#setNamespaces(egressipam, served);
  }

  /** Takes all gauges away: another process leads. */
  clear(): void {
    this.#pools.clear();
    this.#namespaces.clear();
    this.#tellAll();
  }

  #tellAll(): void {
    this.#meter.clear('egressip_pool_addresses');
    for (const [egressipam, pools] of this.#pools) this.#set(egressipam, pools);
    this.#meter.clear('egressip_namespaces');
    this.#meter.clear('egressip_reconcile_failed');
    for (const [egressipam, served] of this.#namespaces) this.#setNamespaces(egressipam, served);
  }

  #setNamespaces(egressipam: string, served: EgressNamespaceCounts): void {
    for (const state of NAMESPACE_STATES) this.#meter.set('egressip_namespaces', served[state], { egressipam, state });
    this.#meter.set('egressip_reconcile_failed', served.isFailing ? 1 : 0, { egressipam });
  }

  #set(egressipam: string, pools: readonly PoolCounts[]): void {
    for (const { cidr, ...counts } of pools)
      for (const state of STATES)
        this.#meter.set('egressip_pool_addresses', Number(counts[state]), { egressipam, cidr, state });
  }
}
