import type { Refusal } from '../../../operator/errors/outcome';
import { numberProblems } from '../process/number-problems';
import { networksGrpcProblems } from '../networks-grpc/networks-grpc-problems';
import { servesNetworks, type NetworksDoorOwner } from './networks-process';

/**
 * Checks the Networks door as the operator does at its start.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function networksDoorProblems(props: NetworksDoorOwner): readonly Refusal[] {
  const { networks = {}, certificates } = props;
  return [
    ...numberProblems('networks.orphanGraceSeconds', 'networksOrphanGraceSeconds', networks.orphanGraceSeconds),
    ...networksGrpcProblems({ enabled: servesNetworks(props), certificates }, networks.grpc),
  ];
}
