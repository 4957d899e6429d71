import type { Address } from '../../../addressing/address';
import type { EgressNamespace } from '../../../rules/egress/types';

/** A namespace with what its traffic is to be sent from. */
export interface Sender extends Pick<EgressNamespace, 'name' | 'uid' | 'createdAt'> {
  readonly egressIpam: string;
  /** In the order of the CIDRs; undefined where everything stays as it is. */
  readonly addresses: readonly Address[] | undefined;
}

/** The namespaces that opted in to an EgressIPAM which exists, as they were looked at last. */
export class Senders {
  readonly #byName = new Map<string, Sender>();
  readonly #byEgressIpam = new Map<string, Map<string, Sender>>();

  /**
   * Finds a namespace.
   *
   * @param name - as the API server has it
   * @returns undefined for one that opts in to nothing
   */
  get(name: string): Sender | undefined {
    return this.#byName.get(name);
  }

  /**
   * Lists the namespaces of an EgressIPAM.
   *
   * @param egressIpam - its name
   * @returns them in any order
   */
  of(egressIpam: string): readonly Sender[] {
    return [...(this.#byEgressIpam.get(egressIpam)?.values() ?? [])];
  }

  /**
   * Counts the namespaces of an EgressIPAM.
   *
   * @param egressIpam - its name
   * @returns their number
   */
  countOf(egressIpam: string): number {
    return this.#byEgressIpam.get(egressIpam)?.size ?? 0;
  }

  /**
   * Lists all namespaces.
   *
   * @returns their names
   */
  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /**
   * Sets what a namespace sends from.
   *
   * @param name - as the API server has it
   * @param sender - undefined for one that opts in to nothing
   * @returns EgressIPAMs for which something changed
   */
  set(name: string, sender: Sender | undefined): readonly string[] {
    const before = this.#byName.get(name);
    if (before !== undefined && sender !== undefined && isSame(before, sender)) return [];
    if (before !== undefined) this.#byEgressIpam.get(before.egressIpam)?.delete(name);
    if (sender === undefined) this.#byName.delete(name);
    else {
      this.#byName.set(name, sender);
      const all = this.#byEgressIpam.get(sender.egressIpam) ?? new Map<string, Sender>();
      this.#byEgressIpam.set(sender.egressIpam, all.set(name, sender));
    }
    return [...new Set([before?.egressIpam, sender?.egressIpam])].filter((each) => each !== undefined);
  }

  /** Forgets all: another process places from now on. */
  clear(): void {
    this.#byName.clear();
    this.#byEgressIpam.clear();
  }
}

const isSame = (a: Sender, b: Sender): boolean =>
  a.uid === b.uid && a.egressIpam === b.egressIpam && String(a.addresses) === String(b.addresses);
