import type { Address } from '../../../addressing/address';
import { compareText } from '../../by-age';
import type { CarriedAddress, EgressNode, NodeRoom } from './types';

/** One node with what it carries. */
interface Load {
  readonly node: EgressNode;
  readonly room: NodeRoom | undefined;
  readonly carried: Map<string, CarriedAddress>;
}

/** Addresses of one EgressIPAM on the nodes, while they are placed. */
export class Loads {
  readonly #loads: ReadonlyMap<string, Load>;
  /** Node of each address. */
  readonly #nodes = new Map<string, string>();
  /** Addresses of each namespace. */
  readonly #ofNamespace = new Map<string, Set<string>>();

  /**
   * Starts with empty nodes.
   *
   * @param nodes - of the cluster
   * @param roomOf - tells the room of each
   */
  constructor(nodes: readonly EgressNode[], roomOf: (node: EgressNode) => NodeRoom | undefined) {
    this.#loads = new Map(nodes.map((node) => [node.name, { node, room: roomOf(node), carried: new Map() }]));
  }

  /**
   * Tells where an address is.
   *
   * @param address - any address
   * @returns name of its node; undefined where it is on none
   */
  nodeOf(address: Address): string | undefined {
    return this.#nodes.get(address.toString());
  }

  /**
   * Puts an address on a node, and takes it off the one where it was.
   *
   * @param carried - the address and its namespace
   * @param node - that carries it from now on
   * @param node.name - its name
   */
  put({ address, namespace }: CarriedAddress, { name }: EgressNode): void {
    const text = address.toString();
    this.#loads.get(this.#nodes.get(text) ?? '')?.carried.delete(text);
    this.#loads.get(name)?.carried.set(text, { address, namespace });
    this.#nodes.set(text, name);
    const all = this.#ofNamespace.get(namespace) ?? new Set();
    this.#ofNamespace.set(namespace, all.add(text));
  }

  /**
   * Lists what a node carries.
   *
   * @param node - of the cluster
   * @param node.name - its name
   * @returns the addresses, the earliest first
   */
  on({ name }: EgressNode): readonly CarriedAddress[] {
    return [...(this.#loads.get(name)?.carried.values() ?? [])];
  }

  /**
   * Tells whether a node can carry addresses, full or not.
   *
   * @param node - of the cluster
   * @param node.name - its name
   * @returns false where it has no room, however little it carries
   */
  hasRoomAtAll({ name }: EgressNode): boolean {
    const room = this.#loads.get(name)?.room;
    return room !== undefined && (room.capacity ?? Infinity) > 0;
  }

  /**
   * Chooses a node for one more address: first one without an address of the namespace, then one in a zone with few of them, then the one
   * that is least full.
   *
   * @param nodes - that may carry it
   * @param namespace - of the address
   * @returns the node; undefined where none has room
   */
  bestOf(nodes: readonly EgressNode[], namespace: string): EgressNode | undefined {
    const candidates = nodes.flatMap((node) => this.#loads.get(node.name) ?? []).filter(hasRoom);
    const there = [...(this.#ofNamespace.get(namespace) ?? [])].flatMap(
      (text) => this.#loads.get(this.#nodes.get(text) ?? '')?.node ?? [],
    );
    const onNode = ({ node }: Load): number => there.filter(({ name }) => name === node.name).length;
    const inZone = ({ node }: Load): number => there.filter(({ zone }) => zone === node.zone).length;
    const [best] = candidates.sort(
      (a, b) =>
        onNode(a) - onNode(b) ||
        inZone(a) - inZone(b) ||
        fullness(a) - fullness(b) ||
        used(a) - used(b) ||
        compareText(a.node.name, b.node.name),
    );
    return best?.node;
  }
}

const used = ({ room, carried }: Load): number => (room?.used ?? 0) + carried.size;

const hasRoom = (load: Load): boolean => load.room !== undefined && used(load) < (load.room.capacity ?? Infinity);

const fullness = (load: Load): number => used(load) / (load.room?.capacity ?? Infinity);
