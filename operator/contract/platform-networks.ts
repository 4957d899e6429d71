import { parsePrefix, type Prefix } from '../addressing/prefix';
import { OPENSHIFT_CONFIG } from './api-group';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from './loose-json';
import { sourceOf } from './occupied-source';
import { addressIn, type ShownAddresses } from './shown-addresses';

/** Kinds by which a cluster tells its networks and its own addresses; none of them is there in every cluster. */
export const PLATFORM_KINDS = {
  serviceCidrs: { apiVersion: 'networking.k8s.io/v1', resource: 'servicecidrs' },
  /** One object, `cluster`. */
  networks: { apiVersion: OPENSHIFT_CONFIG, resource: 'networks' },
  /** One object, `cluster`. */
  infrastructures: { apiVersion: OPENSHIFT_CONFIG, resource: 'infrastructures' },
} as const;

/** Name of the one object of a kind of OpenShift. */
export const OPENSHIFT_OBJECT = 'cluster';

/** A network of Pods or of Services. */
export interface ClusterNetwork {
  readonly prefix: Prefix;
  /** Object that tells it, in the words of users. */
  readonly source: string;
}

/**
 * Reads the networks that an object tells.
 *
 * @param kind - of the object
 * @param object - a Node, a ServiceCIDR, or the Network of OpenShift, raw
 * @returns each with its source; what cannot be read is passed over
 */
export function networksOf(kind: 'Node' | 'ServiceCIDR' | 'Network', object: JsonMap): readonly ClusterNetwork[] {
  const source = sourceOf({ kind, namespace: '', name: textOf(metadataOf(object)['name']) });
  const [spec, status] = [mapOf(object['spec']), mapOf(object['status'])];
  const texts = {
    Node: () => listOf(spec['podCIDRs']),
    ServiceCIDR: () => listOf(spec['cidrs']),
    Network: () => [
      ...[spec, status].flatMap((each) => listOf(each['clusterNetwork'])).map((entry) => mapOf(entry)['cidr']),
      ...[spec, status].flatMap((each) => listOf(each['serviceNetwork'])),
    ],
  }[kind]();
  const prefixes = [...new Set(texts)].flatMap((text) => {
    const parsed = parsePrefix(textOf(text));
    return parsed.ok ? [parsed.value] : [];
  });
  return prefixes.map((prefix) => ({ prefix, source }));
}

const VIP_FIELDS = ['apiServerInternalIPs', 'ingressIPs', 'apiServerInternalIP', 'ingressIP'] as const;

/**
 * Reads the addresses of the API server and of ingress that OpenShift has on the network of its nodes.
 *
 * @param infrastructure - `config.openshift.io/v1`, raw
 * @returns those of every platform, in the fields of today and in the older ones
 */
export function shownByInfrastructure(infrastructure: JsonMap): readonly ShownAddresses[] {
  const platforms = Object.values(mapOf(mapOf(infrastructure['status'])['platformStatus'])).filter(isMap);
  const values = platforms.flatMap((platform) => VIP_FIELDS.flatMap((field) => [platform[field]].flat()));
  const addresses = [...new Map(values.flatMap(addressIn).map((each) => [each.toString(), each])).values()];
  if (addresses.length === 0) return [];
  const name = textOf(metadataOf(infrastructure)['name']);
  return [{ kind: 'apiServer', source: sourceOf({ kind: 'Infrastructure', namespace: '', name }), addresses }];
}
