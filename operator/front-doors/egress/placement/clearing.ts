import { isIn } from '../../../addressing/address';
import type { EgressDataplane } from '../../../ports/egress-dataplane';
import { optInOf } from '../../../rules/egress';
import type { Carrier, HeldPlace } from '../facts/carrier';
import { unseenAt } from '../facts/seen-dataplanes';
import { hasUnknownGroups, isKnown, type PlacementContext } from './placement-context';

/** Namespaces that wait until no dataplane has their addresses any more, so that these can be given back. */
export class Clearing {
  readonly #context: PlacementContext;
  readonly #waiting = new Map<string, readonly HeldPlace[]>();

  /**
   * Starts without a namespace.
   *
   * @param context - of the placement
   */
  constructor(context: PlacementContext) {
    this.#context = context;
  }

  /**
   * Tells whether no dataplane has addresses of a namespace. If not, the namespace is woken once that is so.
   *
   * @param namespace - name
   * @param held - addresses that it is to give back
   * @returns false also while not all dataplanes are known, or one that may have an address is not driven
   */
  isClear(namespace: string, held: readonly HeldPlace[]): boolean {
    if (this.#isClearNow(namespace, held)) {
      this.#waiting.delete(namespace);
      return true;
    }
    this.#waiting.set(namespace, held);
    return false;
  }

  /**
   * Tells whether one dataplane has nothing of an address.
   *
   * @param name - of the dataplane
   * @param namespace - that holds the address
   * @param held - the address
   * @returns false also while that is not known
   */
  hasLetGo(name: string, namespace: string, held: HeldPlace): boolean {
    const { areDataplanesKnown, door } = this.#context;
    if (!areDataplanesKnown) return false;
    const dataplane = door.parts.dataplanes.find(name);
    if (typeof dataplane === 'string') return dataplane === 'absent';
    return isFreeOf(this.#context, dataplane, { namespace, addresses: [held.address] });
  }

  /** Wakes those whose addresses no dataplane has any more. */
  look(): void {
    for (const [name, held] of this.#waiting) {
      if (!this.#isClearNow(name, held)) continue;
      this.#waiting.delete(name);
      this.#context.door.waiting.wake({ of: 'namespace', name });
    }
  }

  /** Forgets all: another process places from now on. */
  clear(): void {
    this.#waiting.clear();
  }

  #isClearNow(namespace: string, held: readonly HeldPlace[]): boolean {
    const { areDataplanesKnown, door } = this.#context;
    if (!areDataplanesKnown) return false;
    // what cannot be looked at may have anything
    if (held.some((each) => unseenAt(door.parts, each).length > 0)) return false;
    const addresses = held.map(({ address }) => address);
    return door.parts.dataplanes
      .open()
      .every((dataplane) => isFreeOf(this.#context, dataplane, { namespace, addresses }));
  }
}

function isFreeOf(
  { writes, placements }: PlacementContext,
  dataplane: EgressDataplane,
  { namespace, addresses }: { readonly namespace: string; readonly addresses: readonly HeldPlace['address'][] },
): boolean {
  if (!isKnown(dataplane)) return false;
  // a node that was not worked on yet would still get what was placed
  const placed = [...placements.values()].flatMap(({ placed: of }) =>
    of?.dataplane === dataplane ? (of.namespaces.get(namespace) ?? []) : [],
  );
  if (placed.some(({ address }) => isIn(address, addresses))) return false;
  const { nodes, namespaces } = writes.of(dataplane);
  const entry = namespaces.get(namespace);
  // nothing was written in this term: it has what an earlier one gave it
  if (entry?.done === undefined && dataplane.known().namespaces.includes(namespace)) return false;
  const texts = addresses.map(String);
  const isIncluded = (all: ReadonlySet<string>): boolean => texts.some((text) => all.has(text));
  if (entry !== undefined && isIncluded(entry.maybe)) return false;
  if ([...nodes.all()].some(([, { maybe }]) => isIncluded(maybe))) return false;
  return !dataplane.placed().some(({ address }) => isIn(address, addresses));
}

/**
 * Lists what dataplanes may have of an EgressIPAM.
 *
 * @param context - of the placement
 * @param egressIpam - its name
 * @returns names of nodes, and of the namespaces that opt in to it
 */
export function remainsOf(context: PlacementContext, egressIpam: string): ReturnType<Carrier['remainsOf']> {
  const { writes, door } = context;
  const open = door.parts.dataplanes.open();
  const isOf = (text: string): boolean => text.startsWith(`${egressIpam} `);
  const nodes = open.flatMap((dataplane) => {
    const all = writes.of(dataplane).nodes;
    const having = [...all.all()].flatMap(([name, { maybe }]) => ([...maybe].some(isOf) ? name : []));
    // a node that is left alone for the sake of another EgressIPAM is not waited for
    if (hasUnknownGroups(context)) return having;
    return [...having, ...dataplane.known().nodes.filter((name) => all.get(name)?.done === undefined)];
  });
  const known = open.flatMap((dataplane) => dataplane.known().namespaces);
  const namespaces = known.filter((name) => {
    return optInOf(door.parts.namespaces.get('', name)) === egressIpam;
  });
  return { nodes, namespaces };
}
