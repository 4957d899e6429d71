import type { Chart } from 'cdk8s';

import type { JsonMap } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';
import { helmNode, mergeVariants, type Cases, type HelmNode, type Variant } from './helm/cases';
import type { ChartValue } from './helm/chart-value';
import { isPlainMap } from './helm/plain-map';
import type { HelmSource } from './helm/source';
import { templateOf } from './helm/template';
import { lateReader } from './helm/value-reader';
import { fileOfKind, type RenderedFiles } from './kustomize';
import { LateBoundValues } from './late-bound';
import { orderedObjects, type ApiManifest } from './objects';

/** Objects that are left out while a condition holds, which is not about a prop. */
export interface LeftOut {
  /** What decides, for messages. */
  readonly value: string;
  readonly condition: string;
  /** Tells whether an object is left out then. */
  readonly leavesOut: (object: ApiManifest) => boolean;
}

/** What a chart is made of. */
export interface HelmTemplatesProps<P> {
  readonly values: readonly ChartValue<P>[];
  /** Expressions for values that templates put together from several, by path. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** Builds the tree; called once per shape, with late-bound values in the props and more of them in its own hands. */
  readonly tree: (props: P, late: LateBoundValues<HelmSource>) => Chart;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Puts props that several values of a chart fill together.
 *
 * @param parts - props in layers, later ones win; maps are joined
 * @returns all of them
 */
export function joinedProps<P>(parts: readonly P[]): P {
  const join = (a: unknown, b: unknown): unknown => {
    if (!isPlainMap(a) || !isPlainMap(b)) return b;
    const entries = Object.entries(b).map(([key, value]) => [key, key in a ? join(a[key], value) : value]);
    return { ...a, ...(Object.fromEntries(entries) as JsonMap) };
  };
  return parts.reduce<unknown>(join, {}) as P;
}

const kindOf = (node: HelmNode | undefined): string => {
  const { kind, alternatives = [], otherwise } = node as Partial<ApiManifest & Cases>;
  return kind ?? kindOf(otherwise ?? alternatives.find((each) => each.node !== undefined)?.node);
};

/**
 * Writes the templates of a chart from a construct tree. The tree is synthesized once with every value at its default and
 * once per other shape; what differs becomes a condition, what is late-bound becomes an expression.
 *
 * @param props - values and tree
 * @returns one file per kind, by names such as `deployment.yaml`
 * @throws {@link IpamError} `settings/invalid` when a value of the chart ends up in no object
 */
export function helmTemplates<P>({ values, expressions, tree, leftOut }: HelmTemplatesProps<P>): RenderedFiles {
  const late = new LateBoundValues<HelmSource>();
  const reader = lateReader(late, expressions);
  const shapes = values.map((value) => value.shapes(reader));
  const synth = (chosen?: { readonly at: number; readonly props: P }): readonly ApiManifest[] => {
    const parts = shapes.map(([first], i) => (chosen?.at === i ? chosen.props : first?.props));
    return orderedObjects(tree(joinedProps(parts) as P, late));
  };
  const read = (objects: readonly ApiManifest[]): HelmNode => helmNode(late.read(objects));

  const base = synth();
  const variants = shapes.flatMap((all, at) =>
    all.slice(1).map(({ condition = 'false', family, props }): Variant => {
      const size = all.filter((other) => other.family === family).length;
      return {
        value: values[at]?.path ?? '',
        condition,
        ...(family === undefined ? {} : { family: { condition: family, size } }),
        node: read(synth({ at, props })),
      };
    }),
  );
  const without = leftOut.map(({ value, condition, leavesOut }): Variant => {
    return { value, condition, node: read(base.filter((object) => !leavesOut(object))) };
  });
  const documents = mergeVariants(read(base), [...without, ...variants], '') as readonly HelmNode[];
  const lost = late.unused();
  if (lost.length > 0) {
    throw new IpamError(
      'settings/invalid',
      `${lost.join(', ')}: the value stands in no object; construct code parsed or dropped it`,
    );
  }
  const files: Record<string, string> = {};
  for (const document of documents) {
    const file = fileOfKind(kindOf(document));
    files[file] = (files[file] ?? '') + templateOf(document);
  }
  return files;
}
