import type { DoorEvent } from './door-pages';

/** Holder or user of an entry of a network. */
export interface NetworkOwnerAnswer {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One AddressClaim of a NetworkInstance. */
export interface NetworkEntryAnswer {
  /** Canonical CIDR; an address as /32 or /128. */
  readonly prefix: string;
  /** `namespace/name` of the instance; empty where no stored one has the network. */
  readonly instance: string;
  /** Name of the network on record. */
  readonly network: string;
  /** What it stands for; absent for a claim that was made by hand. */
  readonly role?: string;
  readonly kind?: string;
  readonly holder: NetworkOwnerAnswer;
  /** The IPAllocation that selected the address of an IPPrefix by label. */
  readonly user?: NetworkOwnerAnswer;
  /** RFC 3339. */
  readonly since: string;
}

/** Answer about one address or one object. */
export interface NetworksExplanation {
  /** False: the door has nothing to do with it. */
  readonly known: boolean;
  readonly sentences: readonly string[];
  readonly entries: readonly NetworkEntryAnswer[];
}

/** Answer about the past of one address. */
export interface NetworksHistory {
  /** Entries of exactly this address, one for each instance that has it. */
  readonly entries: readonly NetworkEntryAnswer[];
  /** Newest first. */
  readonly events: readonly DoorEvent[];
}
