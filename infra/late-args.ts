import * as pulumi from '@pulumi/pulumi';

import { inside, type Judge, type Rule } from '../constructs/props/rule';
import type { LateBoundValues } from '../constructs/render/late-bound';
import { isMap } from '../operator/contract/loose-json';

/** What stands in the place of an Output until synth is over. */
export type OutputValues = LateBoundValues<pulumi.Output<unknown>>;

const isLate = (value: unknown): value is pulumi.Output<unknown> | Promise<unknown> =>
  pulumi.Output.isInstance(value) || value instanceof Promise;

// A value that its rule cannot be asked for (affinity, extra objects) is copied as it is, so any placeholder serves.
function placeholder(
  values: OutputValues,
  late: pulumi.Output<unknown> | Promise<unknown>,
  { at, rule }: Place,
): unknown {
  const source = pulumi.output(late);
  const { types = ['string'] } = rule ?? {};
  if (types.includes('string')) return values.text(at, source);
  return types.includes('number') ? values.number(at, source) : values.boolean(at, source);
}

interface Place {
  readonly at: string;
  readonly rule: Judge | undefined;
}

function replaced(values: OutputValues, value: unknown, place: Place): unknown {
  const { at, rule } = place;
  if (isLate(value)) return placeholder(values, value, place);
  if (Array.isArray(value)) {
    return value.map((item: unknown, i) =>
      replaced(values, item, { at: `${at}[${String(i)}]`, rule: rule?.within?.(String(i)) }),
    );
  }
  if (!isMap(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      replaced(values, inner, { at: inside(at, key), rule: rule?.within?.(key) }),
    ]),
  );
}

/**
 * Makes the props of a construct from the args of a component: each Output and promise is replaced by something that
 * construct code can pass on, and that says which prop it stands for where somebody looks into it.
 *
 * @param values - where the Outputs are kept
 * @param args - plain values and Outputs, as given to the component
 * @param rule - for all of them; it tells numbers and booleans from texts
 * @returns the props; nothing in `args` is changed
 */
export function propsOf<P>(values: OutputValues, args: object, rule: Rule<P>): P {
  return replaced(values, args, { at: '', rule }) as P;
}
