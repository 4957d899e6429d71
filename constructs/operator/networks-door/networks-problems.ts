import type { Refusal } from '../../../operator/errors/outcome';
import { networksProblems, type NetworksFields } from '../../../operator/settings/networks-options';
import { OPTIONS } from '../../../operator/settings/options';
import { numberProblems } from '../process/number-problems';
import { serverCertificateProblems } from '../certificates/server-certificate-problems';
import { servesNetworks, type NetworksDoorOwner } from './networks-process';

/** Names of the props in messages; those of the Helm chart are the same. */
const NETWORKS_PROPS: NetworksFields = {
  networks: 'networks.enabled',
  networksOwnerKinds: 'networks.ownerKinds',
  grpc: 'networks.grpc',
  audience: 'networks.grpc.audience',
};

/**
 * Checks the Networks door as the operator does at its start.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function networksDoorProblems(props: NetworksDoorOwner): readonly Refusal[] {
  const { networks = {}, certificates } = props;
  const { orphanGraceSeconds, ownerKinds: networksOwnerKinds = [], grpc } = networks;
  const settings = {
    networks: servesNetworks(props),
    standalone: false,
    networksOwnerKinds,
    networksGrpcBindAddress: grpc,
    networksGrpcAudience: grpc?.audience ?? OPTIONS.networksGrpcAudience.default,
    networksGrpcAnonymous: grpc?.allowAnonymous === true,
  };
  return [
    ...numberProblems('networks.orphanGraceSeconds', 'networksOrphanGraceSeconds', orphanGraceSeconds),
    ...networksProblems(settings, NETWORKS_PROPS),
    ...(grpc === undefined ? [] : serverCertificateProblems('networks.grpc', certificates, grpc)),
  ];
}
