import { ADDRESS_TABLE } from '../../../operator/contract/kinds/address-table';
import { IP_ALLOCATION } from '../../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX } from '../../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../../operator/contract/kinds/network-instance';
import type { ClusterApiOwner } from '../cluster-api/cluster-api-props';
import { NetworksAccess } from '../networks-door/networks-access';
import { networksAlerts } from '../networks-door/networks-alerts';
import { NETWORKS_PANELS } from '../networks-door/networks-panels';
import { networksProcess, servesNetworks, type NetworksDoorOwner } from '../networks-door/networks-process';
import type { DoorManifests } from './door-manifests';

/** The door of prefixes and allocations in network instances, which listens nowhere. */
export const NETWORKS_DOOR: DoorManifests<NetworksDoorOwner & ClusterApiOwner> = {
  name: 'networks',
  isOpen: servesNetworks,
  kinds: () => [NETWORK_INSTANCE, IP_PREFIX, IP_ALLOCATION, ADDRESS_TABLE],
  guarded: [{ kind: ADDRESS_TABLE, guard: 'ipam-table-guard' }],
  process: networksProcess,
  // it listens nowhere, so alone it needs no cert-manager
  certificate: () => 'none',
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: (scope, props) => [new NetworksAccess(scope, 'NetworksAccess', props)],
  objects: () => [],
  admission: () => [],
  alerts: networksAlerts,
  panels: { requests: [], objects: NETWORKS_PANELS },
};
