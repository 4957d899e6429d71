import { isIn, type Address } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import type { Meter } from '../../../ports/meter';
import type { EgressNamespace, EgressProblem } from '../../../rules/egress/types';
import { WaitingLine } from '../../../runtime/waiting-line';
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
export class Waiting extends WaitingLine<EgressKey, Wants> {
  /**
   * Starts without a namespace.
   *
   * @param meter - is told how many wait, by reason
   */
  constructor(meter: Pick<Meter, 'set'>) {
    super({ meter, gauge: 'egress_namespaces_waiting' });
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
    this.add(name, { key: { of: 'namespace', name }, createdMs, wants, reason }, since);
  }

  /**
   * Wakes those that a free address helps: all that list it, and the oldest one that takes any of its CIDR.
   *
   * @param address - free now
   * @param network - in which it is; absent: in any
   */
  freed(address: Address, network?: string): void {
    const isThere = (wants: Wants): boolean => network === undefined || wants.network === network;
    this.wakeWhere((wants) => isThere(wants) && isIn(address, wants.addresses));
    this.offer((wants) => isThere(wants) && wants.space.contains(address));
  }
}
