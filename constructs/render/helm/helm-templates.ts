import type { Chart } from 'cdk8s';

import type { JsonMap } from '../../../operator/contract/loose-json';
import { IpamError } from '../../../operator/errors/ipam-error';
import { LateBoundValues } from '../late-bound/late-bound';
import { fileOfKind, type RenderedFiles } from '../objects/kustomize';
import { unjudgedObjects, type ApiManifest } from '../objects/ordered-objects';
import { Cases, helmNode, mergeVariants, type HelmNode, type Variant, type VariantFamily } from './cases';
import type { ChartValue } from './chart-value';
import { isPlainMap } from './plain-map';
import type { HelmSource } from './source';
import { templateOf } from './template';
import { lateReader } from './value-reader';

/** Objects that are left out while a condition holds, whatever shape the others have. */
export interface LeftOut {
  readonly condition: string;
  /** Tells whether an object is left out then. */
  readonly leavesOut: (object: ApiManifest) => boolean;
}

/** Props of a chart. */
export interface HelmTemplatesProps<P> {
  readonly values: readonly ChartValue<P>[];
  /** Expressions for values that templates put together from several, or leave out, by path. */
  readonly sources?: Readonly<Record<string, HelmSource>>;
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

// The object that a document is, in one of its cases.
const objectOf = (node: HelmNode | undefined): ApiManifest => {
  const { kind, alternatives = [], otherwise } = node as Partial<ApiManifest & Cases>;
  if (kind !== undefined) return node as unknown as ApiManifest;
  return objectOf(otherwise ?? alternatives.find((each) => each.node !== undefined)?.node);
};

const leftOutBy = (document: HelmNode, all: readonly LeftOut[]): HelmNode =>
  all
    .filter(({ leavesOut }) => leavesOut(objectOf(document)))
    .reduce<HelmNode>((node, { condition }) => new Cases([{ condition, node: undefined }], node), document);

/**
 * Writes the templates of a chart from a construct tree. The tree is synthesized once with every value at its default and
 * once per other shape; what differs becomes a condition, what is late-bound becomes an expression. No validation runs: it
 * would judge placeholders, and shapes that are possible together with others only.
 *
 * @param props - values and tree
 * @returns one file per kind, by names such as `deployment.yaml`
 * @throws {@link IpamError} `settings/invalid` when a value of the chart ends up in no object
 */
export function helmTemplates<P>({ values, sources, tree, leftOut }: HelmTemplatesProps<P>): RenderedFiles {
  const late = new LateBoundValues<HelmSource>();
  const reader = lateReader(late, sources);
  const shapes = values.map((value) => value.shapes(reader));
  const synth = (chosen?: { readonly at: number; readonly props: P }): readonly ApiManifest[] => {
    const parts = shapes.map(([first], i) => (chosen?.at === i ? chosen.props : first?.props));
    return unjudgedObjects(tree(joinedProps(parts) as P, late));
  };
  const read = (objects: readonly ApiManifest[]): HelmNode => helmNode(late.read(objects));

  const base = synth();
  const variants = shapes.flatMap((all, at) =>
    all.slice(1).map(({ condition = 'false', families = [], props }): Variant => {
      const sized = families.map((family): VariantFamily => {
        return { condition: family, size: all.filter((other) => other.families?.includes(family)).length };
      });
      return { value: values[at]?.path ?? '', condition, families: sized, node: read(synth({ at, props })) };
    }),
  );
  const documents = mergeVariants(read(base), variants, '') as readonly HelmNode[];
  const lost = late.unused();
  if (lost.length > 0) {
    throw new IpamError(
      'settings/invalid',
      `${lost.join(', ')}: the value stands in no object; construct code parsed or dropped it`,
    );
  }
  const files: Record<string, string> = {};
  for (const document of documents) {
    const file = fileOfKind(objectOf(document).kind);
    files[file] = (files[file] ?? '') + templateOf(leftOutBy(document, leftOut));
  }
  return files;
}
