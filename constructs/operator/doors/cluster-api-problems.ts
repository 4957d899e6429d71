import type { Refusal } from '../../../operator/errors/outcome';
import { clusterApiProblems, type ClusterApiFields } from '../../../operator/settings/cluster-api-options';
import { servesNetworks, type NetworksDoorOwner } from '../networks-door/networks-process';
import { servesVips, type VipsDoorOwner } from '../vips-door/vips-process';
import type { ClusterApiOwner } from '../cluster-api/cluster-api-props';

/** Names of the props in messages; those of the Helm chart are the same. */
export const CLUSTER_API_PROPS: ClusterApiFields = {
  clusterApi: 'clusterApi.enabled',
  vips: 'vips.enabled',
  networks: 'networks.enabled',
};

/**
 * Checks the Cluster API door as the operator does at its start: it gives addresses of the pools of other doors.
 *
 * @param props - of the installation
 * @returns at most one problem
 */
export function clusterApiDoorProblems(props: ClusterApiOwner & VipsDoorOwner & NetworksDoorOwner): readonly Refusal[] {
  const clusterApi = props.clusterApi?.enabled === true;
  const settings = { clusterApi, vips: servesVips(props), networks: servesNetworks(props) };
  return clusterApiProblems(settings, CLUSTER_API_PROPS);
}
