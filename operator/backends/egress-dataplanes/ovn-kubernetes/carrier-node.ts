import { EGRESS_MARKS } from '../../../contract/egress';
import { EGRESS_ASSIGNABLE } from '../../../contract/egress-dataplanes';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { mergePatch } from '../shared/merge-patch';

/**
 * Reads for which EgressIPAMs the operator made a node a carrier.
 *
 * @param node - as the API server has it
 * @returns their names; empty for a node that it did not label
 */
export function carrierFor(node: JsonMap): readonly string[] {
  const text = textOf(mapOf(metadataOf(node)['annotations'])[EGRESS_MARKS.carrierFor]);
  return text === '' ? [] : text.split(',');
}

/**
 * Compares label and record of a node with the EgressIPAMs that need it. A label that was there before stays for ever, and so does one
 * that got another value since.
 *
 * @param node - as the API server has it
 * @param egressIpams - names of those that need it
 * @returns the patch; undefined where nothing is to be written
 */
export function carrierPatch(node: JsonMap, egressIpams: readonly string[]): JsonMap | undefined {
  const metadata = metadataOf(node);
  const [labels, annotations] = [mapOf(metadata['labels']), mapOf(metadata['annotations'])];
  const isOurs = carrierFor(node).length > 0;
  const isLabelled = Object.hasOwn(labels, EGRESS_ASSIGNABLE);
  if (isLabelled && !isOurs) return undefined;
  const needs = [...new Set(egressIpams)].sort();
  const { [EGRESS_ASSIGNABLE]: value, ...otherLabels } = labels;
  const { [EGRESS_MARKS.carrierFor]: _record, ...otherAnnotations } = annotations;
  const staysLabelled = needs.length > 0 || (isLabelled && value !== '');
  return mergePatch(
    { metadata: { labels, annotations } },
    {
      metadata: {
        labels: staysLabelled ? { ...otherLabels, [EGRESS_ASSIGNABLE]: value ?? '' } : otherLabels,
        annotations:
          needs.length > 0 ? { ...otherAnnotations, [EGRESS_MARKS.carrierFor]: needs.join(',') } : otherAnnotations,
      },
    },
  );
}
