import { WEBHOOK_NAMES } from '../../../operator/contract/group';
import type { ControlPlane } from './control-plane';

/** A Service with this label passes as while the webhooks are down. */
export const UNSEEN = { unseen: 'true' };

/** Lets Services with the label {@link UNSEEN} pass both webhooks without a call. */
export async function letUnseenPass({ client }: ControlPlane): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1';
  const condition = {
    name: 'seen',
    expression: "object == null || !('unseen' in object.metadata.?labels.orValue({}))",
  };
  const patch = [{ op: 'add', path: '/webhooks/0/matchConditions/-', value: condition }];
  const { mutatingConfiguration, validatingConfiguration } = WEBHOOK_NAMES;
  await client.request('PATCH', `${path}/mutatingwebhookconfigurations/${mutatingConfiguration}`, patch, 'json');
  await client.request('PATCH', `${path}/validatingwebhookconfigurations/${validatingConfiguration}`, patch, 'json');
}
