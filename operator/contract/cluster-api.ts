import { parseAddress, type Address } from '../addressing/address';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from './loose-json';

/** API group of address claims. */
export const IPAM_CLUSTER_GROUP = 'ipam.cluster.x-k8s.io';
/** API group of clusters. */
export const CLUSTER_GROUP = 'cluster.x-k8s.io';
/** Versions of both that are spoken, the preferred one first. */
export const CLUSTER_API_VERSIONS = ['v1beta2', 'v1beta1'] as const;
/** One of {@link CLUSTER_API_VERSIONS}. */
export type ClusterApiVersion = (typeof CLUSTER_API_VERSIONS)[number];

/** Kinds of Cluster API with their plural names. */
export const CLUSTER_API_KINDS = {
  claim: { group: IPAM_CLUSTER_GROUP, kind: 'IPAddressClaim', plural: 'ipaddressclaims' },
  address: { group: IPAM_CLUSTER_GROUP, kind: 'IPAddress', plural: 'ipaddresses' },
  cluster: { group: CLUSTER_GROUP, kind: 'Cluster', plural: 'clusters' },
} as const;

/** Finalizers of the providers of addresses: on a claim until its address is given back, on an IPAddress as long as its claim lives. */
export const ADDRESS_FINALIZERS = {
  claim: 'ipam.cluster.x-k8s.io/ReleaseAddress',
  address: 'ipam.cluster.x-k8s.io/ProtectAddress',
} as const;

/** Annotation by which nothing is done about an object. */
const PAUSED_KEY = 'cluster.x-k8s.io/paused';
/** Label with the name of the Cluster that an object belongs to. */
export const CLUSTER_NAME_LABEL = 'cluster.x-k8s.io/cluster-name';
/** Type of the condition of a claim. */
export const READY = 'Ready';

/** Reference to a pool. */
export interface PoolReference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** An object of Cluster API by its name. */
interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDying: boolean;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: JsonMap;
}

/** An IPAddressClaim as the API server has it, of either version. */
export interface AddressClaimView extends Named {
  readonly createdAt: string;
  readonly isPaused: boolean;
  /** Name of its Cluster; empty where it names none. */
  readonly cluster: string;
  readonly poolRef: PoolReference;
  /** Name of the IPAddress in its status; empty where there is none. */
  readonly addressRef: string;
  readonly ready:
    { readonly status: string; readonly reason: string; readonly message: string; readonly since: string } | undefined;
}

/** An owner as `metadata.ownerReferences` names it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
}

/** An IPAddress as the API server has it, of either version. */
export interface IpAddressView extends Named {
  /** Undefined where its text is none. */
  readonly address: Address | undefined;
  readonly claim: string;
  readonly poolRef: PoolReference;
  readonly owners: readonly OwnerReference[];
  readonly raw: JsonMap;
}

function named(raw: JsonMap | undefined): Named | undefined {
  const { namespace, name, uid, resourceVersion, deletionTimestamp, finalizers, labels, annotations } = metadataOf(raw);
  if (textOf(name) === '') return undefined;
  return {
    namespace: textOf(namespace),
    name: textOf(name),
    uid: textOf(uid),
    resourceVersion: textOf(resourceVersion),
    isDying: textOf(deletionTimestamp) !== '',
    finalizers: listOf(finalizers).map(textOf),
    labels: mapOf(labels) as Readonly<Record<string, string>>,
    annotations: mapOf(annotations),
  };
}

function poolRefOf(spec: JsonMap): PoolReference {
  const { apiGroup, kind, name } = mapOf(spec['poolRef']);
  return { apiGroup: textOf(apiGroup), kind: textOf(kind), name: textOf(name) };
}

/**
 * Tells whether an object asks that nothing is done about it.
 *
 * @param annotations - of the object
 * @returns true whatever the value of the annotation is
 */
export function isPausedByKey(annotations: Readonly<Record<string, unknown>>): boolean {
  return annotations[PAUSED_KEY] !== undefined;
}

/**
 * Reads an IPAddressClaim.
 *
 * @param raw - of either version
 * @returns what it says; undefined for what has no name
 */
export function readAddressClaim(raw: JsonMap | undefined): AddressClaimView | undefined {
  const object = named(raw);
  if (object === undefined || raw === undefined) return undefined;
  const { creationTimestamp } = metadataOf(raw);
  const [spec, status] = [mapOf(raw['spec']), mapOf(raw['status'])];
  return {
    ...object,
    createdAt: textOf(creationTimestamp),
    isPaused: isPausedByKey(object.annotations),
    cluster: textOf(spec['clusterName']) || textOf(object.labels[CLUSTER_NAME_LABEL]),
    poolRef: poolRefOf(spec),
    addressRef: textOf(mapOf(status['addressRef'])['name']),
    ready: readyOf(status),
  };
}

function readyOf(status: JsonMap): AddressClaimView['ready'] {
  const found = listOf(status['conditions']).find((each) => isMap(each) && each['type'] === READY);
  if (!isMap(found)) return undefined;
  const { status: value, reason, message, lastTransitionTime } = found;
  return { status: textOf(value), reason: textOf(reason), message: textOf(message), since: textOf(lastTransitionTime) };
}

/**
 * Reads an IPAddress.
 *
 * @param raw - of either version
 * @returns what it says; undefined for what has no name
 */
export function readIpAddress(raw: JsonMap | undefined): IpAddressView | undefined {
  const object = named(raw);
  if (object === undefined || raw === undefined) return undefined;
  const spec = mapOf(raw['spec']);
  const parsed = parseAddress(textOf(spec['address']));
  return {
    ...object,
    address: parsed.ok ? parsed.value : undefined,
    claim: textOf(mapOf(spec['claimRef'])['name']),
    poolRef: poolRefOf(spec),
    owners: listOf(metadataOf(raw)['ownerReferences']).filter(isMap).map(ownerOf),
    raw,
  };
}

function ownerOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: JsonMap): OwnerReference {
  return {
    apiVersion: textOf(apiVersion),
    kind: textOf(kind),
    name: textOf(name),
    uid: textOf(uid),
    controller: controller === true,
    blockOwnerDeletion: blockOwnerDeletion === true,
  };
}

/**
 * Tells whether a Cluster is paused.
 *
 * @param raw - of either version
 * @returns true by its spec or by its annotation
 */
export function isClusterPaused(raw: JsonMap): boolean {
  return mapOf(raw['spec'])['paused'] === true || isPausedByKey(mapOf(metadataOf(raw)['annotations']));
}
