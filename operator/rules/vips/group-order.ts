import type { IpGroupObject } from '../../contract/kinds/ip-group';

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
  return (
    compareText(a.metadata.creationTimestamp ?? '9', b.metadata.creationTimestamp ?? '9') ||
    compareText(a.metadata.name, b.metadata.name)
  );
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

// By code units, the same on every machine.
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
