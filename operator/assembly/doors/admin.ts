import { registerAdminDoor, removeOldCopies } from '../../front-doors/admin/index';
import { ADMIN_LOGIN, registerIpamApiV3 } from '../../front-doors/ipam-api/index';
import { readStored } from '../../front-doors/services/index';
import type { Settings } from '../../settings/options';
import { version3Parts } from '../version3-parts';
import type { Door, DoorKind, DoorParts } from '../door';

/** The admin door: the Unix socket of the command line. */
export const ADMIN_DOOR: DoorKind = {
  name: 'admin',
  holdsOwnClaims: false,
  isOn: () => true,
  open: openAdminDoor,
};

function openAdminDoor(settings: Pick<Settings, 'ipamApiDeadlineSeconds'>, parts: DoorParts): Door {
  const { claims, environment, tools } = parts;
  const version3 = version3Parts(parts, settings.ipamApiDeadlineSeconds);
  // the command line calls the operator that keeps the claims
  if (claims.kind === 'remote' || version3 === undefined) return { checks: [], close: () => undefined };
  const { backup } = claims;
  const { cluster } = environment;
  removeOldCopies(backup);
  return {
    checks: [],
    routes: {
      listener: 'adminSocket',
      tls: {},
      register: (app) => {
        registerAdminDoor(app, {
          cluster,
          readStored,
          addVersion3: (server) => {
            registerIpamApiV3(server, version3, ADMIN_LOGIN);
          },
          logger: tools.logger,
          ...(backup === undefined ? {} : { backup }),
        });
      },
    },
    close: () => undefined,
  };
}
