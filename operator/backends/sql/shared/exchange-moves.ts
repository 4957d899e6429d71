import { spaceText } from '../../../addressing/space-text';
import { accept, type Outcome } from '../../../errors/outcome';
import { refuseOutdated } from '../../../errors/store-refusals';
import type { Move, Place } from '../../../ports/claims';
import { lengthColumn } from './address-column';

/** One move of an exchange. */
export interface ExchangeMove {
  readonly from: Move['from'];
  /** Position of the move that leaves the space to which this one goes. */
  readonly to: number;
}

function keyOf(place: Place): string {
  return JSON.stringify([place.network, place.address.toString(), lengthColumn(place)]);
}

/**
 * Checks that moves form circles: each space is left once and entered once.
 *
 * @param moves - as the port takes them
 * @returns the same with positions instead of targets; or refusal `store/conflict`
 */
export function exchangeMoves(moves: readonly Move[]): Outcome<readonly ExchangeMove[]> {
  const positions = new Map(moves.map(({ from }, index) => [keyOf(from), index]));
  const entered = new Set<number>();
  const checked: ExchangeMove[] = [];
  for (const { from, to } of moves) {
    const position = positions.get(keyOf(to));
    if (position === undefined || entered.has(position) || positions.size < moves.length)
      return refuseOutdated(spaceText(to));
    entered.add(position);
    checked.push({ from, to: position });
  }
  return accept(checked);
}
