import { mapOf, metadataOf, textOf, type JsonMap } from './loose-json';

/** API group of NetworkInstance, IPPrefix and IPAllocation, kept so that older manifests are accepted unchanged. */
export const NEPHIO_GROUP = 'ipam.nephio.org';
/** Finalizer on each of the three kinds; never on an object of another kind. */
export const NETWORKS_FINALIZER = 'ipam.nephio.org/finalizer';

/** Label keys by which entries of a network are known and selected. */
export const NEPHIO = {
  networkInstance: 'nephio.org/network-instance',
  prefixKind: 'nephio.org/prefix-kind',
  prefixLength: 'nephio.org/prefix-length',
  addressFamily: 'nephio.org/address-family',
  prefixName: 'nephio.org/prefix-name',
  networkName: 'nephio.org/network-name',
  /** First address of the subnet or of the parent. */
  network: 'nephio.org/network',
  parentPrefixLength: 'nephio.org/parent-prefix-length',
  allocationName: 'nephio.org/allocation-name',
  pool: 'nephio.org/pool',
  gateway: 'nephio.org/gateway',
  interface: 'nephio.org/interface',
  origin: 'nephio.org/origin',
} as const;

const { gateway, interface: _interface, ...derived } = NEPHIO;

/** Keys that the system sets: refused among the labels of users where their value differs from the one that is set. */
export const SYSTEM_KEYS: readonly string[] = Object.values(derived);

/** Keys of the system, and `gateway`, that a selector may name. */
export const SELECTABLE_KEYS: readonly string[] = [
  NEPHIO.networkInstance,
  NEPHIO.networkName,
  NEPHIO.addressFamily,
  NEPHIO.prefixKind,
  NEPHIO.prefixName,
  gateway,
  NEPHIO.pool,
  NEPHIO.network,
];

/** Annotations of a NetworkInstance, and the last one of IPAllocations too. */
export const NETWORK_ANNOTATIONS = {
  /** Network of the other doors with whose space this one is compared. */
  network: 'ipam.vitistack.io/network',
  /** Network that addresses are given from, on a claim that refers to a NetworkInstance, or as default on the NetworkInstance. */
  networkName: 'ipam.vitistack.io/network-name',
  /** Whether prefixes need an aggregate around them: `declared`, `required` or `free`. */
  parents: 'ipam.vitistack.io/parents',
  /** The operator leaves the object alone. */
  paused: 'ipam.vitistack.io/paused',
} as const;

/**
 * Reads the network of the other doors that a NetworkInstance names.
 *
 * @param instance - NetworkInstance, raw; undefined where there is none
 * @returns the name; undefined where it is a network by itself
 */
export function sharedNetworkOf(instance: JsonMap | undefined): string | undefined {
  const text = textOf(mapOf(metadataOf(instance)['annotations'])[NETWORK_ANNOTATIONS.network]);
  return text === '' ? undefined : text;
}

/** Annotations by which the injector knows what a package took. */
export const PACKAGE_ANNOTATIONS = {
  /** Id of the package, on its Kptfile and on what was taken for it. */
  id: 'ipam.vitistack.io/package-id',
  /** Name of the package, for people. */
  name: 'ipam.vitistack.io/package',
  /** `true` on an IPAllocation that the injector made; it ends with the request in the package. */
  injected: 'ipam.vitistack.io/injected',
} as const;

/** Most entries that the status of a NetworkInstance shows. */
export const MOST_SHOWN_ENTRIES = 1000;

/** Most characters of these entries: with many long labels they would exceed what an API server stores of one object. */
export const MOST_SHOWN_CHARACTERS = 768 * 1024;
