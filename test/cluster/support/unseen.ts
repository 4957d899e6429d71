import { WEBHOOK_NAMES } from '../../../operator/contract/group';
import type { ClusterClient } from './cluster-client';
import { webhooksInForce } from './webhooks-in-force';

/** A Service with this label passes as while the webhooks are down. */
export const UNSEEN = { unseen: 'true' };

/** Lets Services with the label {@link UNSEEN} pass both webhooks without a call; done when the API server does. */
export async function letUnseenPass({ client }: { readonly client: ClusterClient }): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1';
  const condition = {
    name: 'seen',
    expression: "object == null || !('unseen' in object.metadata.?labels.orValue({}))",
  };
  const patch = [{ op: 'add', path: '/webhooks/0/matchConditions/-', value: condition }];
  const { mutatingConfiguration, validatingConfiguration } = WEBHOOK_NAMES;
  await client.request('PATCH', `${path}/mutatingwebhookconfigurations/${mutatingConfiguration}`, patch, 'json');
  await client.request('PATCH', `${path}/validatingwebhookconfigurations/${validatingConfiguration}`, patch, 'json');
  await webhooksInForce(client);
}
