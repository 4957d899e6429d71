import { spaceText } from '../../addressing/space-text';
import { accept, type Outcome } from '../../errors/outcome';
import { refuseOutdated, refuseUnclaimed } from '../../errors/store-refusals';
import type { AddressRecord, Holder, Move, Place } from '../../ports/claims';
import { isLiveAt, type MemoryRecords } from './memory-records';

interface Leaving {
  readonly record: AddressRecord;
  readonly holder: Holder;
}

/**
 * Lets holders change places in a circle, all or none.
 *
 * @param records - what is live
 * @param moves - each holder and where it goes
 * @param nowMs - the present
 * @returns the records of the places that the moves lead to, in their order; or the refusal
 */
export function exchange(
  records: MemoryRecords,
  moves: readonly Move[],
  nowMs: number,
): Outcome<readonly AddressRecord[]> {
  const leaving: Leaving[] = [];
  for (const { from } of moves) {
    const found = leavingOf(records, from, nowMs);
    if (!found.ok) return found;
    leaving.push(found.value);
  }
  const stray = strayPlace(moves);
  if (stray !== undefined) return refuseOutdated(spaceText(stray));
  const changes = moves.map(({ to }, index) => {
    const there = leaving.find(({ record }) => isPlace(record, to)) as Leaving;
    const coming = (leaving[index] as Leaving).holder;
    const holders = [...there.record.holders.filter((each) => each !== there.holder), coming];
    return { before: there.record, holders: holders.sort((a, b) => Number(a.id) - Number(b.id)) };
  });
  return accept(records.exchange(changes, nowMs));
}

function leavingOf(records: MemoryRecords, from: Move['from'], nowMs: number): Outcome<Leaving> {
  const record = records.at(from);
  if (record === undefined || !isLiveAt(record, nowMs)) return refuseUnclaimed(spaceText(from));
  if (record.version !== from.version) return refuseOutdated(spaceText(from));
  const holder = record.holders.find(({ id }) => id === from.holderId);
  return holder === undefined ? refuseUnclaimed(spaceText(from)) : accept({ record, holder });
}

// A place that is left twice, reached twice, or reached and not left: that is no circle.
function strayPlace(moves: readonly Move[]): Place | undefined {
  const times = (places: readonly Place[], place: Place): number =>
    places.filter((each) => isPlace(each, place)).length;
  const [froms, tos] = [moves.map(({ from }) => from), moves.map(({ to }) => to)];
  return tos.find((to) => times(froms, to) !== 1 || times(tos, to) !== 1);
}

function isPlace(a: Place, b: Place): boolean {
  return a.network === b.network && a.address.equals(b.address) && spaceText(a) === spaceText(b);
}
