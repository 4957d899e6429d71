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
        name: 'v1',
        served: true,
        storage: true,
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

/** An address on a node. */
interface Item {
  readonly node: string;
  readonly egressIP: string;
}

const itemsOf = ({ status }: KubeObject): readonly Item[] =>
  ((status?.['items'] ?? []) as Json[]).map(({ node, egressIP }) => ({
    node: String(node),
    egressIP: String(egressIP),
  }));

/** Assignments of one round. */
class Round {
  readonly #nodes: readonly KubeObject[];
  readonly #loads = new Map<string, number>();
  readonly #taken = new Set<string>();

  constructor(nodes: readonly KubeObject[]) {
    this.#nodes = nodes;
  }

  itemsFor(object: KubeObject): readonly Item[] {
    const items: Item[] = [];
    for (const egressIP of textsOf(object.spec?.['egressIPs']).filter((text) => !this.#taken.has(text))) {
      const node = this.#bestFor(egressIP, items, itemsOf(object));
      if (node === undefined) continue;
      this.#taken.add(egressIP);
      this.#loads.set(node, (this.#loads.get(node) ?? 0) + 1);
      items.push({ node, egressIP });
    }
    return items;
  }

  #bestFor(text: string, items: readonly Item[], before: readonly Item[]): string | undefined {
    const names = this.#nodes.filter((node) => canCarry(node, text)).map(({ metadata: { name } }) => name);
    const free = names.filter((name) => !items.some(({ node }) => node === name));
    const stays = free.find((name) => before.some(({ node, egressIP }) => node === name && egressIP === text));
    const load = (name: string): number => this.#loads.get(name) ?? 0;
    return stays ?? free.toSorted((a, b) => load(a) - load(b))[0];
  }
}

/**
 * Does what the cluster manager of OVN-Kubernetes does, once: each address of an EgressIP goes to a labelled node of its subnet, the one with the
 * fewest, and never two of one object to one node; an address that an older object has is refused. The whole object is written, as there.
 */
export async function assignEgressIps(client: ClusterClient): Promise<void> {
  const { items: nodes = [] } = await client.request('GET', '/api/v1/nodes');
  const { items: all = [] } = await client.request('GET', EGRESS_IPS);
  const round = new Round(nodes);
  const byAge = all.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  for (const object of byAge) {
    const items = round.itemsFor(object);
    if (object.status !== undefined && JSON.stringify(items) === JSON.stringify(itemsOf(object))) continue;
    await client.attempt('PUT', `${EGRESS_IPS}/${object.metadata.name}`, { ...object, status: { items } });
  }
}
