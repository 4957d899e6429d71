import { isIn, type Address } from '../../../addressing/address';
import { NODE_EGRESS_ADDRESSES } from '../../../contract/egress';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { ObjectFeed } from '../../../ports/object-feed';
import { addressesIn } from '../shared/marks';

/** Label of a node by which a policy chooses it. */
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** What decides about a node as gateway. */
interface GatewayNode {
  readonly name: string;
  readonly host: string;
  readonly addresses: readonly Address[];
}

/** Nodes as they were when something of them changed last. */
interface Index {
  readonly hosts: ReadonlyMap<string, string>;
  /** Names of nodes by label value; none where two have the same. */
  readonly byHost: ReadonlyMap<string, string>;
  /** Names of nodes by address, in order. */
  readonly byAddress: ReadonlyMap<string, readonly string[]>;
}

/** Nodes by which egress addresses they have on their interfaces, as an annotation of each tells. */
export class GatewayNodes {
  readonly #nodes: ObjectFeed;
  readonly #stop: () => void;
  #index: Index | undefined;

  /**
   * Follows the nodes.
   *
   * @param nodes - of the cluster; shared
   * @param onChange - is told a node, and the addresses that it has or had; must not throw
   */
  constructor(nodes: ObjectFeed, onChange: (node: string, addresses: readonly Address[]) => void) {
    this.#nodes = nodes;
    this.#stop = nodes.onChange(({ key: { name }, before, after }) => {
      const [old, now] = [readGatewayNode(before), readGatewayNode(after)];
      if (old.host === now.host && String(old.addresses) === String(now.addresses)) return;
      this.#index = undefined;
      onChange(name, [...old.addresses, ...now.addresses.filter((address) => !isIn(address, old.addresses))]);
    });
  }

  /**
   * Finds the value by which a policy chooses a node.
   *
   * @param node - name
   * @returns undefined for a node without the label, and where another one has the same value
   */
  hostOf(node: string): string | undefined {
    const { hosts, byHost } = this.#indexed();
    const host = hosts.get(node);
    return host !== undefined && byHost.get(host) === node ? host : undefined;
  }

  /**
   * Finds the node that a policy chooses.
   *
   * @param host - value of the label
   * @returns its name; undefined where there is none, or more than one
   */
  at(host: string): string | undefined {
    return this.#indexed().byHost.get(host);
  }

  /**
   * Lists the nodes that have an address on an interface.
   *
   * @param address - of a CIDR
   * @returns their names, in order
   */
  having(address: Address): readonly string[] {
    return this.#indexed().byAddress.get(address.toString()) ?? [];
  }

  /** Ends; nothing is told any more. */
  close(): void {
    this.#stop();
  }

  #indexed(): Index {
    return (this.#index ??= indexOf(this.#nodes.list().map(readGatewayNode)));
  }
}

function readGatewayNode(object: JsonMap | undefined): GatewayNode {
  const { name, labels, annotations } = metadataOf(object);
  const list = textOf(mapOf(annotations)[NODE_EGRESS_ADDRESSES]).split(',');
  return {
    name: textOf(name),
    host: textOf(mapOf(labels)[HOSTNAME_LABEL]),
    addresses: addressesIn(list.map((text) => text.trim())),
  };
}

function indexOf(nodes: readonly GatewayNode[]): Index {
  const hosts = new Map<string, string>();
  const byHost = new Map<string, string>();
  const twins = new Set<string>();
  const byAddress = new Map<string, string[]>();
  for (const { name, host, addresses } of nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (host !== '') hosts.set(name, host);
    if (byHost.has(host)) twins.add(host);
    else if (host !== '') byHost.set(host, name);
    for (const address of addresses) {
      const all = byAddress.get(address.toString());
      if (all === undefined) byAddress.set(address.toString(), [name]);
      else if (all.at(-1) !== name) all.push(name);
    }
  }
  for (const host of twins) byHost.delete(host);
  return { hosts, byHost, byAddress };
}
