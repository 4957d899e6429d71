import type { Family } from '../../addressing/address';
import type { ZoneTally } from '../../ports/claim-store';

/** What one change adds to the numbers of its zone. */
export interface CountStep {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly held?: 1 | -1;
  readonly quarantined?: 1 | -1;
}

/**
 * Exact numbers of every zone, kept beside the rows so that a quota costs O(1). One caller at a time; after a rollback
 * call {@link load} again.
 */
export class ZoneCounts {
  private readonly zones = new Map<string, ZoneTally>();

  /**
   * Replaces everything.
   *
   * @param tallies - numbers of all rows
   */
  load(tallies: Iterable<ZoneTally>): void {
    this.zones.clear();
    for (const tally of tallies) this.zones.set(JSON.stringify([tally.network, tally.zone, tally.family]), tally);
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
