import {
  registerServicesDoor,
  type ServicesDoorParts,
  type ServicesDoorSettings,
} from '../../front-doors/services/index';
import { heldByOthers } from '../../ledger/views/held-by-others';
import type { Settings } from '../../settings/options';
import type { Door, RecordDoorKind, DoorParts, DoorRoutes } from '../door';
import { leftOutNamespaces } from '../left-out';
import { storeAdmitted } from '../standalone-storage';
import { openServicesOnCluster } from '../services-on-cluster';

type DoorSettings = Pick<
  Settings,
  | 'zonePools'
  | 'resyncSeconds'
  | 'excludedNamespaces'
  | 'namespace'
  | 'namespacePreset'
  | 'loadBalancerClasses'
  | 'occupiedClasses'
  | 'whenUnavailable'
  | 'admissionDeadlineSeconds'
  | 'vips'
  | 'vipsClasses'
  | 'vipsClassless'
>;

/** The Services door: webhooks, controller, pools of MetalLB. */
export const SERVICES_DOOR: RecordDoorKind = {
  name: 'services',
  needsRecord: true,
  holdsOwnClaims: true,
  isOn: ({ services }) => services,
  open: openServicesDoor,
};

async function openServicesDoor(settings: DoorSettings, parts: DoorParts): Promise<Door> {
  const { environment, book, tools } = parts;
  const behaviour = doorSettings(settings, await leftOutNamespaces(settings, environment));
  if (environment.kind === 'standalone') {
    const { cluster } = environment;
    const { logger } = tools;
    const routes = webhookRoutes(parts, {
      settings: behaviour,
      admitted: (request) => storeAdmitted({ cluster, book, logger }, request),
    });
    return { checks: [], routes: [routes], close: () => undefined };
  }
  const { zonePools: poolContent, resyncSeconds, loadBalancerClasses, occupiedClasses } = settings;
  // what the VIPs door gives is in use for the record of the zones
  const ofVips = settings.vips ? settings.vipsClasses : [];
  const announcedClasses = [...loadBalancerClasses, ...occupiedClasses, ...ofVips];
  const options = { behaviour, poolContent, announcedClasses, resyncSeconds };
  const { webhooks, ...door } = openServicesOnCluster(parts, environment, options);
  return { ...door, routes: [webhookRoutes(parts, { settings: behaviour, ...webhooks })] };
}

function webhookRoutes(
  { environment, book, zones, tools, claims }: DoorParts,
  more: Pick<ServicesDoorParts, 'settings' | 'pools' | 'poolFamilies' | 'namespaces' | 'holders' | 'admitted'>,
): DoorRoutes {
  const { cluster, certificate } = environment;
  const record = claims.kind === 'own' ? { claims: claims.store, zones } : undefined;
  const others: Pick<ServicesDoorParts, 'heldByOthers'> =
    record === undefined ? {} : { heldByOthers: (address, claimant) => heldByOthers(record, address, claimant) };
  return {
    listener: 'webhooks',
    tls: { certificate },
    register: (app) => {
      registerServicesDoor(app, { ...tools, cluster, zones, book, ...others, ...more });
    },
  };
}

function doorSettings(settings: DoorSettings, excluded: readonly string[]): ServicesDoorSettings {
  return {
    excludedNamespaces: excluded,
    loadBalancerClasses: settings.loadBalancerClasses,
    whenUnavailable: settings.whenUnavailable,
    deadlineSeconds: settings.admissionDeadlineSeconds,
    ...(settings.vips
      ? { vips: { loadBalancerClasses: settings.vipsClasses, classless: settings.vipsClassless } }
      : {}),
  };
}
