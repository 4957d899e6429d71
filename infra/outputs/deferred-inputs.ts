import * as pulumi from '@pulumi/pulumi';

import {
  LateBoundEach,
  LateBoundText,
  LateBoundWhole,
  type LateBoundNode,
} from '../../constructs/render/late-bound/late-bound-node';
import { isMap, textOf } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';
import { asText, wantsText } from '../args/deferred-text';

type Node = LateBoundNode<pulumi.Output<unknown>>;

/** Where a value stands in an object. */
interface Place {
  readonly kind: string;
  readonly path: readonly string[];
}

/**
 * Makes the inputs of a Pulumi resource from a synthesized object: an Output comes back where it stood, as a part of the text where it
 * was one, and else with its own type, but as text wherever Kubernetes takes nothing else.
 *
 * @param node - the object with its late-bound values, from `LateBoundValues.read`
 * @returns the inputs; plain JSON but for the Outputs
 */
export function inputsOf(node: Node): unknown {
  return inputsAt(node, { kind: isMap(node) ? textOf(node['kind']) : '', path: [] });
}

function inputsAt(node: Node, { kind, path }: Place): unknown {
  if (node === null || typeof node !== 'object') return node;
  if (node instanceof LateBoundWhole) return wantsText(kind, path) ? asText(node.value.source) : node.value.source;
  if (node instanceof LateBoundText) {
    const parts = node.parts.map((part) => (typeof part === 'string' ? part : part.source.apply(String)));
    return pulumi.concat(...parts);
  }
  if (node instanceof LateBoundEach) {
    // a component's lists are plain, so nothing here ever declares one
    throw new IpamError('internal', `${node.list.prop}: a late-bound list stands in the object`);
  }
  const inside = (key: string, inner: Node): unknown => inputsAt(inner, { kind, path: [...path, key] });
  if (Array.isArray(node)) return node.map((item: Node, i) => inside(String(i), item));
  return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, inside(key, inner as Node)]));
}
