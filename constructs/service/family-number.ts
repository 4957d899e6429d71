import type { Family } from '../../operator/addressing/address';
import type { IpFamily } from './ipam-service-props';

/** Families of a cluster of which nothing is said. */
export const BOTH_FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];

/**
 * Reads the name of a family.
 *
 * @param family - as Kubernetes writes it
 * @returns its number
 */
export function familyNumber(family: IpFamily): Family {
  return family === 'IPv4' ? 4 : 6;
}
