import type { VipAddress, VipGroupTree, VipHolder } from '../../contract/ipam-api/vips-pages';
import { drawn } from '../output/drawn-tree';

/**
 * Draws a group with its segments, and the addresses below them.
 *
 * @param tree - what the VIPs door answers, counters included
 * @returns the drawing, from top to bottom
 */
export function groupLines(tree: VipGroupTree): readonly string[] {
  const { group, network, segments, outside, problem } = tree;
  const branches = [
    ...segments.map(({ segment, addresses }) => ({ line: segment, leaves: addresses.map(leaf) })),
    ...(outside.length === 0 ? [] : [{ line: 'outside of the group', leaves: outside.map(leaf) }]),
  ];
  const not = problem === undefined ? [] : [`not ready: ${problem}`];
  const head = `IPGroup ${network}/${group} (${[...counters(tree), ...not].join(', ')})`;
  return [head, ...drawn(branches)];
}

function counters({ free, total, quarantined, foreign, excluded, draining }: VipGroupTree): readonly string[] {
  const few = [
    { count: quarantined, word: 'quarantined' },
    { count: foreign, word: 'in use without a claim' },
    { count: excluded, word: 'excluded' },
  ].filter(({ count }) => count !== '0');
  return [
    `${free} of ${total} free`,
    ...few.map(({ count, word }) => `${count} ${word}`),
    ...(draining ? ['draining'] : []),
  ];
}

/**
 * Draws the addresses that no stored group gave.
 *
 * @param groupless - on record
 * @returns lines; none where there are none
 */
export function grouplessLines(groupless: readonly VipAddress[]): readonly string[] {
  if (groupless.length === 0) return [];
  const withGroup = ({ group, ...rest }: VipAddress): string =>
    `${leaf({ group, ...rest })}${group === '' ? '' : ` (of IPGroup ${group}, which is not stored)`}`;
  return ['IPs of no IPGroup', ...drawn(groupless.map((each) => ({ line: withGroup(each), leaves: [] })))];
}

function leaf({ address, state, until, holders }: VipAddress): string {
  const names = holders.map(holderText).join(', ');
  if (state === 'held') return `${address} ${names}`;
  return `${address} quarantined for ${names}${until === undefined ? '' : ` until ${until}`}`;
}

/**
 * Names a holder.
 *
 * @param holder - of an address
 * @returns namespace and name; with the kind where it is no Service
 */
export function holderText({ kind, namespace, name }: Pick<VipHolder, 'kind' | 'namespace' | 'name'>): string {
  const path = namespace === '' ? name : `${namespace}/${name}`;
  return kind === 'Service' ? path : `${kind} ${path}`;
}
