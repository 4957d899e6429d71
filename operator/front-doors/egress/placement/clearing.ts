import { isIn, type Address } from '../../../addressing/address';
import type { EgressDataplane } from '../../../ports/egress-dataplane';
import { optInOf } from '../../../rules/egress';
import type { Carrier } from '../facts/carrier';
import { hasUnknownGroups, isKnown, type PlacementContext } from './placement-context';

/** Namespaces that wait until no dataplane has their addresses any more, so that these can be given back. */
export class Clearing {
  readonly #context: PlacementContext;
  readonly #waiting = new Map<string, readonly Address[]>();

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
   * @param addresses - that it is to give back
   * @returns false also while not all dataplanes are known
   */
  isClear(namespace: string, addresses: readonly Address[]): boolean {
    if (this.#isClearNow(namespace, addresses)) {
      this.#waiting.delete(namespace);
      return true;
    }
    this.#waiting.set(namespace, addresses);
    return false;
  }

  /** Wakes those whose addresses no dataplane has any more. */
  look(): void {
    for (const [name, addresses] of this.#waiting) {
      if (!this.#isClearNow(name, addresses)) continue;
      this.#waiting.delete(name);
      this.#context.door.waiting.wake({ of: 'namespace', name });
    }
  }

  /** Forgets all: another process places from now on. */
  clear(): void {
    this.#waiting.clear();
  }

  #isClearNow(namespace: string, addresses: readonly Address[]): boolean {
    const { areDataplanesKnown, door } = this.#context;
    if (!areDataplanesKnown) return false;
    return door.parts.dataplanes
      .open()
      .every((dataplane) => isFreeOf(this.#context, dataplane, { namespace, addresses }));
  }
}

function isFreeOf(
  { writes, placements }: PlacementContext,
  dataplane: EgressDataplane,
  { namespace, addresses }: { readonly namespace: string; readonly addresses: readonly Address[] },
): boolean {
  if (!isKnown(dataplane)) return false;
  // a node that was not worked on yet would still get what was placed
  const placed = [...placements.values()].flatMap((each) => each.placed?.namespaces.get(namespace) ?? []);
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
