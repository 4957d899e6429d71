import type * as pulumi from '@pulumi/pulumi';

type Leaf = string | number | boolean;
type Elements<T> = T extends readonly (infer U)[] ? U : never;

/**
 * A type in which every leaf may be an Output. Lists and maps are plain, so that preview can show every object; what cannot
 * be looked into (zones, a Service to join) stays as it is.
 */
export type Deferred<T> = [T] extends [Leaf | undefined]
  ? pulumi.Input<Exclude<T, undefined>> | Extract<T, undefined>
  : T extends readonly unknown[]
    ? readonly Deferred<Elements<T>>[]
    : T extends object
      ? DeferredProps<T>
      : T;

/** Props of which every leaf may be an Output. */
export type DeferredProps<T> = { readonly [K in keyof T]: Deferred<T[K]> };

/** Rests of the paths that begin with a key. */
type Below<P extends string, K> = K extends string ? (P extends `${K}.${infer Rest}` ? Rest : never) : never;

type DeferredInside<T, P extends string> = T extends readonly (infer U)[]
  ? readonly DeferredExcept<U, P>[]
  : T extends object
    ? DeferredExcept<T, P>
    : T;

/**
 * Props of which every leaf may be an Output, but for the literal ones.
 *
 * `P` are the paths of the literal ones, such as `services.enabled`; a path through a list says nothing of its items.
 */
export type DeferredExcept<T, P extends string> = {
  readonly [K in keyof T]: K extends P
    ? T[K]
    : [Below<P, K>] extends [never]
      ? Deferred<T[K]>
      : DeferredInside<T[K], Below<P, K>>;
};
