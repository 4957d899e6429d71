import { parseAddress } from '../../../operator/addressing/address';
import { parseAddressWithMask } from '../../../operator/addressing/prefix';
import type { ClusterClient, Json, KubeObject } from './cluster-client';

/** EgressIPs of OVN-Kubernetes. */
export const EGRESS_IPS = '/apis/k8s.ovn.org/v1/egressips';
/** Label of nodes that OVN-Kubernetes puts addresses on. */
export const ASSIGNABLE = 'k8s.ovn.org/egress-assignable';

const selector = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
    matchExpressions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'operator'],
        properties: {
          key: { type: 'string' },
          operator: { type: 'string' },
          values: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
};

const item = {
  type: 'object',
  required: ['egressIP', 'node'],
  properties: { egressIP: { type: 'string' }, node: { type: 'string' } },
};

/**
 * The kind EgressIP, written after its published fields, since the Go module of OVN-Kubernetes cannot be fetched. As there, it has no
 * subresource `status`, so that a write of the whole object reaches the status too.
 */
export const EGRESS_IP_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'egressips.k8s.ovn.org' },
  spec: {
    group: 'k8s.ovn.org',
    scope: 'Cluster',
    names: {
      kind: 'EgressIP',
      listKind: 'EgressIPList',
      plural: 'egressips',
      singular: 'egressip',
      shortNames: ['eip'],
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['egressIPs', 'namespaceSelector'],
                properties: {
                  egressIPs: { type: 'array', items: { type: 'string' } },
                  namespaceSelector: selector,
                  podSelector: selector,
                },
              },
              status: { type: 'object', required: ['items'], properties: { items: { type: 'array', items: item } } },
            },
          },
        },
      },
    ],
  },
};

/** A node as OVN-Kubernetes has prepared it. */
export const ovnNode = (name: string, subnet: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels,
    annotations: { 'k8s.ovn.org/node-primary-ifaddr': JSON.stringify({ ipv4: subnet }) },
  },
});

const textsOf = (list: unknown): readonly string[] => (Array.isArray(list) ? (list as string[]) : []);

function canCarry(node: KubeObject, text: string): boolean {
  const [labels, annotations] = [node.metadata.labels ?? {}, node.metadata.annotations ?? {}];
  const primary = JSON.parse(annotations['k8s.ovn.org/node-primary-ifaddr'] ?? '{}') as Record<string, string>;
  const address = parseAddress(text);
  return (
    ASSIGNABLE in labels &&
    address.ok &&
    Object.values(primary).some((cidr) => {
      const parsed = parseAddressWithMask(cidr);
      return parsed.ok && parsed.value.network.contains(address.value);
    })
  );
}

/**
 * Does what the cluster manager of OVN-Kubernetes does, once: each address of an EgressIP goes to a labelled node of its subnet, the one with the
 * fewest, and never two of one object to one node; an address that an older object has is refused. The whole object is written, as there.
 */
export async function assignEgressIps(client: ClusterClient): Promise<void> {
  const { items: nodes = [] } = await client.request('GET', '/api/v1/nodes');
  const { items: all = [] } = await client.request('GET', EGRESS_IPS);
  const loads = new Map<string, number>();
  const taken = new Set<string>();
  const byAge = all.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  for (const object of byAge) {
    const before = ((object.status?.['items'] ?? []) as Json[]).map(
      ({ node, egressIP }) => `${String(node)} ${String(egressIP)}`,
    );
    const items: { readonly node: string; readonly egressIP: string }[] = [];
    for (const egressIP of textsOf(object.spec?.['egressIPs']).filter((text) => !taken.has(text))) {
      const free = nodes.filter(
        (node) => canCarry(node, egressIP) && !items.some(({ node: name }) => name === node.metadata.name),
      );
      const stays = free.find(({ metadata: { name } }) => before.includes(`${name} ${egressIP}`));
      const load = ({ metadata }: KubeObject): number => loads.get(metadata.name) ?? 0;
      const best = stays ?? free.toSorted((a, b) => load(a) - load(b))[0];
      if (best === undefined) continue;
      taken.add(egressIP);
      loads.set(best.metadata.name, load(best) + 1);
      items.push({ node: best.metadata.name, egressIP });
    }
    const after = items.map(({ node, egressIP }) => `${node} ${egressIP}`);
    if (object.status !== undefined && after.join() === before.join()) continue;
    await client.attempt('PUT', `${EGRESS_IPS}/${object.metadata.name}`, { ...object, status: { items } });
  }
}
