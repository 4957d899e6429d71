import { EGRESS_IPAM } from '../../../operator/contract/kinds/egress-ipam';
import { EgressAccess } from '../egress-door/egress-access';
import { CarrierGuard } from '../egress-door/carrier-guard';
import { EgressGuard } from '../egress-door/egress-guard';
import { EGRESS_PANELS } from '../egress-door/egress-panels';
import { egressAlerts } from '../egress-door/egress-alerts';
import { egressProcess, servesEgress, type EgressDoorOwner } from '../egress-door/egress-process';
import type { DoorManifests } from './door-manifests';

/** The door of EgressIPAMs, which writes an annotation of Namespaces and listens nowhere. */
export const EGRESS_DOOR: DoorManifests<EgressDoorOwner> = {
  name: 'egress',
  isOpen: servesEgress,
  kinds: () => [EGRESS_IPAM],
  process: egressProcess,
  // it listens nowhere, so alone it needs no cert-manager
  certificate: () => 'none',
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: (scope, props) => [new EgressAccess(scope, 'EgressAccess', props)],
  objects: () => [],
  admission: (scope, { egress }) => [
    new EgressGuard(scope, 'EgressGuard'),
    ...(egress?.dataplanes?.includes('ovn-kubernetes') === true ? [new CarrierGuard(scope, 'CarrierGuard')] : []),
  ],
  alerts: egressAlerts,
  panels: { requests: [], objects: EGRESS_PANELS },
};
