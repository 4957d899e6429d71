import type { Refusal } from '../../../operator/errors/outcome';
import { numberProblems } from '../process/number-problems';
import type { NetworksDoorOwner } from './networks-process';

/**
 * Checks the Networks door as the operator does at its start.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function networksDoorProblems({ networks = {} }: NetworksDoorOwner): readonly Refusal[] {
  return numberProblems('networks.orphanGraceSeconds', 'networksOrphanGraceSeconds', networks.orphanGraceSeconds);
}
