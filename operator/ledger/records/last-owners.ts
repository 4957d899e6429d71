import type { OwnedAddress } from '../../ports/address-book';

/** The owners of one cluster as they were at one revision of the store. */
interface SeenOwners {
  readonly clusterUid: string;
  readonly revision: number;
  readonly owners: readonly OwnedAddress[];
}

/** The list of owners that was read last: comparisons of everything come again and again, mostly with nothing changed between. */
export class LastOwners {
  private seen: SeenOwners | undefined;

  /**
   * Finds the list.
   *
   * @param clusterUid - whose owners
   * @param revision - of the store now; undefined where it tells none
   * @returns the owners, if they are those of this revision
   */
  at(clusterUid: string, revision: number | undefined): readonly OwnedAddress[] | undefined {
    const { seen } = this;
    return seen?.clusterUid === clusterUid && seen.revision === revision ? seen.owners : undefined;
  }

  /**
   * Keeps a list in place of the one before.
   *
   * @param seen - read at this revision or later
   */
  keep(seen: SeenOwners): void {
    this.seen = seen;
  }
}
