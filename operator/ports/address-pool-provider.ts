import type { Address } from '../addressing/address';
import type { Outcome } from '../errors/outcome';
import type { Owner } from './claims';
import type { ObjectName } from './object-feed';

/** A pool as an object of another API group refers to it. The namespace is empty for kinds of the whole cluster. */
export interface ClaimedPool extends ObjectName {
  readonly kind: string;
  /** Part of the pool by the {@link AddressPoolProvider.partAnnotation} of the object that refers; empty where it names none. */
  readonly part: string;
}

/** A pool of one door, offered to objects of other API groups that refer to it. */
export interface OfferedPool {
  /** API group and version of its kind. */
  readonly apiVersion: string;
  readonly uid: string;
  /** True: its author asks that nothing is done about it. */
  readonly isPaused: boolean;
  /** True: it is being deleted, and gives nothing new. */
  readonly isDying: boolean;
}

/** An address that an owner has from a pool. */
export interface PoolGrant {
  readonly address: Address;
  /** Length of the subnet of the address, which an interface is configured with. */
  readonly prefixLength: number;
  /** Router of the subnet; absent where the pool names none. */
  readonly gateway?: Address;
  /** The owner as it is on record. */
  readonly owner: Owner;
}

/** Request for an address of a pool. */
export interface PoolRequest {
  readonly owner: Owner;
  /**
   * Exactly this address, which the owner has by what is stored in the cluster: it is put on record even by a pool that gives nothing
   * new, if it is one of the pool, which serves the owner, and no Service shows it.
   */
  readonly restored?: Address;
}

/**
 * The pools that one door offers. Assembly hands the providers of all doors to the door that serves references. An address is
 * given through the record of the door that offers the pool, so that none is given twice. Safe for parallel calls.
 */
export interface AddressPoolProvider {
  /** API group of the kinds, without its version. */
  readonly apiGroup: string;
  readonly kinds: readonly string[];
  /** True: a pool serves the objects of its own namespace. False: its kinds have no namespace. */
  readonly isNamespaced: boolean;
  /** Annotation by which an object that refers to a pool names a part of it; absent where pools have no parts. */
  readonly partAnnotation?: string;
  /** Looks a pool up as the door knows it now; undefined when there is none of that name. */
  pool(pool: ClaimedPool): OfferedPool | undefined;
  /**
   * Gives an address. An owner that has one by its UID, or by its name where it was made anew for the same pool, has the same one.
   *
   * @returns the address; or why there is none: `pool/not-ready` where the pool does not exist, gives the owner nothing, or is another one than that of a former owner of its name which still has an address,
   *   `pool/exhausted`, a code of `address/` where one was asked for, `store/not-ready` before every existing holder is known, `store/conflict` where others
   *   wrote at the same time
   * @throws IpamError where the record cannot be written
   */
  take(pool: ClaimedPool, request: PoolRequest): Promise<Outcome<PoolGrant>>;
  /** Lists what an owner has by its UID, or by its name under another UID, the lowest address first. */
  held(owner: Owner): readonly PoolGrant[];
  /** Lists everything that owners of a kind have. */
  heldBy(kind: string): readonly PoolGrant[];
  /**
   * Gives one address back; one that the owner does not hold is success.
   *
   * @throws IpamError where the record cannot be written
   */
  release(grant: PoolGrant): Promise<void>;
  /** Registers work that puts existing holders on record; nothing is given before it was done. Called before the door begins its work. */
  beforeGiving(restore: () => Promise<void>): void;
  /** Tells by a test which pools changed, or have something that became free; returns the function that stops it. */
  onChange(listener: (isMeant: (pool: ClaimedPool) => boolean) => void): () => void;
  /** Tells each address that is on record no more, whatever ended that; returns the function that stops it. */
  onFreed(listener: (address: Address) => void): () => void;
}
