import { EGRESS_IPAM } from '../../../operator/contract/kinds/egress-ipam';
import { egressIpamObject, egressSpec } from '../../support/egress-kind-samples';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';

const TRIED = egressIpamObject('try', egressSpec({ CIDR: '203.0.113.0/29', labelValue: 'a' }));
const PATH = `/apis/${EGRESS_IPAM.group}/${EGRESS_IPAM.version}/${EGRESS_IPAM.plural}?dryRun=All`;

/** Waits until the API server reaches the webhook of EgressIPAMs, without which none can be made. */
export async function egressAdmissionReady({ client }: Pick<ControlPlane, 'client'>): Promise<void> {
  await eventually(async () => (await client.attempt('POST', PATH, TRIED)).status === 201);
}
