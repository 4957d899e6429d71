import type { Address } from '../addressing/address';
import type { Owner, Place } from './claims';

/**
 * How an address in use counts. `occupied`: it is never given out and refused as a wish. `avoided`: it is chosen last and may be
 * wished for, since every editor of a Service can claim it.
 */
type UseWeight = 'occupied' | 'avoided';

/** By what a cluster shows an address, in the words of its users. */
export interface AddressUse {
  /** Kind, namespace and name, for example `Node/worker-1` or `Service/web/shop`. */
  readonly source: string;
  readonly weight: UseWeight;
}

/** One address that a cluster shows without a claim. */
export interface OccupiedAddress extends AddressUse {
  readonly cluster: string;
  readonly network: string;
  readonly address: Address;
}

/** One difference between what a cluster shows and what is on record of that. */
export interface OccupiedChange extends Pick<OccupiedAddress, 'cluster' | 'network' | 'address'> {
  /** Absent: the cluster does not show the address any more. */
  readonly use?: AddressUse;
}

/** Which uses are read: all of a cluster, or those of one address. */
export type OccupiedQuery =
  | { readonly by: 'cluster'; readonly cluster: string }
  | ({ readonly by: 'address' } & Pick<OccupiedAddress, 'network' | 'address'>);

/** A claim at whose address a cluster shows something else than the holder. */
export interface MetClaim extends Place {
  readonly pool: string;
  readonly holder: Owner;
  readonly use: Pick<OccupiedAddress, 'cluster' | 'source'>;
}

/**
 * Addresses that clusters show without a claim, beside the claims and under the same uniqueness: while no claim is live at an `occupied`
 * address, a live row of state `foreign` is there, which every take meets in its own transaction. A claim that is there already
 * stays; when it ends, the row comes in its place, at once and without a quarantine.
 *
 * The use of a Service by itself does not stand against its own take: cluster and `source` say that it is the same one.
 *
 * Each cluster has uses of its own; a change of one never touches those of another. Every verb is atomic and durable when it
 * answers, and safe for parallel calls of several processes. After the store is closed every call throws `store/closed`.
 */
export interface OccupiedAddresses {
  /**
   * Writes one difference; what is on record already is not written again. An address that becomes free is told as `freed`.
   *
   * @returns whether the record has it so; false where it has no place for it, or none beyond a limit
   */
  write(change: OccupiedChange): Promise<boolean>;
  /** Reads uses, lowest address first. O(result). */
  list(query: OccupiedQuery): Promise<readonly OccupiedAddress[]>;
  /** Notes that everything that a cluster shows in some networks is on record; the first time counts. */
  complete(report: { readonly cluster: string; readonly networks: readonly string[] }): Promise<void>;
  /** Tells since when the uses of a cluster have been complete, by network, in milliseconds since 1970. */
  completeSince(cluster: string): Promise<ReadonlyMap<string, number>>;
  /** Reads the held claims of a cluster at addresses that some cluster shows by something else. O(occupied addresses). */
  met(cluster: string): Promise<readonly MetClaim[]>;
  /** Forgets a cluster: its uses, and since when they were complete. Returns how many addresses it showed. */
  forget(cluster: string): Promise<number>;
}

/**
 * Finds where {@link OccupiedAddresses} are kept; undefined where the record has no place for them now, such as an IPAM-API elsewhere that is
 * of an older release. That may change at any time, so it is asked for each comparison.
 *
 * @returns the place
 * @throws IpamError of the store
 */
export type FindOccupied = () => Promise<OccupiedAddresses | undefined>;

/** A store that keeps {@link OccupiedAddresses} beside its claims. */
export interface OccupiedAddressesHost {
  occupiedAddresses(): OccupiedAddresses;
}
