import { k8s } from 'cdk8s-plus-28';

import { ADMIN_SOCKET_FOLDER } from '../../../operator/settings/signal-options';
import { isKeptHere, storeKind, type StoreOwner } from '../store/store-shape';
import { servesVips, type VipsDoorOwner } from '../vips-door/vips-process';
import type { DoorManifests } from './door-manifests';

/** The door of administrators, which the `ipam` command in the Pod reaches by a socket. */
export const ADMIN_DOOR: DoorManifests<StoreOwner & VipsDoorOwner> = {
  name: 'admin',
  // elsewhere the process has neither a record nor IPGroups that a command could ask for
  isOpen: (props) => isKeptHere(storeKind(props.store)) || servesVips(props),
  kinds: () => [],
  socketFolder: {
    name: 'run',
    path: ADMIN_SOCKET_FOLDER,
    writable: true,
    source: { emptyDir: { medium: 'Memory', sizeLimit: k8s.Quantity.fromString('1Mi') } },
  },
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: () => [],
  objects: () => [],
  admission: () => [],
  alerts: () => [],
  panels: { requests: [], objects: [] },
};
