import type * as pulumi from '@pulumi/pulumi';

type Leaf = string | number | boolean;
type Elements<T> = T extends readonly (infer U)[] ? U : never;

/**
 * A type in which every leaf may be an Output. Lists and maps are plain, so that preview can show every object; what cannot
 * be looked into (zones, a Service to join) stays as it is.
 */
export type Late<T> = [T] extends [Leaf | undefined]
  ? pulumi.Input<Exclude<T, undefined>> | Extract<T, undefined>
  : T extends readonly unknown[]
    ? readonly Late<Elements<T>>[]
    : T extends object
      ? LateProps<T>
      : T;

/** Props of which every leaf may be an Output. */
export type LateProps<T> = { readonly [K in keyof T]: Late<T[K]> };
