import type { Prefix } from '../addressing/prefix';
import type { NetworkEntry } from '../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../contract/networks/table';
import type { Outcome } from '../errors/outcome';

/** Tables of networks whose space nests; each decision about a table is serialised, by every process. */
export interface NetworkTables {
  /**
   * Decides about one network, and stores what was decided before it answers.
   *
   * @param network - name of the network on record
   * @param decide - pure; called again where another process changed the table meanwhile
   * @returns the answer, or the very refusal that `decide` made; `claim/invalid` or `cluster/refused` where the claims that it asks for
   *   cannot be stored. What `decide` throws is thrown
   * @throws IpamError `store/unavailable`, `cluster/unavailable`, `store/closed`
   */
  decide<V>(network: string, decide: (table: NetworkTable) => TableVerdict<V>): Promise<Outcome<V>>;
  /** Reads what this process knows, without waiting; for views and counts, never for a decision. */
  look<V>(network: string, read: (table: NetworkTable) => V): V;
  /** Entries in address order, IPv4 first; O(most + log n). */
  page(network: string, page: { readonly after?: Prefix; readonly most: number }): readonly NetworkEntry[];
}
