import type { EgressAddress, EgressIpamTree } from '../../contract/ipam-api/egress-pages';
import { drawn } from '../output/drawn-tree';

/**
 * Draws an EgressIPAM with its CIDRs, and the addresses below them.
 *
 * @param tree - what the Egress door answers
 * @returns the drawing, from top to bottom
 */
export function egressIpamLines({
  egressIpam,
  network,
  dataplane,
  problem,
  cidrs,
  outside,
}: EgressIpamTree): readonly string[] {
  const about = [
    ...(dataplane === '' ? [] : [`dataplane ${dataplane}`]),
    ...(problem === undefined ? [] : [`gives nothing new: ${problem}`]),
  ];
  const head = `EgressIPAM ${network}/${egressIpam}${about.length === 0 ? '' : ` (${about.join(', ')})`}`;
  return [
    head,
    ...drawn([
      ...cidrs.map(({ cidr, labelValue, free, total, addresses }) => ({
        line: `${cidr} of nodes "${labelValue}" (${free} of ${total} free)`,
        leaves: addresses.map(leaf),
      })),
      ...(outside.length === 0 ? [] : [{ line: 'outside of its CIDRs', leaves: outside.map(leaf) }]),
    ]),
  ];
}

/**
 * Draws the addresses that no stored EgressIPAM gave.
 *
 * @param addresses - on record
 * @returns lines; none where there are none
 */
export function withoutIpamLines(addresses: readonly EgressAddress[]): readonly string[] {
  if (addresses.length === 0) return [];
  const line = (each: EgressAddress): string => `${leaf(each)} (of EgressIPAM ${each.egressIpam}, which is not stored)`;
  return ['Egress addresses of no EgressIPAM', ...drawn(addresses.map((each) => ({ line: line(each), leaves: [] })))];
}

function leaf({ address, state, until, namespace, node }: EgressAddress): string {
  if (state === 'quarantined')
    return `${address} quarantined for ${namespace}${until === undefined ? '' : ` until ${until}`}`;
  return `${address} ${namespace}${node === undefined ? '' : ` on ${node}`}`;
}
