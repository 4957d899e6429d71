import type { Prefix } from '../../addressing/prefix';

/** Kinds of an IPPrefix and of an IPAllocation. */
export type PrefixKind = 'network' | 'loopback' | 'pool' | 'aggregate';

/**
 * Meaning of an entry of a network table: `prefix` a declared aggregate, pool or loopback prefix; `subnet` the subnet
 * of one or more declared network prefixes; `host` the address that a declared network prefix has in its subnet;
 * `allocation` what an IPAllocation, a gRPC call or an IPAddressClaim was given.
 */
export type EntryRole = 'prefix' | 'subnet' | 'host' | 'allocation';

/** Facts of a claim of a network whose space nests, beside its holder. */
export interface EntryFacts {
  readonly role: EntryRole;
  readonly kind: PrefixKind;
  /** Name of the network; kind network only. */
  readonly networkName?: string;
  /** Role host: the address is the gateway of its subnet. */
  readonly isGateway?: boolean;
  /** Role allocation: the request named the prefix. */
  readonly isStatic?: boolean;
  /** Canonical CIDR that the entry was given from. */
  readonly parent?: string;
  /** Name of the IPPrefix whose range the entry was given from. */
  readonly range?: string;
  /** Digest of the request that was decided, 16 hex digits; another digest means a changed request. */
  readonly request?: string;
}

/** The object that holds or uses an entry, or owns another claim. */
export interface EntryOwner {
  /** Identity of the cluster: the UID of its namespace `kube-system`, or the one that it was restored with; empty: outside of any cluster. */
  readonly cluster: string;
  /** API group and version, for example `v1`; empty where it is unknown. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Name of the namespace; empty for a kind without namespaces, and where only the UID of the namespace is known. */
  readonly namespace: string;
  /** UID of the namespace object; empty where it is unknown or there is none. */
  readonly namespaceUid: string;
  /** Name of the object; empty while the API server still has to make it (`generateName`). */
  readonly name: string;
  /** UID of the stored object; absent until it is known, and for owners that are no objects of a cluster. */
  readonly uid?: string;
}

/** One block of a network table with its holder. */
export interface NetworkEntry {
  readonly block: Prefix;
  /** Absent for a claim that was declared by hand: it blocks its space, may lie anywhere, and is nothing's parent. */
  readonly facts: EntryFacts | undefined;
  /** Labels of users; labels that the system derives are not stored. */
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: EntryOwner;
  /** Role host: the allocation that selected the address by label. */
  readonly user?: EntryOwner;
  readonly door: 'networks' | 'egress' | 'grpc';
  /** Idempotency key; gRPC claims only. */
  readonly key?: string;
  readonly takenAtMs: number;
  /** Grows with each change and never comes back for its block. */
  readonly version: number;
}

/** An entry as a decision writes it. */
export interface EntryDraft extends Omit<NetworkEntry, 'version' | 'takenAtMs' | 'facts'> {
  readonly facts: EntryFacts;
}
