import * as pulumi from '@pulumi/pulumi';

import { LateBoundEach, LateBoundText, LateBoundWhole, type LateBoundNode } from '../constructs/render/late-bound-node';
import { IpamError } from '../operator/errors/ipam-error';

type Node = LateBoundNode<pulumi.Output<unknown>>;

/**
 * Makes the inputs of a Pulumi resource from a synthesized object: an Output comes back where it stood, with its own type where
 * it was all of a value, and as a part of the text where it was one.
 *
 * @param node - the object with its late-bound values, from `LateBoundValues.read`
 * @returns the inputs; plain JSON but for the Outputs
 */
export function inputsOf(node: Node): unknown {
  if (node === null || typeof node !== 'object') return node;
  if (node instanceof LateBoundWhole) return node.value.source;
  if (node instanceof LateBoundText) {
    return pulumi.concat(...node.parts.map((part) => (typeof part === 'string' ? part : textOf(part.source))));
  }
  if (node instanceof LateBoundEach) {
    // a component's lists are plain, so nothing here ever declares one
    throw new IpamError('internal', `${node.list.prop}: a late-bound list stands in the object`);
  }
  if (Array.isArray(node)) return node.map((item: Node) => inputsOf(item));
  return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, inputsOf(inner as Node)]));
}

// numbers and booleans become text as cdk8s writes them
const textOf = (source: pulumi.Output<unknown>): pulumi.Output<string> => source.apply((value) => String(value));
