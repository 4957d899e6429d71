import type { Meter } from '../../../ports/meter';
import type { ServedNamespaces } from './states';

/** Most EgressIPAMs with series of their own. */
const MOST_EGRESS_IPAMS = 256;

/** Exact counts of the addresses of an EgressIPAM, as its status has them. */
export interface EgressCounts {
  readonly used: bigint;
  readonly quarantined: bigint;
  readonly reserved: bigint;
  readonly free: bigint;
}

/** Namespaces of an EgressIPAM, as its status has them. */
type EgressNamespaceCounts = Pick<ServedNamespaces, 'assigned' | 'pending' | 'invalid'>;

const NAMESPACE_STATES = ['assigned', 'pending', 'invalid'] as const;
const STATES = ['used', 'quarantined', 'reserved', 'free'] as const;

/** Gauges about EgressIPAMs, as the process that leads sees them. They are exact up to 2^53, enough for a gauge. */
export class EgressGauges {
  readonly #meter: Meter;
  readonly #counts = new Map<string, EgressCounts>();
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
    const isTold = this.#counts.delete(egressipam);
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
    this.#counts.clear();
    this.#namespaces.clear();
    this.#tellAll();
  }

  #tellAll(): void {
    this.#meter.clear('egress_addresses');
    for (const [egressipam, counts] of this.#counts) this.#set(egressipam, counts);
    this.#meter.clear('egressip_namespaces');
    for (const [egressipam, served] of this.#namespaces) this.#setNamespaces(egressipam, served);
  }

  #setNamespaces(egressipam: string, served: EgressNamespaceCounts): void {
    for (const state of NAMESPACE_STATES) this.#meter.set('egressip_namespaces', served[state], { egressipam, state });
  }

  #set(egressipam: string, counts: EgressCounts): void {
    for (const state of STATES) this.#meter.set('egress_addresses', Number(counts[state]), { egressipam, state });
  }
}
