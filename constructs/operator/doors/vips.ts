import { IP } from '../../../operator/contract/kinds/ip';
import { IP_GROUP } from '../../../operator/contract/kinds/ip-group';
import { ADDRESS_ALLOCATED, OLD_SERVICE_FINALIZERS, VIP_CLASS } from '../../../operator/contract/paas';
import { VipsAccess } from '../vips-door/vips-access';
import { vipsAlerts } from '../vips-door/vips-alerts';
import { VIPS_PANELS } from '../vips-door/vips-panels';
import { servesVips, vipsProcess, type VipsDoorOwner } from '../vips-door/vips-process';
import type { DoorManifests } from './door-manifests';

/** The door of IPGroups, which watches Services and listens nowhere. */
export const VIPS_DOOR: DoorManifests<VipsDoorOwner> = {
  name: 'vips',
  isOpen: servesVips,
  kinds: [IP_GROUP, IP],
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
    },
  }),
  roles: (scope) => [new VipsAccess(scope, 'VipsAccess')],
  objects: () => [],
  admission: () => [],
  alerts: vipsAlerts,
  panels: { requests: [], objects: VIPS_PANELS },
};
