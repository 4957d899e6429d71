import { SELF_SIGNED_SECRET } from '../../../operator/contract/group';
import { CaBundleAccess } from '../certificates/ca-bundle-access';
import type { EgressDoorOwner } from '../egress-door/egress-door-owner';
import type { ServicesDoorOwner } from '../services-door/services-process';
import { isSelfManaged, servesWebhooks, webhooksProcess, WEBHOOK_PORT } from '../webhooks/webhooks-process';
import type { DoorManifests } from './door-manifests';

/** The port and the certificate by which the API server reaches the webhooks of other doors. */
export const WEBHOOKS_DOOR: DoorManifests<ServicesDoorOwner & EgressDoorOwner> = {
  name: 'webhooks',
  isOpen: servesWebhooks,
  kinds: () => [],
  process: webhooksProcess,
  port: WEBHOOK_PORT,
  certificate: () => 'webhooks',
  rights: (props) => ({
    cluster: [],
    secretsRead: [],
    secretsWritten: isSelfManaged(props) ? [SELF_SIGNED_SECRET] : [],
  }),
  roles: (scope, props) => (isSelfManaged(props) ? [new CaBundleAccess(scope, 'CaBundleAccess')] : []),
  objects: () => [],
  admission: () => [],
  alerts: () => [],
  panels: { requests: [], objects: [] },
};
