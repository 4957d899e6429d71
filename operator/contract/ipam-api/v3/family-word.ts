import type { Family } from '../../../addressing/address';

/**
 * Writes a family.
 *
 * @param family - 4 or 6
 * @returns its word in version 3
 */
export function wordOf(family: Family): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
