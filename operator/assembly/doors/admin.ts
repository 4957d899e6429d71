import { registerAdminDoor, removeOldCopies } from '../../front-doors/admin/index';
import { ADMIN_LOGIN, registerIpamApiV3 } from '../../front-doors/ipam-api/index';
import { leftAloneServices, readStored } from '../../front-doors/services/index';
import type { Settings } from '../../settings/options';
import { version3Parts } from '../version3-parts';
import { leftOutNamespaces } from '../left-out';
import type { Door, DoorKind, DoorParts } from '../door';

/** The admin door: the Unix socket of the command line. */
export const ADMIN_DOOR: DoorKind = {
  name: 'admin',
  holdsOwnClaims: false,
  isOn: () => true,
  open: openAdminDoor,
};

type AdminSettings = Pick<
  Settings,
  'ipamApiDeadlineSeconds' | 'services' | 'namespace' | 'namespacePreset' | 'excludedNamespaces' | 'loadBalancerClasses'
>;

function openAdminDoor(settings: AdminSettings, parts: DoorParts): Door {
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
          ...(settings.services ? { leftAlone: () => leftAlone(settings, parts) } : {}),
          ...(backup === undefined ? {} : { backup }),
        });
      },
    },
    close: () => undefined,
  };
}

async function leftAlone(settings: AdminSettings, { environment, zones }: DoorParts): Promise<readonly object[]> {
  const { loadBalancerClasses } = settings;
  const excluded = await leftOutNamespaces(settings, environment);
  const door = { settings: { loadBalancerClasses, excludedNamespaces: excluded }, zones };
  return leftAloneServices(door, await environment.cluster.storedServices());
}
