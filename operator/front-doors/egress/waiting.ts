import { isIn, type Address } from '../../addressing/address';
import type { PrefixSet } from '../../addressing/prefix-set';
import type { Meter } from '../../ports/meter';
import type { EgressNamespace, EgressProblem } from '../../rules/egress/types';
import { WaitingLine } from '../../runtime/waiting-line';
import type { EgressKey } from './door-parts';

/** Changes that help a namespace that waits. */
interface Wants {
  readonly network: string;
  /** Addresses of which any free one helps. */
  readonly space: PrefixSet;
  /** Addresses that it lists. */
  readonly addresses: readonly Address[];
}

/** Namespaces that wait, and the changes that wake them. */
export class Waiting {
  readonly #line: WaitingLine<EgressKey, Wants>;

  /**
   * Starts without a namespace.
   *
   * @param meter - is told how many wait, by reason
   */
  constructor(meter: Pick<Meter, 'set'>) {
    this.#line = new WaitingLine({ meter, gauge: 'egress_namespaces_waiting' });
  }

  /**
   * Adds a listener.
   *
   * @param listener - is told each piece of work
   * @returns the function that takes it away
   */
  onWake(listener: (key: EgressKey) => void): () => void {
    return this.#line.onWake(listener);
  }

  /**
   * Tells the listeners of work.
   *
   * @param key - what is to be looked at
   */
  wake(key: EgressKey): void {
    this.#line.wake(key);
  }

  /**
   * Marks the time before a namespace is looked at.
   *
   * @returns the mark, for {@link park}
   */
  mark(): number {
    return this.#line.mark();
  }

  /**
   * Lets a namespace wait. A change that came since the look wakes it at once.
   *
   * @param namespace - as it was decided on
   * @param problem - why it waits
   * @param look - that refused it
   * @param look.wants - what helps it
   * @param look.since - mark from before the look
   */
  park(
    { name, createdAt }: Pick<EgressNamespace, 'name' | 'createdAt'>,
    { reason }: Pick<EgressProblem, 'reason'>,
    { wants, since }: { readonly wants: Wants; readonly since: number },
  ): void {
    const createdMs = Date.parse(createdAt);
    this.#line.park(name, { key: { of: 'namespace', name }, createdMs, wants, reason }, since);
  }

  /**
   * Takes a namespace out of the line.
   *
   * @param name - of the namespace
   * @param hasTaken - true where it has what it was woken for
   */
  leave(name: string, hasTaken: boolean): void {
    this.#line.leave(name, hasTaken);
  }

  /**
   * Wakes those that a free address helps: all that list it, and the oldest one that takes any of its CIDR.
   *
   * @param address - free now
   * @param network - in which it is; absent: in any
   */
  freed(address: Address, network?: string): void {
    const isThere = (wants: Wants): boolean => network === undefined || wants.network === network;
    this.#line.wakeWhere((wants) => isThere(wants) && isIn(address, wants.addresses));
    this.#line.offer((wants) => isThere(wants) && wants.space.contains(address));
  }

  /** Forgets all: another process looks after them. */
  clear(): void {
    this.#line.clear();
  }
}
