import {
  ADDRESS_READY,
  CLUSTER_IDENTITY_SECRET,
  DEFAULT_SECRET,
  IPAM_PREFIX,
  METALLB,
  KUBE_SYSTEM,
} from '../../../operator/contract/group';
import { PoolsAccess } from '../services-door/pools-access';
import { ServicesAccess } from '../services-door/services-access';
import { SERVICE_ALERTS } from '../services-door/services-alerts';
import { REVIEW_PANELS, SERVICE_PANELS } from '../services-door/services-panels';
import { servesServices, servicesProcess, type ServicesDoorOwner } from '../services-door/services-process';
import { ServiceWebhooks } from '../services-door/webhooks';
import { isSelfManaged } from '../webhooks/webhooks-process';
import type { DoorManifests } from './door-manifests';

/** The door of Services of type LoadBalancer, which the API server asks by webhooks. */
export const SERVICES_DOOR: DoorManifests<ServicesDoorOwner> = {
  name: 'services',
  isOpen: servesServices,
  kinds: () => [],
  process: servicesProcess,
  closedProcess: { options: { services: 'false' }, folders: [] },
  rights: () => ({
    // its UID names the cluster
    cluster: [{ apiGroups: [''], resources: ['namespaces'], resourceNames: [KUBE_SYSTEM], verbs: ['get'] }],
    secretsRead: [DEFAULT_SECRET, CLUSTER_IDENTITY_SECRET],
    secretsWritten: [],
    serviceWrites: {
      conditions: [ADDRESS_READY],
      keys: [METALLB.pool, METALLB.addresses, METALLB.sharing],
      prefixes: [IPAM_PREFIX],
    },
  }),
  roles: (scope, props) => [
    new ServicesAccess(scope, 'ServicesAccess'),
    new PoolsAccess(scope, 'PoolsAccess', props.zonePools === 'claims'),
  ],
  objects: () => [],
  admission: (scope, props) => {
    const { services = {}, whenUnavailable = 'deny' } = props;
    const { loadBalancerClasses = [], excludedNamespaces = [] } = services;
    const hasDefaultZone = services.defaultZone !== undefined;
    const injectCa = !isSelfManaged(props);
    const scoped = { loadBalancerClasses, hasDefaultZone, excludedNamespaces };
    return [new ServiceWebhooks(scope, 'Webhooks', { whenUnavailable, injectCa, ...scoped })];
  },
  alerts: () => SERVICE_ALERTS,
  panels: { requests: REVIEW_PANELS, objects: SERVICE_PANELS },
};
