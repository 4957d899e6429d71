import { egressIpamObject, egressSpec } from '../../support/egress-kind-samples';
import type { ControlPlane } from './control-plane';
import { IPAMS } from './egress-scene';
import { eventually } from './eventually';

const TRIED = egressIpamObject('try', egressSpec({ CIDR: '203.0.113.0/29', labelValue: 'a' }));

/** Waits until the API server reaches the webhook of EgressIPAMs, without which none can be made. */
export async function egressAdmissionReady({ client }: Pick<ControlPlane, 'client'>): Promise<void> {
  await eventually(async () => (await client.attempt('POST', `${IPAMS}?dryRun=All`, TRIED)).status === 201);
}
