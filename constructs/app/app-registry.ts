import type { IConstruct } from 'constructs';

import { PrefixTree } from '../../operator/addressing/prefix-tree';
import { rangeToPrefixes, type Range } from '../../operator/addressing/range';

/** One of the things that an app declares more than once. */
interface Member {
  /** The construct that answers for it. */
  readonly construct: IConstruct;
}

/** Under what the others of the app find a member. */
interface Place {
  readonly keys?: readonly string[];
  /** Addresses that it holds, and what they are addresses of. */
  readonly space?: { readonly of: string; readonly ranges: readonly Range[] };
}

// What was taken out of its app, as a Pulumi component does with what it refuses, is in the way of nothing.
const standsInTree = ({ construct }: Member): boolean => {
  const { scope, id } = construct.node;
  return scope === undefined || (scope.node.tryFindChild(id) === construct && standsInTree({ construct: scope }));
};

/** The members of one app. */
class MembersOfApp<M extends Member> {
  /** With the number of each in the order of declaration. */
  readonly all = new Map<M, number>();
  readonly byKey = new Map<string, M[]>();
  readonly bySpace = new Map<string, PrefixTree<M[]>>();

  isEarlier(one: M, other: M): boolean {
    return (this.all.get(one) ?? 0) < (this.all.get(other) ?? 0);
  }

  hold(space: string, range: Range, member: M): void {
    const tree = this.bySpace.get(space) ?? new PrefixTree<M[]>();
    this.bySpace.set(space, tree);
    for (const prefix of rangeToPrefixes(range)) {
      const there = tree.get(prefix);
      if (there === undefined) tree.insert(prefix, [member]);
      else there.push(member);
    }
  }
}

/**
 * Things of one kind that the constructs of an app declare, whatever chart they are in, so that each can be compared with those that
 * were declared before it: each pair is then reported once.
 *
 * @remarks A member costs O(log n) and the size of the answer. Apps are told apart by the root of their construct tree, and forgotten
 * with it.
 */
export class AppRegistry<M extends Member> {
  readonly #apps = new WeakMap<IConstruct, MembersOfApp<M>>();

  /**
   * Makes a member known to the others of its app.
   *
   * @param member - any; the same one only once
   * @param place - keys and addresses under which it is found
   */
  register(member: M, { keys = [], space }: Place = {}): void {
    const { root } = member.construct.node;
    const app = this.#apps.get(root) ?? new MembersOfApp<M>();
    this.#apps.set(root, app);
    app.all.set(member, app.all.size);
    for (const key of keys) {
      const there = app.byKey.get(key);
      if (there === undefined) app.byKey.set(key, [member]);
      else there.push(member);
    }
    space?.ranges.forEach((range) => {
      app.hold(space.of, range, member);
    });
  }

  /**
   * Lists the members of an app.
   *
   * @param construct - anywhere in the app
   * @returns in the order of their declaration
   */
  all(construct: IConstruct): readonly M[] {
    return [...(this.#apps.get(construct.node.root)?.all.keys() ?? [])].filter(standsInTree);
  }

  /**
   * Finds those that were declared before a member under a key.
   *
   * @param member - a registered one
   * @param key - one of its own
   * @returns in the order of their declaration
   */
  earlierAt(member: M, key: string): readonly M[] {
    const there = this.#apps.get(member.construct.node.root)?.byKey.get(key) ?? [];
    return there.slice(0, Math.max(0, there.indexOf(member))).filter(standsInTree);
  }

  /**
   * Finds those that were declared before a member and hold some of its addresses.
   *
   * @param member - a registered one
   * @param space - as it was registered
   * @param space.of - what the addresses are of
   * @param space.ranges - addresses of the member
   * @returns each once, in the order of their declaration
   */
  earlierIn(member: M, { of, ranges }: NonNullable<Place['space']>): readonly M[] {
    const app = this.#apps.get(member.construct.node.root);
    const tree = app?.bySpace.get(of);
    if (app === undefined || tree === undefined) return [];
    const overlapping = ranges
      .flatMap(rangeToPrefixes)
      .flatMap((prefix) => tree.overlapping(prefix))
      .flatMap((members) => members.filter((other) => app.isEarlier(other, member)));
    return this.inOrder(overlapping.filter(standsInTree));
  }

  /**
   * Sorts members of one app.
   *
   * @param members - with repetitions
   * @returns each once, in the order of their declaration
   */
  inOrder(members: readonly M[]): readonly M[] {
    const [first] = members;
    const app = first === undefined ? undefined : this.#apps.get(first.construct.node.root);
    return [...new Set(members)].toSorted((one, other) => (app?.isEarlier(one, other) === true ? -1 : 1));
  }
}
