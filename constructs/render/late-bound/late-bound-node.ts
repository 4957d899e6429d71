/** Kind of value that a placeholder stands for. */
type LateBoundKind = 'text' | 'number' | 'boolean' | 'items' | 'entries' | 'object';

/** One value that is known after synth only. */
export interface LateBoundValue<S> {
  /** The prop, or the chart's value, by which people know it. */
  readonly prop: string;
  readonly kind: LateBoundKind;
  /** Source that the renderer writes or reads in its place: a Helm expression, a Pulumi Output. */
  readonly source: S;
  /** True where objects of one entry carry the placeholder, and the value replaces all of them. */
  readonly carried: boolean;
}

/** Stands where a late-bound value is all of a value: what comes in its place keeps its type. */
export class LateBoundWhole<S> {
  readonly value: LateBoundValue<S>;

  /**
   * Wraps the value.
   *
   * @param value - what stands here in the end
   */
  constructor(value: LateBoundValue<S>) {
    this.value = value;
  }
}

/** Stands where late-bound values are parts of a text. */
export class LateBoundText<S> {
  readonly parts: readonly (string | LateBoundValue<S>)[];

  /**
   * Wraps the parts.
   *
   * @param parts - in their order
   */
  constructor(parts: readonly (string | LateBoundValue<S>)[]) {
    this.parts = parts;
  }
}

/** Stands for as many items as the late-bound list has. */
export class LateBoundEach<S> {
  readonly list: LateBoundValue<S>;
  /** One item, with the list's value wherever the element stands. */
  readonly item: LateBoundNode<S>;

  /**
   * Wraps list and item.
   *
   * @param list - what is walked through
   * @param item - what is made of each element
   */
  constructor(list: LateBoundValue<S>, item: LateBoundNode<S>) {
    this.list = list;
    this.item = item;
  }
}

/** JSON in which late-bound values stand. A map key that is a placeholder has the entries to merge as its value. */
export type LateBoundNode<S> =
  | null
  | string
  | number
  | boolean
  | LateBoundWhole<S>
  | LateBoundText<S>
  | LateBoundEach<S>
  | readonly LateBoundNode<S>[]
  | { readonly [key: string]: LateBoundNode<S> };

/**
 * Finds the late-bound lists of which an element stands in a node, without those that a list inside of it walks through.
 *
 * @param node - what to look into
 * @returns the lists, with repetitions
 */
export function openLists<S>(node: LateBoundNode<S>): readonly LateBoundValue<S>[] {
  if (node instanceof LateBoundEach || node === null || typeof node !== 'object') return [];
  if (node instanceof LateBoundWhole) return node.value.kind === 'items' ? [node.value] : [];
  if (node instanceof LateBoundText) {
    return node.parts.filter((part): part is LateBoundValue<S> => typeof part === 'object' && part.kind === 'items');
  }
  return Object.values(node).flatMap((inner: LateBoundNode<S>) => openLists(inner));
}
