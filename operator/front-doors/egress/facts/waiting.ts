import { familyBits, type Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';
import { PrefixSet } from '../../../addressing/prefix-set';
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
   * Wakes those that free addresses help: all that list one, and the oldest one that takes any of its CIDR.
   *
   * @param block - free now; of a prefix one waiting namespace after another has its turn
   * @param network - in which it is
   */
  freed(block: Prefix, network: string): void {
    const space = PrefixSet.of(block);
    this.wakeWhere((wants) => wants.network === network && wants.addresses.some((address) => block.contains(address)));
    const fits = (wants: Wants): boolean => wants.network === network && wants.space.overlaps(space);
    if (block.length === familyBits(block.family)) {
      this.offer(fits);
      return;
    }
    this.remember(fits);
    this.begin(fits);
  }
}
