import type { Refusal } from '../../../operator/errors/outcome';
import { networksProblems, type NetworksFields } from '../../../operator/settings/networks-options';
import { numberProblems } from '../process/number-problems';
import { servesNetworks, type NetworksDoorOwner } from './networks-process';

/** Names of the props in messages; those of the Helm chart are the same. */
const NETWORKS_PROPS: NetworksFields = { networks: 'networks.enabled', networksOwnerKinds: 'networks.ownerKinds' };

/**
 * Checks the Networks door as the operator does at its start.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function networksDoorProblems(props: NetworksDoorOwner): readonly Refusal[] {
  const { orphanGraceSeconds, ownerKinds: networksOwnerKinds = [] } = props.networks ?? {};
  const settings = { networks: servesNetworks(props), standalone: false, networksOwnerKinds };
  return [
    ...numberProblems('networks.orphanGraceSeconds', 'networksOrphanGraceSeconds', orphanGraceSeconds),
    ...networksProblems(settings, NETWORKS_PROPS),
  ];
}
