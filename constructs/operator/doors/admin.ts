import { k8s } from 'cdk8s-plus-28';

import { ADMIN_SOCKET_FOLDER } from '../../../operator/settings/signal-options';
import type { DoorManifests } from './door-manifests';

/** The door of administrators, which the `ipam` command in the Pod reaches by a socket. */
export const ADMIN_DOOR: DoorManifests<object> = {
  name: 'admin',
  // also where another operator has the claims: the command is told so there
  isOpen: () => true,
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
