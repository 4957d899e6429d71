import type { Meter } from '../../ports/meter';

/** Most EgressIPAMs with series of their own. */
const MOST_EGRESS_IPAMS = 256;

/** Exact counts of the addresses of an EgressIPAM, as its status has them. */
export interface EgressCounts {
  readonly used: bigint;
  readonly quarantined: bigint;
  readonly reserved: bigint;
  readonly free: bigint;
}

const STATES = ['used', 'quarantined', 'reserved', 'free'] as const;

/** Gauges about EgressIPAMs, as the process that leads sees them. They are exact up to 2^53, enough for a gauge. */
export class EgressGauges {
  readonly #meter: Meter;
  readonly #counts = new Map<string, EgressCounts>();

  /**
   * Starts without a number.
   *
   * @param meter - where the numbers go
   */
  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /**
   * Sets the gauges of an EgressIPAM; those beyond the most that are told stay away.
   *
   * @param egressipam - its name
   * @param counts - as they are now
   */
  tell(egressipam: string, counts: EgressCounts): void {
    if (!this.#counts.has(egressipam) && this.#counts.size >= MOST_EGRESS_IPAMS) return;
    this.#counts.set(egressipam, counts);
    this.#set(egressipam, counts);
  }

  /**
   * Takes the gauges of an EgressIPAM away.
   *
   * @param egressipam - its name
   */
  forget(egressipam: string): void {
    if (this.#counts.delete(egressipam)) this.#tellAll();
  }

  /** Takes all gauges away: another process leads. */
  clear(): void {
    this.#counts.clear();
    this.#tellAll();
  }

  #tellAll(): void {
    this.#meter.clear('egress_addresses');
    for (const [egressipam, counts] of this.#counts) this.#set(egressipam, counts);
  }

  #set(egressipam: string, counts: EgressCounts): void {
    for (const state of STATES) this.#meter.set('egress_addresses', Number(counts[state]), { egressipam, state });
  }
}
