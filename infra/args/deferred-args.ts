import * as pulumi from '@pulumi/pulumi';

import { inside, type Judge, type Rule } from '../../constructs/props-kit/rule';
import { isPlain } from '../../constructs/props-kit/values';
import type { LateBoundValues } from '../../constructs/render/late-bound/late-bound';
import { isMap } from '../../operator/contract/loose-json';
import { asText } from './deferred-text';

/** Placeholders for Outputs until synth is over. */
export type OutputValues = LateBoundValues<pulumi.Output<unknown>>;

type Pending = pulumi.Output<unknown> | Promise<unknown>;

const isDeferred = (value: unknown): value is Pending => pulumi.Output.isInstance(value) || value instanceof Promise;

/** Props of a construct, made of the args of a component. */
export interface PropsOfArgs<P> {
  readonly props: P;
  /** One sentence for each Output that stands where it cannot be one. */
  readonly problems: readonly string[];
}

/** The args of a kind of component. */
export interface ArgsOf<P> {
  readonly args: object;
  /** For all of them; it tells numbers and booleans from texts. */
  readonly rule: Rule<P>;
  /** Paths of the args that are never Outputs. */
  readonly literal: readonly string[];
}

interface Place {
  readonly at: string;
  readonly rule: Judge | undefined;
}

/** Goes through the args of one component. */
class ArgsReader {
  readonly problems: string[] = [];
  readonly #values: OutputValues;
  readonly #literal: readonly string[];

  constructor(values: OutputValues, literal: readonly string[]) {
    this.#values = values;
    this.#literal = literal;
  }

  read(value: unknown, place: Place): unknown {
    const { at, rule } = place;
    if (isDeferred(value)) return this.#placeholder(value, place);
    if (Array.isArray(value)) {
      return value.map((item: unknown, i) =>
        this.read(item, { at: `${at}[${String(i)}]`, rule: rule?.within?.(String(i)) }),
      );
    }
    if (!isMap(value) || !isPlain(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        this.read(inner, { at: inside(at, key), rule: rule?.within?.(key) }),
      ]),
    );
  }

  #placeholder(deferred: Pending, { at, rule }: Place): unknown {
    const problem = this.#problemOf({ at, rule });
    if (problem !== undefined) this.problems.push(`${at}: ${problem}`);
    const source = pulumi.output(deferred);
    // a value that no rule knows (extra objects) is copied as it is, so any placeholder serves
    const { types } = rule ?? {};
    if (types === undefined) return this.#values.text(at, source);
    if (types.includes('string')) return this.#values.text(at, types.length === 1 ? asText(source) : source);
    return types.includes('number') ? this.#values.number(at, source) : this.#values.boolean(at, source);
  }

  #problemOf({ at, rule }: Place): string | undefined {
    const path = at.replaceAll(/\[\d+\]/gu, '');
    if (this.#literal.some((each) => path === each || path.startsWith(`${each}.`))) return NEEDED;
    const holdsLiteral = this.#literal.some((each) => each.startsWith(`${path}.`));
    return holdsLiteral || (rule?.within !== undefined && rule.types === undefined) ? NOT_A_LEAF : undefined;
  }
}

/** Said of an Output whose value has to be read. */
export const NEEDED = 'an Output was given, but the value is needed while the objects are made; give a plain value';
const NOT_A_LEAF = 'an Output was given for all of it; give a plain map or list, of which the leaves may be Outputs';

/**
 * Makes the props of a construct from the args of a component: each Output and promise is replaced by something that
 * construct code can pass on, and that says which prop it stands for where code looks into it.
 *
 * @param values - where the Outputs are kept
 * @param given - plain values and Outputs, as given to the component, and what is known of them; nothing in them is changed
 * @returns the props, to be built with where there are no problems
 */
export function propsOf<P>(values: OutputValues, { args, rule, literal }: ArgsOf<P>): PropsOfArgs<P> {
  const reader = new ArgsReader(values, literal);
  const props = reader.read(args, { at: '', rule }) as P;
  return { props, problems: reader.problems };
}
