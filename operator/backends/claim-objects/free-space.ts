import { familyBits, type Address } from '../../addressing/address';
import { Prefix } from '../../addressing/prefix';
import { rangeOfPrefix, type Range } from '../../addressing/range';
import type { Want } from '../../ports/claims';
import type { ClaimView } from './claim-view';

/**
 * Finds the lowest block of a space that no live record overlaps.
 *
 * @param view - the claims
 * @param network - of the claims
 * @param want - family, length and space
 * @returns the block; undefined when there is none
 * @remarks O((p + r) log n) for p prefixes and r runs of taken addresses, quarantined ones included, between the end of the last search over
 * this view and the first gap, whatever the size of the space and of the runs.
 */
export function lowestFree(view: ClaimView, network: string, want: Omit<Want, 'address'>): Prefix | undefined {
  const { family, space, length = familyBits(family) } = want;
  const search = JSON.stringify([network, family, length]);
  const before = view.remembered(search);
  const start = before?.space === space ? before.at : undefined;
  for (const range of space.ranges(family)) {
    let from: Address | undefined = start === undefined || start.compareTo(range.first) < 0 ? range.first : start;
    while (from !== undefined) {
      const block = firstBlock(range, from, length);
      if (block === undefined) break;
      const last = lastInTheWay(view, network, block);
      if (last === undefined) {
        view.remember(search, { space, at: block.first });
        return block;
      }
      from = behindRun(view, network, last);
    }
  }
  return undefined;
}

// Taken addresses that follow one another are gone over in one step.
const behindRun = (view: ClaimView, network: string, last: Address): Address | undefined =>
  (view.endOfTaken(network, last) ?? last).next();

// The first block of a length that begins at an address or behind it and lies in the range.
function firstBlock(range: Range, from: Address, length: number): Prefix | undefined {
  let block = new Prefix(from, length);
  if (!block.first.equals(from)) {
    const next = rangeOfPrefix(block).last.next();
    if (next === undefined) return undefined;
    block = new Prefix(next, length);
  }
  return rangeOfPrefix(block).last.compareTo(range.last) <= 0 ? block : undefined;
}

function lastInTheWay(view: ClaimView, network: string, block: Prefix): Address | undefined {
  let last: Address | undefined;
  for (const record of view.overlapping(network, block)) {
    if (!view.isLive(record)) continue;
    const end = rangeOfPrefix(new Prefix(record.address, record.length)).last;
    if (last === undefined || end.compareTo(last) > 0) last = end;
  }
  return last;
}
