import type { AdmissionRequest } from '../../../contract/admission-review';
import { EGRESS_IPAM } from '../../../contract/kinds/egress-ipam';
import { mapOf, metadataOf, textOf } from '../../../contract/loose-json';
import { allow, type Verdict } from '../../../reviews/verdict';
import { reviewEgressIpam } from '../../../rules/egress';
import { holderText } from '../facts/record';
import type { ViewedContext } from '../facts/view';
import { verdictOf, type EgressAdmissionParts } from './admission-parts';

/**
 * Checks a change of an EgressIPAM. Nothing is written, so a dry run is judged as the real call.
 *
 * @param parts - of the door
 * @param request - CREATE, UPDATE or DELETE of an EgressIPAM
 * @returns the verdict
 */
export function checkEgressIpam({ state }: EgressAdmissionParts, request: AdmissionRequest): Verdict {
  if (request.kind !== EGRESS_IPAM.kind || request.subResource !== '') return allow('not-ours');
  const { parts } = state;
  const after = request.operation === 'DELETE' ? undefined : request.object;
  if (after !== undefined && textOf(metadataOf(mapOf(after))['deletionTimestamp']) !== '') return allow('unchanged');
  const before = request.oldObject ?? undefined;
  return verdictOf(
    reviewEgressIpam({
      after,
      before,
      all: parts.egressIpams.list(),
      networks: parts.networks.list(),
      held: heldFrom(state, request.name),
    }),
  );
}

function heldFrom({ parts, plans }: ViewedContext, name: string) {
  const network = plans.plan(name)?.network;
  if (network === undefined) return [];
  return parts.known
    .find({ by: 'pool', network, pool: name })
    .filter(({ door, state }) => door === 'egress' && state === 'held')
    .map((record) => ({ address: record.address, holder: holderText(record) }));
}
