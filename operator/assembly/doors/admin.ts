import { registerAdminDoor, removeOldCopies, type AdminActions } from '../../front-doors/admin/index';
import { ADMIN_LOGIN, registerIpamApiV3 } from '../../front-doors/ipam-api/index';
import { evictService, leftAloneServices, readStored } from '../../front-doors/services/index';
import { renameCluster } from '../../ledger/verbs/rename-cluster';
import type { Settings } from '../../settings/options';
import { serviceWriter } from '../service-writer';
import { version3Parts } from '../version3-parts';
import { leftOutNamespaces } from '../left-out';
import type { Door, RecordDoorKind, DoorParts } from '../door';

/** The admin door: the Unix socket of the command line. */
export const ADMIN_DOOR: RecordDoorKind = {
  name: 'admin',
  needsRecord: true,
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
          actions: actionsOf(parts),
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

function actionsOf(parts: DoorParts): AdminActions {
  const { forgetCluster } = parts;
  const forgetting: Pick<AdminActions, 'forgetCluster'> =
    forgetCluster === undefined ? {} : { forgetCluster: ({ uid, dryRun }) => forgetCluster(uid, dryRun) };
  return { ...renameOf(parts), ...evictionOf(parts), ...forgetting };
}

function renameOf({ claims, tools: { logger } }: DoorParts): Pick<AdminActions, 'renameCluster'> {
  const { reports, renames, notes } = claims.kind === 'own' ? claims : {};
  if (reports === undefined || renames === undefined || notes === undefined) return {};
  const record = {
    clusters: () => reports.clusters(),
    note: (note: Parameters<typeof notes.note>[0]) => notes.note(note),
    renameCluster: (rename: Parameters<typeof renames.renameCluster>[0]) => renames.renameCluster(rename),
  };
  return {
    renameCluster: async (request) => {
      const done = await renameCluster(record, request);
      const { from, to, dryRun } = request;
      if (done.ok && !dryRun)
        logger.warn('cluster renamed by an administrator', { from, to, count: done.value.claims });
      return done;
    },
  };
}

function evictionOf({ environment, tools, adoptingBook: book, zones }: DoorParts): Pick<AdminActions, 'evict'> {
  if (environment.kind === 'standalone') return {};
  const { cluster } = environment;
  const writer = serviceWriter(environment, tools);
  return { evict: (request) => evictService({ cluster, book, zones, writer, logger: tools.logger }, request) };
}

async function leftAlone(settings: AdminSettings, { environment, zones }: DoorParts): Promise<readonly object[]> {
  const { loadBalancerClasses } = settings;
  const excluded = await leftOutNamespaces(settings, environment);
  const door = { settings: { loadBalancerClasses, excludedNamespaces: excluded }, zones };
  return leftAloneServices(door, await environment.cluster.storedServices());
}
