import type { Address } from '../../../addressing/address';
import type { ExchangeMove, Grant } from '../../../ports/address-book';
import type { ServiceKey } from '../../../ports/service-feed';

/** A Service that waits for addresses of others while it keeps its own. */
export interface Trade {
  readonly key: ServiceKey;
  /** Bound to it. */
  readonly held: readonly Grant[];
  /** Wished addresses that it does not have. */
  readonly wants: readonly Address[];
  /** The wish as it stands on the object. */
  readonly wish: string;
}

/** One Service of a circle and what it gives for what it gets. */
export interface CircleMove extends Omit<ExchangeMove, 'clusterUid'> {
  readonly trade: Trade;
}

/**
 * Finds the circle of Services that wait for each other's addresses: each one would be served if all of them changed places at once.
 *
 * @param start - one of them
 * @param trades - all that wait and hold something
 * @returns a move for each wished address; undefined where the Services do not form a circle, or it would leave a wish open
 */
export function circleThrough(start: Trade, trades: readonly Trade[]): readonly CircleMove[] | undefined {
  const members = membersOf(start, trades);
  const moves = members?.flatMap((trade) => trade.wants.map((to) => moveOf(trade, to, members)));
  if (moves === undefined || moves.some((move) => move === undefined)) return undefined;
  return moves.filter((move) => move !== undefined);
}

function membersOf(start: Trade, trades: readonly Trade[]): readonly Trade[] | undefined {
  const [first] = start.wants;
  const members: Trade[] = [start];
  let wanted = first;
  while (wanted !== undefined) {
    const { address, next } = ownerOf(wanted, trades);
    if (address === undefined || next === undefined) return undefined;
    if (next.key.uid === start.key.uid) return members;
    if (members.some(({ key }) => key.uid === next.key.uid)) return undefined; // a circle, but not through the start
    members.push(next);
    wanted = next.wants.find(({ family }) => family === address.family);
  }
  return undefined;
}

function ownerOf(address: Address, trades: readonly Trade[]): { address?: Address; next?: Trade } {
  const next = trades.find(({ held }) => held.some((grant) => grant.address.equals(address)));
  return next === undefined ? {} : { address, next };
}

// Of two addresses of a family one is about to be released, so such a Service has nothing to give yet.
function moveOf(trade: Trade, to: Address, members: readonly Trade[]): CircleMove | undefined {
  const given = trade.held.filter(({ family }) => family === to.family);
  const [from, ...more] = given;
  const partner = members.find(({ held }) => held.some((grant) => grant.address.equals(to)));
  const gives = partner?.wants.some(({ family }) => family === to.family) === true;
  if (from === undefined || more.length > 0 || !gives) return undefined;
  return { trade, serviceUid: trade.key.uid, network: from.network, from: from.address, to };
}
