import type { IpGroupObject } from '../../contract/kinds/ip-group';
import { compareAge, compareText } from '../by-age';

/**
 * Orders groups by whose space counts where two overlap: one that gives already, then the older one, then by name.
 *
 * @param a - one group
 * @param b - another group
 * @returns negative where the first one comes before
 */
export function compareClaims(a: IpGroupObject, b: IpGroupObject): number {
  const applied = Number(b.status?.applied !== undefined) - Number(a.status?.applied !== undefined);
  if (applied !== 0) return applied;
  const ageOf = ({ metadata: { name, creationTimestamp } }: IpGroupObject) => ({ name, createdAt: creationTimestamp });
  return compareAge(ageOf(a), ageOf(b));
}

/**
 * Orders groups for the choice of an address: the higher priority first, then by name.
 *
 * @param a - one group
 * @param b - another group
 * @returns negative where the first one is asked before
 */
export function compareGroups(
  a: { readonly name: string; readonly priority: number },
  b: { readonly name: string; readonly priority: number },
): number {
  return b.priority - a.priority || compareText(a.name, b.name);
}
