import { isIn, parseAddress, type Address } from '../addressing/address';
import type { Prefix } from '../addressing/prefix';
import { isMap, jsonOf, listOf, mapOf, metadataOf, textOf, type JsonMap } from './loose-json';
import { sourceOf } from './occupied-source';
import { LOAD_BALANCER } from './service';
import { SERVICE } from './service-identity';

/** The addresses behind `default/kubernetes`, as messages name them. */
const API_SERVER_SOURCE = 'kubernetes API server';

/** Types of addresses of a Node that are seen outside of it. */
const NODE_ADDRESS_TYPES: readonly string[] = ['InternalIP', 'ExternalIP'];

/** Annotation of a Node with all addresses of its interfaces, written by OVN-Kubernetes. */
export const NODE_HOST_CIDRS = 'k8s.ovn.org/host-cidrs';

/** Annotations of a Node with those of these addresses that OVN-Kubernetes put there, as egress addresses. */
const PUT_BY_OVN = ['k8s.ovn.org/secondary-host-egress-ips', 'k8s.ovn.org/bridge-egress-ips'] as const;

/** Annotations of a Node by which its addresses are known. */
export const NODE_ADDRESS_KEYS: readonly string[] = [NODE_HOST_CIDRS, ...PUT_BY_OVN];

/** Addresses of one kind that an object shows. */
export interface ShownAddresses {
  /**
   * `node`, `apiServer`: addresses of machines; `claim`: what an AddressClaim has for its holder; `ingress`: what a LoadBalancer shows in
   * its status; `externalIPs`: what a Service claims by its own word.
   */
  readonly kind: 'apiServer' | 'node' | 'claim' | 'ingress' | 'externalIPs';
  /** By what they are shown, for example `Node/worker-1`. */
  readonly source: string;
  readonly addresses: readonly Address[];
  /** Prefixes of which every address is in use. */
  readonly blocks?: readonly Prefix[];
  /** The network in which they are in use; absent: in every one. */
  readonly network?: string;
}

/**
 * Reads the addresses of a Node.
 *
 * @param node - core/v1, raw
 * @returns its internal and external ones, and those that OVN-Kubernetes found on its interfaces
 */
export function shownByNode(node: JsonMap): readonly ShownAddresses[] {
  const entries = listOf(mapOf(node['status'])['addresses']).filter(isMap);
  const addresses = entries
    .filter((entry) => NODE_ADDRESS_TYPES.includes(textOf(entry['type'])))
    .flatMap((entry) => addressIn(entry['address']));
  const source = sourceOf({ kind: 'Node', namespace: '', name: textOf(metadataOf(node)['name']) });
  return shown('node', source, [...addresses, ...hostAddresses(metadataOf(node)['annotations'])]);
}

/**
 * Lists the addresses of the interfaces of a Node that others than OVN-Kubernetes gave it.
 *
 * @param annotations - of the Node
 * @returns those of its annotation; none where it is missing or malformed
 */
export function hostAddresses(annotations: unknown): readonly Address[] {
  const listed = (key: string): readonly Address[] =>
    listOf(jsonOf(textOf(mapOf(annotations)[key]))).flatMap((each) => addressIn(textOf(each).split('/')[0]));
  const egress = PUT_BY_OVN.flatMap(listed);
  return listed(NODE_HOST_CIDRS).filter((address) => !isIn(address, egress));
}

/**
 * Reads the addresses of the API server.
 *
 * @param slice - EndpointSlice `default/kubernetes`, raw
 * @returns every address behind it
 */
export function shownByApiServer(slice: JsonMap): readonly ShownAddresses[] {
  const endpoints = listOf(slice['endpoints']).filter(isMap);
  const addresses = endpoints.flatMap((endpoint) => listOf(endpoint['addresses']).flatMap(addressIn));
  return shown('apiServer', API_SERVER_SOURCE, addresses);
}

/**
 * Reads the addresses of a Service.
 *
 * @param service - core/v1, raw
 * @param classes - values of `spec.loadBalancerClass` that a running announcer serves; Services without a class count always
 * @returns its ingress, and what it claims in `spec.externalIPs`
 */
export function shownByService(service: JsonMap, classes: readonly string[]): readonly ShownAddresses[] {
  const { namespace, name } = metadataOf(service);
  const source = sourceOf({ kind: SERVICE.kind, namespace: textOf(namespace), name: textOf(name) });
  const spec = mapOf(service['spec']);
  const external = listOf(spec['externalIPs']).flatMap(addressIn);
  return [...shown('ingress', source, ingressOf(service, classes)), ...shown('externalIPs', source, external)];
}

function ingressOf(service: JsonMap, classes: readonly string[]): readonly Address[] {
  const loadBalancerClass = textOf(mapOf(service['spec'])['loadBalancerClass']);
  return loadBalancerClass === '' || classes.includes(loadBalancerClass) ? announcedAddresses(service) : [];
}

/**
 * Reads which addresses the load balancer gave to a Service.
 *
 * @param service - core/v1, raw; undefined counts as none
 * @returns the addresses in its status; none unless it is a LoadBalancer
 */
export function announcedAddresses(service: JsonMap | undefined): readonly Address[] {
  if (textOf(mapOf(service?.['spec'])['type']) !== LOAD_BALANCER) return [];
  const { ingress } = mapOf(mapOf(service?.['status'])['loadBalancer']);
  return listOf(ingress)
    .filter(isMap)
    .flatMap((entry) => addressIn(entry['ip']));
}

function shown(kind: ShownAddresses['kind'], source: string, all: readonly Address[]): readonly ShownAddresses[] {
  const addresses = [...new Map(all.map((address) => [address.toString(), address])).values()];
  return addresses.length === 0 ? [] : [{ kind, source, addresses }];
}

/**
 * Reads one address out of what an object says.
 *
 * @param value - of a field, raw
 * @returns the address; none where there is none, or something else
 */
export function addressIn(value: unknown): readonly Address[] {
  const parsed = parseAddress(textOf(value));
  return parsed.ok ? [parsed.value] : [];
}
