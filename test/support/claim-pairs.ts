import type { AddressRecord } from '../../operator/ports/claims';

/**
 * Finds takes of two families of which one half alone was stored.
 *
 * @param records - each with a holder whose key ends in ` 4` or ` 6`
 * @returns the keys of the halves, without the family
 */
export function halvesOf(records: readonly AddressRecord[]): readonly string[] {
  const families = new Map<string, string[]>();
  for (const { holders, family } of records) {
    const [, pair = '', half = ''] = /^(.*) ([46])$/u.exec(holders[0]?.key ?? '') ?? [];
    families.set(pair, [...(families.get(pair) ?? []), half === String(family) ? half : '?']);
  }
  return [...families.entries()].filter(([, halves]) => halves.sort().join('') !== '46').map(([pair]) => pair);
}
