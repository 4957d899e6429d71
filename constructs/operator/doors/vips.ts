import { GROUP_SEGMENT_MAPPING } from '../../../operator/contract/kinds/group-segment-mapping';
import { IP } from '../../../operator/contract/kinds/ip';
import { IP_GROUP } from '../../../operator/contract/kinds/ip-group';
import { VIRTUAL_IP } from '../../../operator/contract/kinds/virtual-ip';
import { ADDRESS_ALLOCATED, OLD_SERVICE_FINALIZERS, VIP_CLASS } from '../../../operator/contract/paas';
import type { ClusterApiOwner } from '../cluster-api/cluster-api-props';
import { VipsAccess } from '../vips-door/vips-access';
import { vipsAlerts } from '../vips-door/vips-alerts';
import { VIPS_PANELS } from '../vips-door/vips-panels';
import { migratesVips, servesVips, vipsProcess, type VipsDoorOwner } from '../vips-door/vips-process';
import { DEFAULT_BREAK_GLASS_GROUP } from '../crds/crds-props';
import { MigrationAccess } from '../vips-migration/migration-access';
import { VirtualIpGuard } from '../vips-migration/virtual-ip-guard';
import type { DoorManifests } from './door-manifests';

/** The door of IPGroups, which watches Services and listens nowhere. */
export const VIPS_DOOR: DoorManifests<VipsDoorOwner & ClusterApiOwner> = {
  name: 'vips',
  isOpen: servesVips,
  kinds: (props) => [IP_GROUP, IP, ...(migratesVips(props) ? [VIRTUAL_IP, GROUP_SEGMENT_MAPPING] : [])],
  guarded: [{ kind: IP, guard: 'ipam-ip-guard' }],
  process: vipsProcess,
  // it listens nowhere, so alone it needs no cert-manager
  certificate: () => 'none',
  rights: ({ vips = {} }) => ({
    cluster: [],
    secretsRead: [],
    secretsWritten: [],
    serviceWrites: {
      conditions: [],
      keys: [],
      prefixes: [],
      ingress: {
        classes: vips.loadBalancerClasses ?? [VIP_CLASS],
        classless: vips.classless ?? false,
        conditions: [ADDRESS_ALLOCATED],
      },
      finalizersOff: OLD_SERVICE_FINALIZERS,
      ...(migratesVips({ vips }) ? { isConverting: true } : {}),
    },
  }),
  roles: (scope, props) => [
    new VipsAccess(scope, 'VipsAccess', props),
    ...(migratesVips(props) ? [new MigrationAccess(scope, 'VipsMigrationAccess')] : []),
  ],
  objects: () => [],
  admission: (scope, props) => {
    const { install, breakGlassGroup = DEFAULT_BREAK_GLASS_GROUP } = props.crds ?? {};
    if (install === false || !migratesVips(props)) return [];
    return [new VirtualIpGuard(scope, 'VirtualIpGuard', { breakGlassGroup })];
  },
  alerts: vipsAlerts,
  panels: { requests: [], objects: VIPS_PANELS },
};
