import { isMap } from '../../../operator/contract/loose-json';
import { IpamError } from '../../../operator/errors/ipam-error';
import { placeholderOf, placeholdersIn } from '../../props-kit/placeholder';
import {
  LateBoundEach,
  LateBoundText,
  LateBoundWhole,
  openLists,
  type LateBoundNode,
  type LateBoundValue,
} from './late-bound-node';

/**
 * Stands for a number or a boolean. Text of it is the placeholder, and cdk8s resolves it to the placeholder; code that
 * calculates with it gets an error that names the prop, where a string in disguise would end as NaN in a manifest.
 */
class Disguised {
  readonly #prop: string;
  readonly #placeholder: string;

  constructor(prop: string, placeholder: string) {
    this.#prop = prop;
    this.#placeholder = placeholder;
  }

  resolve(): string {
    return this.#placeholder;
  }

  toJSON(): string {
    return this.#placeholder;
  }

  toString(): string {
    return this.#placeholder;
  }

  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.#placeholder;
    throw new IpamError(
      'settings/invalid',
      `${this.#prop}: the late-bound value is known after synth only, so it cannot be calculated or compared with here; give a plain value`,
    );
  }
}

/**
 * Values that are known after synth only, as placeholders that pass through construct code and `ApiObject.toJson()`.
 * A renderer makes one, hands its placeholders out as props, and reads the synthesized objects back through {@link read}.
 *
 * Construct code may copy, spread, concatenate and map a placeholder. It cannot branch on it: a prop that decides the shape
 * of objects needs its real value.
 */
export class LateBoundValues<S> {
  readonly #values: LateBoundValue<S>[] = [];
  readonly #used = new Set<number>();

  /**
   * Declares a text.
   *
   * @param prop - name for messages
   * @param source - what stands in its place in the end
   * @returns the placeholder, whole or as part of a longer text
   */
  text(prop: string, source: S): string {
    return this.#declare({ prop, kind: 'text', source, carried: false });
  }

  /**
   * Declares a number.
   *
   * @param prop - name for messages
   * @param source - what stands in its place in the end
   * @returns something that construct code may pass on but not calculate with
   */
  number(prop: string, source: S): number {
    const placeholder = this.#declare({ prop, kind: 'number', source, carried: false });
    return new Disguised(prop, placeholder) as unknown as number;
  }

  /**
   * Declares a boolean that construct code passes on without a look at it.
   *
   * @param prop - name for messages
   * @param source - what stands in its place in the end
   * @returns something that construct code may pass on
   */
  boolean(prop: string, source: S): boolean {
    const placeholder = this.#declare({ prop, kind: 'boolean', source, carried: false });
    return new Disguised(prop, placeholder) as unknown as boolean;
  }

  /**
   * Declares a list of texts.
   *
   * @param prop - name for messages
   * @param source - what stands in its place in the end
   * @returns a list of one: whatever construct code makes of this item is made of each item in the end
   */
  items(prop: string, source: S): readonly string[] {
    return [this.#declare({ prop, kind: 'items', source, carried: false })];
  }

  /**
   * Declares a list of objects.
   *
   * @param prop - name for messages
   * @param carrier - a text field of these objects; typed cdk8s code copies known fields only, so one must hold the place
   * @param source - what stands in its place in the end
   * @returns a list of one
   */
  objects<V extends object>(prop: string, carrier: keyof V, source: S): readonly V[] {
    const placeholder = this.#declare({ prop, kind: 'items', source, carried: true });
    return [{ [carrier]: placeholder } as V];
  }

  /**
   * Declares one object.
   *
   * @param prop - name for messages
   * @param carrier - makes an object of the right type of which the placeholder is the only leaf
   * @param source - what stands in its place in the end
   * @returns the carrier, all of which is replaced
   */
  object<V extends object>(prop: string, carrier: (placeholder: string) => V, source: S): V {
    return carrier(this.#declare({ prop, kind: 'object', source, carried: true }));
  }

  /**
   * Declares a map of texts.
   *
   * @param prop - name for messages
   * @param source - what stands in its place in the end
   * @returns a map of one entry that may be spread into another
   */
  entries(prop: string, source: S): Readonly<Record<string, string>> {
    const placeholder = this.#declare({ prop, kind: 'entries', source, carried: false });
    return { [placeholder]: placeholder };
  }

  /**
   * Finds the placeholders in what synth made.
   *
   * @param manifest - a synthesized object, plain JSON
   * @returns the same with a node wherever a late-bound value stands
   * @throws {@link IpamError} `settings/invalid` where a placeholder was cut up or is of another renderer
   */
  read(manifest: unknown): LateBoundNode<S> {
    if (typeof manifest === 'string') return this.#readText(manifest);
    if (Array.isArray(manifest)) return this.#readList(manifest);
    if (!isMap(manifest)) return manifest as LateBoundNode<S>;
    const entries = Object.entries(manifest);
    const [first] = entries;
    if (entries.length === 1 && first !== undefined) {
      const inner = this.read(first[1]);
      if (inner instanceof LateBoundWhole && inner.value.carried) return inner;
    }
    return Object.fromEntries(entries.map(([key, value]) => [key, this.read(value)]));
  }

  /**
   * Counts what was declared so far.
   *
   * @returns the number of values
   */
  count(): number {
    return this.#values.length;
  }

  /**
   * Lists values of which no placeholder was read: construct code parsed, hashed or dropped them.
   *
   * @param since - leaves out as many that were declared first
   * @returns their props
   */
  unused(since = 0): readonly string[] {
    return this.#values.filter((_value, id) => id >= since && !this.#used.has(id)).map(({ prop }) => prop);
  }

  #declare(value: LateBoundValue<S>): string {
    return placeholderOf(this.#values.push(value) - 1, value.prop);
  }

  #readText(text: string): LateBoundNode<S> {
    const parts = placeholdersIn(text, (id) => this.#values[id]?.prop).map((part) =>
      typeof part === 'string' ? part : this.#valueOf(part.id),
    );
    const [only = ''] = parts;
    if (parts.length > 1) return new LateBoundText(parts);
    return typeof only === 'string' ? only : new LateBoundWhole(only);
  }

  #readList(list: readonly unknown[]): LateBoundNode<S> {
    const nodes = list.map((item) => this.#readItem(item));
    const [first] = nodes;
    // a list inside of a carrier
    const carries = nodes.length === 1 && first instanceof LateBoundWhole && first.value.kind === 'object';
    return carries ? first : nodes;
  }

  #readItem(item: unknown): LateBoundNode<S> {
    const node = this.read(item);
    const [list, ...others] = [...new Set(openLists(node))];
    if (list === undefined) return node;
    if (others.length > 0) {
      const props = [list, ...others].map(({ prop: name }) => name).join(' and ');
      throw new IpamError('settings/invalid', `${props}: two late-bound lists cannot meet in one item of a list`);
    }
    return new LateBoundEach(list, node);
  }

  #valueOf(id: number): LateBoundValue<S> {
    const value = this.#values[id];
    if (value === undefined) {
      throw new IpamError('settings/invalid', `late-bound value number ${String(id)} was declared by another renderer`);
    }
    this.#used.add(id);
    return value;
  }
}
