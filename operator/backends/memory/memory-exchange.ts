import { spaceText } from '../../addressing/space-text';
import { accept, type Outcome } from '../../errors/outcome';
import { refuseOutdated, refuseUnclaimed } from '../../errors/store-refusals';
import type { AddressRecord, Holder, Move, Place } from '../../ports/claims';
import type { MemoryRecords } from './memory-records';
import { isLiveAt } from '../../claim-store/record-terms';

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
  const stray = strayPlace(moves);
  if (stray !== undefined) return refuseOutdated(spaceText(stray));
  const leaving: Leaving[] = [];
  for (const { from } of moves) {
    const found = leavingOf(records, from, nowMs);
    if (!found.ok) return found;
    leaving.push(found.value);
  }
  const changes = moves.map(({ to }, index) => {
    const there = leaving.find(({ record }) => isPlace(record, to)) as Leaving;
    const coming = leaving[index] as Leaving;
    const holders = [...there.record.holders.filter((each) => each !== there.holder), coming.holder];
    // a secret proves that a holder owns its space, so it goes along where no other holder relies on it
    const isAlone = there.record.holders.length === 1 && coming.record.holders.length === 1;
    const { secret } = isAlone ? coming.record : there.record;
    return { before: there.record, holders: holders.sort((a, b) => Number(a.id) - Number(b.id)), secret };
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

// The first place that is reached and not left, or reached a second time; any one, where a place is left twice.
function strayPlace(moves: readonly Move[]): Place | undefined {
  const has = (places: readonly Place[], place: Place): boolean => places.some((each) => isPlace(each, place));
  const [froms, tos] = [moves.map(({ from }) => from), moves.map(({ to }) => to)];
  if (froms.some((from, index) => has(froms.slice(0, index), from))) return tos[0];
  return tos.find((to, index) => !has(froms, to) || has(tos.slice(0, index), to));
}

function isPlace(a: Place, b: Place): boolean {
  return a.network === b.network && a.address.equals(b.address) && spaceText(a) === spaceText(b);
}
