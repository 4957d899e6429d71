import type { Family } from '../../../addressing/address';
import type { ZoneTally } from '../../../ports/claim-store';

/** What one change adds to the numbers of its zone. */
export interface CountStep {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly held?: number;
  readonly quarantined?: number;
}

/** How many live addresses of a zone and family are in one state. */
export interface StateCount extends Omit<CountStep, 'held' | 'quarantined'> {
  readonly state: 'held' | 'quarantined';
  readonly n: number;
}

/**
 * Exact numbers of every zone, kept beside the rows so that a quota costs O(1). One caller at a time; after a rollback
 * call {@link load} again.
 */
export class ZoneCounts {
  private readonly zones = new Map<string, ZoneTally>();
  private readonly quarantined = new Map<string, number>();

  /**
   * Replaces everything.
   *
   * @param found - numbers of all rows
   */
  load(found: Iterable<StateCount>): void {
    this.zones.clear();
    this.quarantined.clear();
    for (const { network, zone, family, state, n } of found) this.change({ network, zone, family, [state]: n });
  }

  /**
   * Counts one change.
   *
   * @param step - the zone and by how much its numbers change
   */
  change(step: CountStep): void {
    const { network, zone, family } = step;
    const key = JSON.stringify([network, zone, family]);
    const before = this.zones.get(key);
    const held = (before?.held ?? 0) + (step.held ?? 0);
    const quarantined = (before?.quarantined ?? 0) + (step.quarantined ?? 0);
    this.zones.set(key, { network, zone, family, held, quarantined });
    this.quarantined.set(network, (this.quarantined.get(network) ?? 0) + (step.quarantined ?? 0));
  }

  /**
   * Tells whether a quarantine can have ended.
   *
   * @param network - where addresses are unique
   * @returns true when some address is quarantined, even if its time is over
   */
  hasQuarantined(network: string): boolean {
    return (this.quarantined.get(network) ?? 0) > 0;
  }

  /**
   * Tells how much of its quota a zone has used.
   *
   * @param network - where the zone's addresses are unique
   * @param zone - the one that wants to hold one more address
   * @returns held addresses of both families
   */
  heldIn(network: string, zone: string): number {
    const of = (family: Family): number => this.zones.get(JSON.stringify([network, zone, family]))?.held ?? 0;
    return of(4) + of(6);
  }

  /**
   * Gives all numbers.
   *
   * @returns one entry for each network, zone and family, in that order
   */
  all(): readonly ZoneTally[] {
    return [...this.zones.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
  }
}
