import { CLUSTER_IDENTITY_SECRET, excludedNamespaces } from '../../contract/group';
import {
  registerServicesDoor,
  type ServicesDoorParts,
  type ServicesDoorSettings,
} from '../../front-doors/services/index';
import { begunPreset } from '../../identity/namespace-preset';
import type { Settings } from '../../settings/options';
import type { Door, DoorKind, DoorParts, DoorRoutes } from '../door';
import type { Environment } from '../environment';
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

async function openServicesDoor(settings: DoorSettings, parts: DoorParts): Promise<Door> {
  const { environment, book, tools } = parts;
  const behaviour = doorSettings(settings, await leftOut(settings, environment));
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
  more: Pick<ServicesDoorParts, 'settings' | 'pools' | 'poolFamilies' | 'namespaces' | 'admitted'>,
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

async function leftOut(settings: DoorSettings, environment: Environment): Promise<readonly string[]> {
  const { namespacePreset: preset, excludedNamespaces: more, namespace } = settings;
  if (preset !== 'as-begun') return excludedNamespaces(preset, more);
  if (environment.kind === 'standalone') return excludedNamespaces('minimal', more);
  const secret = { namespace, name: CLUSTER_IDENTITY_SECRET };
  return excludedNamespaces(await begunPreset({ cluster: environment.cluster, secret }), more);
}

function doorSettings(settings: DoorSettings, excluded: readonly string[]): ServicesDoorSettings {
  return {
    excludedNamespaces: excluded,
    loadBalancerClasses: settings.loadBalancerClasses,
    whenUnavailable: settings.whenUnavailable,
    deadlineSeconds: settings.admissionDeadlineSeconds,
  };
}
