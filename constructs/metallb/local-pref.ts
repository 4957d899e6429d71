import type { Refusal } from '../../operator/errors/outcome';
import type { BgpAdvertisementProps } from './metallb-props';
import type { PoolEntry } from './pool-entries';

const pairsOf = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, j) => Array.from({ length: j }, (_unused, i) => [i, j] as const)).flat();

const sharePeers = ({ peers: a = [] }: BgpAdvertisementProps, { peers: b = [] }: BgpAdvertisementProps): boolean =>
  a.length === 0 || b.length === 0 || a.some((peer) => b.includes(peer)); // an empty list is every peer

const shareNodes = (a: BgpAdvertisementProps, b: BgpAdvertisementProps): boolean =>
  JSON.stringify(a.nodeSelectors ?? []) === JSON.stringify(b.nodeSelectors ?? []); // other selectors cannot be compared here

function shareLengths(a: BgpAdvertisementProps, b: BgpAdvertisementProps, entries: readonly PoolEntry[]): boolean {
  const has = (family: number): boolean => entries.some(({ range }) => range.family === family);
  return (
    (has(4) && (a.aggregationLength ?? 32) === (b.aggregationLength ?? 32)) ||
    (has(6) && (a.aggregationLengthV6 ?? 128) === (b.aggregationLengthV6 ?? 128))
  );
}

/**
 * Finds advertisements of one pool that give the same routes different preferences, which MetalLB refuses.
 *
 * @param advertisements - of the pool
 * @param field - path of their list
 * @param entries - what the pool holds
 * @returns one refusal per pair
 */
export function localPrefProblems(
  advertisements: readonly BgpAdvertisementProps[],
  field: string,
  entries: readonly PoolEntry[],
): readonly Refusal[] {
  return pairsOf(advertisements.length).flatMap(([i, j]): readonly Refusal[] => {
    const [a, b] = [advertisements[i], advertisements[j]];
    if (a === undefined || b === undefined) return [];
    const [first, second] = [a.localPref ?? 0, b.localPref ?? 0];
    const meet = shareLengths(a, b, entries) && sharePeers(a, b) && shareNodes(a, b);
    if (first === second || !meet) return [];
    const at = `${field}[${String(j)}].localPref`;
    const other = `${field}[${String(i)}] tells the same peers ${String(first)} for the same routes`;
    const message = `${at}: ${String(second)} is not possible, since ${other}; give both one value, or other peers or aggregation lengths`;
    return [{ code: 'zone/invalid', field: at, value: String(second), message }];
  });
}
