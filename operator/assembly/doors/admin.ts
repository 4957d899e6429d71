import {
  registerAdminDoor,
  registerWithoutRecord,
  removeOldCopies,
  type AdminActions,
} from '../../front-doors/admin/index';
import { ADMIN_LOGIN, registerIpamApiV3 } from '../../front-doors/ipam-api/index';
import { evictService, leftAloneServices, readStored } from '../../front-doors/services/index';
import { renameCluster } from '../../ledger/verbs/rename-cluster';
import type { NoteRequest } from '../../ports/notes';
import type { Settings } from '../../settings/options';
import { serviceWriter } from '../service-writer';
import { version3Parts } from '../version3-parts';
import { leftOutNamespaces } from '../left-out';
import type { CommonParts, Door, DoorParts, DoorRoutes, ObjectDoorKind, RecordDoorKind } from '../door';

/** The admin door: the Unix socket of the command line. */
export const ADMIN_DOOR: RecordDoorKind = {
  name: 'admin',
  needsRecord: true,
  holdsOwnClaims: false,
  isOn: () => true,
  open: openAdminDoor,
};

/** The same socket where no record of zones is kept: other doors have pages there too. */
export const RECORDLESS_ADMIN_DOOR: ObjectDoorKind = {
  name: 'admin',
  needsRecord: false,
  holdsOwnClaims: false,
  isOn: ({ store }) => store === 'objects',
  open: (_settings, parts) => ({ checks: [], routes: [routesWithoutRecord(parts, NO_ZONES)], close: () => undefined }),
};

const NO_ZONES =
  'this operator keeps no record of zones, since no door of it needs one; "ipam tree", "explain", "history" and "doctor" tell of IPGroups, NetworkInstances and EgressIPAMs';
const RECORD_ELSEWHERE =
  'this operator keeps no record of zones, since another one keeps its claims; call that one with --server, or in its Pod';

function routesWithoutRecord({ environment: { cluster } }: CommonParts, why: string): DoorRoutes {
  return {
    listener: 'adminSocket',
    tls: {},
    register: (app) => {
      registerWithoutRecord(app, { cluster, why });
    },
  };
}

type AdminSettings = Pick<
  Settings,
  'ipamApiDeadlineSeconds' | 'services' | 'namespace' | 'namespacePreset' | 'excludedNamespaces' | 'loadBalancerClasses'
>;

function openAdminDoor(settings: AdminSettings, parts: DoorParts): Door {
  const { claims, environment, tools } = parts;
  const version3 = version3Parts(parts, settings.ipamApiDeadlineSeconds);
  // the command line calls the operator that keeps the claims
  if (claims.kind === 'remote' || version3 === undefined) {
    return { checks: [], routes: [routesWithoutRecord(parts, RECORD_ELSEWHERE)], close: () => undefined };
  }
  const { backup } = claims;
  const { cluster } = environment;
  removeOldCopies(backup);
  return {
    checks: [],
    routes: [
      {
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
    ],
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
    note: (note: NoteRequest) => notes.note(note),
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
