import { k8s } from 'cdk8s-plus-28';

import { ADMIN_SOCKET_FOLDER } from '../../../operator/settings/signal-options';
import { isKeptHere, storeKind, type StoreOwner } from '../store/store-shape';
import type { DoorManifests } from './door-manifests';

/** The door of administrators, which the `ipam` command in the Pod reaches by a socket. */
export const ADMIN_DOOR: DoorManifests<StoreOwner> = {
  name: 'admin',
  // elsewhere the process has no record that a command could ask
  isOpen: ({ store }) => isKeptHere(storeKind(store)),
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
