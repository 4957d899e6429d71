import { EXCLUDED_NAMESPACES } from '../../contract/group';
import {
  registerServicesDoor,
  type ServicesDoorParts,
  type ServicesDoorSettings,
} from '../../front-doors/services/index';
import type { Settings } from '../../settings/options';
import type { Door, DoorKind, DoorParts, DoorRoutes } from '../door';
import { storeAdmitted } from '../standalone-storage';
import { openServicesOnCluster } from '../services-on-cluster';

type DoorSettings = Pick<
  Settings,
  | 'zonePools'
  | 'resyncSeconds'
  | 'excludedNamespaces'
  | 'loadBalancerClasses'
  | 'whenUnavailable'
  | 'admissionDeadlineSeconds'
>;

/** The Services door: webhooks, controller, pools of MetalLB. */
export const SERVICES_DOOR: DoorKind = {
  name: 'services',
  holdsOwnClaims: true,
  isOn: ({ services }) => services,
  open: openServicesDoor,
};

function openServicesDoor(settings: DoorSettings, parts: DoorParts): Door {
  const { environment, book, tools } = parts;
  const behaviour = doorSettings(settings);
  if (environment.kind === 'standalone') {
    const { cluster } = environment;
    const { logger } = tools;
    const routes = webhookRoutes(parts, {
      settings: behaviour,
      admitted: (request) => storeAdmitted({ cluster, book, logger }, request),
    });
    return { checks: [], routes, close: () => undefined };
  }
  const { zonePools: poolContent, resyncSeconds } = settings;
  const { webhooks, ...door } = openServicesOnCluster(parts, environment, { behaviour, poolContent, resyncSeconds });
  return { ...door, routes: webhookRoutes(parts, { settings: behaviour, ...webhooks }) };
}

function webhookRoutes(
  { environment, book, zones, tools }: DoorParts,
  more: Pick<ServicesDoorParts, 'settings' | 'pools' | 'poolFamilies' | 'namespaces' | 'holders' | 'admitted'>,
): DoorRoutes {
  const { cluster, certificate } = environment;
  return {
    listener: 'webhooks',
    tls: { certificate },
    register: (app) => {
      registerServicesDoor(app, { ...tools, cluster, zones, book, ...more });
    },
  };
}

function doorSettings(settings: DoorSettings): ServicesDoorSettings {
  return {
    excludedNamespaces: [...EXCLUDED_NAMESPACES, ...settings.excludedNamespaces],
    loadBalancerClasses: settings.loadBalancerClasses,
    whenUnavailable: settings.whenUnavailable,
    deadlineSeconds: settings.admissionDeadlineSeconds,
  };
}
