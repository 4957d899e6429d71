import { GROUP_SEGMENT_MAPPING } from '../../../operator/contract/kinds/group-segment-mapping';
import { VIRTUAL_IP } from '../../../operator/contract/kinds/virtual-ip';
import { MigrationAccess } from '../vips-migration/migration-access';
import { VirtualIpGuard } from '../vips-migration/virtual-ip-guard';
import { servesVips, type VipsDoorOwner } from '../vips-door/vips-process';
import type { DoorManifests } from './door-manifests';

/** The part of the VIPs door that migrates VirtualIPs of the older operator. */
export const VIPS_MIGRATION: DoorManifests<VipsDoorOwner> = {
  name: 'vips-migration',
  isOpen: (props) => servesVips(props) && props.vips?.migration === true,
  kinds: [VIRTUAL_IP, GROUP_SEGMENT_MAPPING],
  process: () => ({ options: { vipsMigration: 'true' }, folders: [] }),
  rights: () => ({
    cluster: [],
    secretsRead: [],
    secretsWritten: [],
    serviceWrites: { conditions: [], keys: [], prefixes: [], isConverting: true },
  }),
  roles: (scope) => [new MigrationAccess(scope, 'VipsMigrationAccess')],
  objects: () => [],
  admission: (scope, { crds = {} }) => {
    if (crds.install === false) return [];
    const { breakGlassGroup = 'ipam-break-glass' } = crds;
    return [new VirtualIpGuard(scope, 'VirtualIpGuard', { breakGlassGroup })];
  },
  alerts: () => [],
  panels: { requests: [], objects: [] },
};
