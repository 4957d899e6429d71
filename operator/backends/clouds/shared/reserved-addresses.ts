import type { Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';

/**
 * Lists the addresses at both ends of a subnet.
 *
 * @param prefix - of the subnet
 * @param counts - how many the cloud keeps
 * @param counts.first - at the lower end, the address of the network included
 * @param counts.last - at the upper end
 * @returns them, ascending; each once in a subnet that is smaller than both
 */
export function addressesAtEnds(
  prefix: Prefix,
  { first, last }: { readonly first: number; readonly last: number },
): readonly Address[] {
  const low = steps(prefix, prefix.first, { count: first, step: (at) => at.next() });
  const high = steps(prefix, prefix.last, { count: last, step: (at) => at.previous() });
  const above = high.filter((address) => !low.some((each) => each.equals(address)));
  return [...low, ...above.reverse()];
}

function steps(
  prefix: Prefix,
  from: Address,
  { count, step }: { readonly count: number; readonly step: (at: Address) => Address | undefined },
): Address[] {
  const all: Address[] = [];
  for (let at: Address | undefined = from; at !== undefined && all.length < count && prefix.contains(at); at = step(at))
    all.push(at);
  return all;
}
