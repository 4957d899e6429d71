import type { CleanupEventsOwner } from '../cleanup-events/cleanup-events-props';
import type { ClusterApiOwner } from '../cluster-api/cluster-api-props';
import type { EgressDoorOwner } from '../egress-door/egress-door-owner';
import type { IpamApiOwner } from '../ipam-api/ipam-api-process';
import type { NetworksDoorOwner } from '../networks-door/networks-process';
import type { ProcessPart } from '../process/process-part';
import type { RelatedSystem } from '../process/servers';
import type { SecureMetricsOwner } from '../secure-metrics/secure-metrics-process';
import type { ServicesDoorOwner } from '../services-door/services-process';
import type { VipsDoorOwner } from '../vips-door/vips-process';
import type { StoreOwner } from '../store/store-shape';
import { ADMIN_DOOR } from './admin';
import { CLUSTER_API_DOOR } from './cluster-api';
import { CLEANUP_EVENTS_DOOR } from './cleanup-events';
import type { DoorManifests } from './door-manifests';
import { EGRESS_DOOR } from './egress';
import { IPAM_API_DOOR } from './ipam-api';
import { NETWORKS_DOOR } from './networks';
import { NETWORKS_GRPC_DOOR } from './networks-grpc';
import { SECURE_METRICS_DOOR } from './secure-metrics';
import { SERVICES_DOOR } from './services';
import { VIPS_DOOR } from './vips';
import { WEBHOOKS_DOOR } from './webhooks';

/** Props that the front doors read. */
export type DoorsOwner = ServicesDoorOwner &
  IpamApiOwner &
  CleanupEventsOwner &
  VipsDoorOwner &
  ClusterApiOwner &
  NetworksDoorOwner &
  EgressDoorOwner &
  SecureMetricsOwner &
  StoreOwner;

/** One front door of an installation. */
export type Door = DoorManifests<DoorsOwner>;

/** The front doors, in the order of their objects. */
export const DOORS: readonly Door[] = [
  SERVICES_DOOR,
  WEBHOOKS_DOOR,
  IPAM_API_DOOR,
  CLEANUP_EVENTS_DOOR,
  VIPS_DOOR,
  CLUSTER_API_DOOR,
  NETWORKS_DOOR,
  NETWORKS_GRPC_DOOR,
  EGRESS_DOOR,
  SECURE_METRICS_DOOR,
  ADMIN_DOOR,
];

/**
 * Finds the front doors that an installation switches on.
 *
 * @param props - of the installation
 * @returns those that are open, in the order of {@link DOORS}
 */
export const openDoors = (props: DoorsOwner): readonly Door[] => DOORS.filter((door) => door.isOpen(props));

/**
 * Writes the parts of the front doors in the operator's process.
 *
 * @param props - of the installation
 * @returns one for each door that is open, or that has to be closed
 */
export const doorProcesses = (props: DoorsOwner): readonly ProcessPart[] =>
  DOORS.flatMap((door) => {
    const part = door.isOpen(props) ? door.process?.(props) : door.closedProcess;
    return part === undefined ? [] : [part];
  });

/**
 * Lists the servers that the front doors call.
 *
 * @param props - of the installation
 * @returns those of the doors that are open
 */
export const doorServers = (props: DoorsOwner): readonly RelatedSystem[] =>
  openDoors(props).flatMap((door) => door.server?.(props) ?? []);
