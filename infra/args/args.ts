import * as pulumi from '@pulumi/pulumi';

import { inside } from '../../constructs/props-kit/rule';
import { isPlain } from '../../constructs/props-kit/values';
import { isMap } from '../../operator/contract/loose-json';

/** Name of a component in its refusals. */
export interface ComponentName {
  readonly kind: string;
  readonly name: string;
}

/**
 * Says what the user of the program did wrong, without a stack trace of ours.
 *
 * @param called - the component
 * @param problems - at least one; each is told once
 * @returns the error to throw
 */
export function refusal({ kind, name }: ComponentName, problems: readonly string[]): pulumi.RunError {
  const [first = '', ...others] = [...new Set(problems)];
  const text = others.length === 0 ? first : [first, ...others].map((each) => `\n  - ${each}`).join('');
  return new pulumi.RunError(`${kind} "${name}": ${text}`);
}

/**
 * Takes args as plain JavaScript may have given them.
 *
 * @param called - the component
 * @param args - whatever was handed in
 * @returns the same; no args where it is no map, so that what is missing is refused by its name
 * @throws RunError where all of it is an Output, and where it goes in a circle
 */
export function argsOf<A extends object>(called: ComponentName, args: A): A {
  if (pulumi.Output.isInstance(args) || args instanceof Promise) {
    throw refusal(called, [
      'args: an Output was given for all of them; give a plain map, of which the leaves may be Outputs',
    ]);
  }
  if (!isMap(args)) return {} as A;
  const circle = circleIn(args, '', []);
  if (circle === undefined) return args;
  throw refusal(called, [`${circle}: a value that holds itself is not allowed; give one that ends`]);
}

// the path at which a value stands inside of itself
function circleIn(value: unknown, at: string, around: readonly unknown[]): string | undefined {
  const isList = Array.isArray(value);
  if (!isList && !(isMap(value) && isPlain(value))) return undefined;
  if (around.includes(value)) return at;
  for (const [key, inner] of Object.entries(value)) {
    const found = circleIn(inner, isList ? `${at}[${key}]` : inside(at, key), [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}
