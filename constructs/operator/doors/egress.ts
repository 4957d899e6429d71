import type { EgressDataplaneName } from '../../../operator/contract/egress-dataplanes';
import { EGRESS_IPAM } from '../../../operator/contract/kinds/egress-ipam';
import { EgressAccess } from '../egress-door/egress-access';
import { CarrierGuard } from '../egress-door/carrier-guard';
import { CredentialsRequest } from '../egress-door/credentials-request';
import { cloudOf } from '../egress-door/egress-cloud';
import { EgressGuard } from '../egress-door/egress-guard';
import { EGRESS_PANELS } from '../egress-door/egress-panels';
import { egressAlerts } from '../egress-door/egress-alerts';
import { EgressWebhooks } from '../egress-door/egress-webhooks';
import type { EgressDoorOwner } from '../egress-door/egress-door-owner';
import { egressProcess, servesEgress } from '../egress-door/egress-process';
import type { ServicesDoorOwner } from '../services-door/services-process';
import { isSelfManaged } from '../webhooks/webhooks-process';
import type { DoorManifests } from './door-manifests';

/** Dataplanes for which labels or annotations of Nodes are written. */
const WRITING_NODES: readonly EgressDataplaneName[] = ['ovn-kubernetes', 'antrea'];

/** The door of EgressIPAMs, which writes an annotation of Namespaces, and of which the API server asks by webhooks. */
export const EGRESS_DOOR: DoorManifests<EgressDoorOwner & Pick<ServicesDoorOwner, 'certificates'>> = {
  name: 'egress',
  isOpen: servesEgress,
  kinds: () => [EGRESS_IPAM],
  process: egressProcess,
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: (scope, props) => [new EgressAccess(scope, 'EgressAccess', props)],
  objects: (scope, props) => {
    const { isOpenShift = false, provider, secret } = cloudOf(props) ?? {};
    if (!isOpenShift || provider === undefined || secret === undefined) return [];
    return [new CredentialsRequest(scope, 'EgressCredentials', { provider, secret })];
  },
  admission: (scope, props) => [
    new EgressGuard(scope, 'EgressGuard'),
    ...(props.egress?.dataplanes?.some((name) => WRITING_NODES.includes(name)) === true
      ? [new CarrierGuard(scope, 'CarrierGuard')]
      : []),
    new EgressWebhooks(scope, 'EgressWebhooks', {
      whenUnavailable: props.egress?.whenUnavailable ?? 'admit',
      injectCa: !isSelfManaged(props),
    }),
  ],
  alerts: egressAlerts,
  panels: { requests: [], objects: EGRESS_PANELS },
};
