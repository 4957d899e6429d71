import type { Meter } from '../../../ports/meter';
import type { CarrierView, CarryingNode } from '../facts/carrier';

/** Most EgressIPAMs, and most nodes, with series of their own. */
const MOST_LABELS = 256;

const NAMES = [
  'egressip_ip_capacity',
  'egressip_ip_allocated',
  'egressip_capacity_unknown',
  'egressip_ip_unplaced',
  'egressip_dataplane_info',
] as const;

/** Gauges about nodes and what they carry, as the process that leads sees them. */
export class PlacementGauges {
  readonly #meter: Meter;

  /**
   * Starts without a number.
   *
   * @param meter - where the numbers go
   */
  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /**
   * Sets all gauges anew, so that those of nodes and EgressIPAMs that are gone go with them.
   *
   * @param views - by the name of the EgressIPAM
   */
  tell(views: ReadonlyMap<string, CarrierView>): void {
    this.clear();
    const first = [...views].slice(0, MOST_LABELS);
    const names = new Set(first.flatMap(([, { nodes }]) => nodes.map(({ name }) => name)));
    const shown = new Set([...names].slice(0, MOST_LABELS));
    for (const [egressipam, view] of first) {
      for (const node of view.nodes) if (shown.has(node.name)) this.#tellNode(egressipam, node);
      this.#tellUnplaced(egressipam, view);
      if (view.choice.kind === 'driver')
        this.#meter.set('egressip_dataplane_info', 1, { dataplane: view.choice.dataplane.name });
    }
  }

  /** Takes all gauges away: another process leads. */
  clear(): void {
    for (const name of NAMES) this.#meter.clear(name);
  }

  // Both count the primary address of the node, as the older operator did.
  #tellNode(egressipam: string, { name: node, capacity, used, isKnown }: CarryingNode): void {
    const labels = { egressipam, node };
    if (capacity !== undefined) this.#meter.set('egressip_ip_capacity', capacity + 1, labels);
    if (!isKnown) this.#meter.set('egressip_capacity_unknown', 1, labels);
    this.#meter.set('egressip_ip_allocated', used + 1, labels);
  }

  #tellUnplaced(egressipam: string, { nodes, unplaced }: CarrierView): void {
    const counts = new Map(nodes.map(({ cidr }) => [cidr, 0]));
    for (const { cidr } of unplaced) counts.set(cidr, (counts.get(cidr) ?? 0) + 1);
    for (const [cidr, count] of counts) this.#meter.set('egressip_ip_unplaced', count, { egressipam, cidr });
  }
}
