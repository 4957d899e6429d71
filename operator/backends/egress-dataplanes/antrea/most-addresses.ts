import { EGRESS_MARKS } from '../../../contract/egress';
import { ANTREA_MOST_ADDRESSES } from '../../../contract/egress-dataplanes';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { mergePatch } from '../shared/merge-patch';

/** Most addresses that Antrea puts on one node. */
const MOST = 255;

const annotationsOf = (node: JsonMap): JsonMap => mapOf(metadataOf(node)['annotations']);

/**
 * Reads how many addresses Antrea puts on a node.
 *
 * @param node - as the API server has it
 * @returns the number of its annotation, or else the most that Antrea allows
 */
export function mostAddresses(node: JsonMap): number {
  const text = textOf(annotationsOf(node)[ANTREA_MOST_ADDRESSES]);
  return /^\d+$/u.test(text) ? Math.min(Number(text), MOST) : MOST;
}

/**
 * Tells whether the operator wrote how many addresses Antrea puts on a node.
 *
 * @param node - as the API server has it
 * @returns false where that was written by others, or not at all
 */
export const isLimited = (node: JsonMap): boolean => textOf(annotationsOf(node)[EGRESS_MARKS.carrierFor]) !== '';

/** What a node is to carry. */
interface WantedLimit {
  /** Names of the EgressIPAMs of its groups. */
  readonly egressIpams: readonly string[];
  /** Addresses that its machine can have; absent without a cloud. */
  readonly capacity?: number;
}

/**
 * Compares the limit of a node with what its machine can have. A limit that others wrote stays.
 *
 * @param node - as the API server has it
 * @param wanted - EgressIPAMs that need the node, and the capacity of its machine
 * @returns the patch; undefined where nothing is to be written
 */
export function limitPatch(node: JsonMap, { egressIpams, capacity }: WantedLimit): JsonMap | undefined {
  const before = annotationsOf(node);
  if (ANTREA_MOST_ADDRESSES in before && !isLimited(node)) return undefined;
  const { [ANTREA_MOST_ADDRESSES]: _most, [EGRESS_MARKS.carrierFor]: _record, ...others } = before;
  const needs = [...new Set(egressIpams)].sort().join(',');
  const limit = { [ANTREA_MOST_ADDRESSES]: String(Math.min(capacity ?? MOST, MOST)), [EGRESS_MARKS.carrierFor]: needs };
  const after = needs === '' || capacity === undefined ? others : { ...others, ...limit };
  return mergePatch({ metadata: { annotations: before } }, { metadata: { annotations: after } });
}
