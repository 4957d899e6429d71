import type { IConstruct } from 'constructs';

import { operatorOfCluster, operatorOfZones, type OperatorOfApp } from '../app/app-operators';
import { impliedZone } from '../../operator/rules/named-zone';
import type { IpamServiceProps } from './ipam-service-props';
import { clusterOf, type ClusterProps } from './twins';
import { wishesOf } from './wishes-of';

/**
 * Finds the operator that serves a Service.
 *
 * @param construct - anywhere in the app of the Service
 * @param props - zones and cluster as the Service was given them
 * @returns the operator of its zones; without zones the one that its app declares for its cluster; undefined where neither is known
 */
export function operatorOfService(construct: IConstruct, props: ClusterProps): OperatorOfApp | undefined {
  return props.zones === undefined ? operatorOfCluster(construct, clusterOf(props)) : operatorOfZones(props.zones);
}

/**
 * Finds what has to be in the cluster before a Service, so that its address is announced once it is bound, and has to leave after it.
 *
 * @param construct - of the Service
 * @param props - of the Service
 * @returns pool and advertisements of its zone, where an operator that the app declared before declares them
 */
export function announcementOf(construct: IConstruct, props: IpamServiceProps): readonly IConstruct[] {
  const operator = operatorOfService(construct, props);
  if (operator?.zones === undefined) return [];
  const { wishes } = wishesOf(props);
  const zone = wishes.zone ?? impliedZone(wishes.addresses, operator.zones);
  return zone === undefined ? [] : [operator.poolOf(zone)].filter((pool) => pool !== undefined);
}

/** Tells only once what synth leaves to the webhook: an app may have thousands of Services. */
let told = false;

/**
 * Fills in the zones of the operator of the app, so that what it would refuse fails at synth. Where there is no operator, a warning of the
 * process says once what is left to the webhook.
 *
 * @param construct - of the Service
 * @param props - of the Service
 * @returns the props with these zones; as given where they have zones, or none are known
 */
export function withZonesOfApp(construct: IConstruct, props: IpamServiceProps): IpamServiceProps {
  if (props.zones !== undefined) return props;
  const operator = operatorOfService(construct, props);
  if (operator !== undefined) return operator.zones === undefined ? props : { ...props, zones: operator.zones };
  if (!told) {
    told = true;
    process.emitWarning(
      `"${construct.node.path}" has no prop zones, and its app has no IpamOperator of its cluster alone: zones, families and addresses of such Services are looked at by the webhook, not at synth; give zones: operator.zones, or zonesFromFile(...)`,
      { type: 'IpamService', code: 'CDK8S_IPAM_ZONES_UNKNOWN' },
    );
  }
  return props;
}
