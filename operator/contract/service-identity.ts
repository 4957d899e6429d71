import { SERVICE_KIND } from '../errors/store-refusals';

/** API version and kind of a Service. */
export const SERVICE = { apiVersion: 'v1', kind: SERVICE_KIND } as const;

/** Identity of a Service on every cluster, as the IPAM-API has it. */
interface Identity {
  readonly serviceName: string;
  readonly namespaceUid: string;
  readonly clusterUid: string;
}

/** A Service as far as it is known: one that asks, or one that holds. */
interface KnownService {
  readonly service: Identity;
  /** Name of the namespace; empty where only its UID is known. */
  readonly namespace: string;
  /** UID of the stored object. */
  readonly serviceUid?: string | undefined;
}

/** The parts of an owner that the identity of a Service has. */
interface NamedOwner {
  readonly cluster: string;
  readonly namespaceUid: string;
  readonly name: string;
}

/** A Service as the owner of a claim. */
export interface ServiceOwner extends NamedOwner {
  readonly apiVersion: typeof SERVICE.apiVersion;
  readonly kind: typeof SERVICE.kind;
  readonly namespace: string;
  readonly uid?: string;
}

/**
 * Describes a Service as the owner of a claim. A standing claim is written the same way, without cluster and namespace.
 *
 * @param known - identity, name of the namespace, and the UID where it is known
 * @returns cluster, kind, names and UIDs as claims have them
 */
export function serviceOwner({ service, namespace, serviceUid }: KnownService): ServiceOwner {
  const { serviceName: name, namespaceUid, clusterUid: cluster } = service;
  const { apiVersion, kind } = SERVICE;
  const owner = { cluster, apiVersion, kind, namespace, namespaceUid, name };
  return serviceUid === undefined ? owner : { ...owner, uid: serviceUid };
}

/**
 * Writes an owner as the IPAM-API names a Service.
 *
 * @param owner - of a claim
 * @returns its identity triple
 */
export function serviceIdentity({ cluster, namespaceUid, name }: NamedOwner): Identity {
  return { serviceName: name, namespaceUid, clusterUid: cluster };
}
