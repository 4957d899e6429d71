import type { ClusterClient, Json, KubeObject } from './cluster-client';

/** Policies of the egress gateway of Cilium. */
export const POLICIES = '/apis/cilium.io/v2/ciliumegressgatewaypolicies';
/** The ConfigMap by which Cilium is configured. */
export const CILIUM_CONFIG = (data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cilium-config', namespace: 'kube-system' },
  data,
});

/** A gateway as a policy names it. */
interface Gateway {
  readonly host: string;
  readonly address: string;
}

/** Reads the gateways that count: those of the list, or else the one beside it. */
export function gatewaysOf({ spec }: KubeObject): readonly Gateway[] {
  const { egressGateways = [], egressGateway } = (spec ?? {}) as Record<string, unknown>;
  const list = egressGateways as Json[];
  return (list.length > 0 ? list : [egressGateway as Json]).map((each) => {
    const labels = (each['nodeSelector']?.['matchLabels'] ?? {}) as Record<string, string>;
    return { host: labels['kubernetes.io/hostname'] ?? '', address: String(each['egressIP']) };
  });
}

/**
 * The agents of Cilium on all nodes, as its manual describes them: an address of a policy is looked for on the interfaces of its gateway when the
 * policy was written, and at no other time; where it is not found, the gateway drops the traffic.
 */
export class CiliumAgents {
  /** Addresses on the interfaces of each node. */
  readonly interfaces = new Map<string, readonly string[]>();
  readonly #client: ClusterClient;
  readonly #policies = new Map<string, { readonly version: string; readonly found: readonly Gateway[] }>();

  constructor(client: ClusterClient) {
    this.#client = client;
  }

  /** Follows what was written since the last time. */
  async look(): Promise<void> {
    const { items = [] } = await this.#client.request('GET', POLICIES);
    const names = new Set(items.map(({ metadata: { name } }) => name));
    for (const name of this.#policies.keys()) if (!names.has(name)) this.#policies.delete(name);
    for (const policy of items) {
      const { name, resourceVersion } = policy.metadata;
      if (this.#policies.get(name)?.version === resourceVersion) continue;
      const has = ({ host, address }: Gateway): boolean => this.interfaces.get(host)?.includes(address) === true;
      this.#policies.set(name, { version: resourceVersion, found: gatewaysOf(policy).filter(has) });
    }
  }

  /** Where the traffic of the Pods of a policy leaves: `address@node` for each gateway that has its address. */
  leaving(policy: string): readonly string[] {
    return (this.#policies.get(policy)?.found ?? []).map(({ host, address }) => `${address}@${host}`);
  }
}
