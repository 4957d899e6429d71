import type { NamedSpace, PoolSpaces } from '../../ports/pool-spaces';

/** Space of one pool of another door, with its kind in the words of users. */
export type StrongerSpace = NamedSpace & Pick<PoolSpaces, 'kind'>;

/**
 * Lists the pools of other doors in a network.
 *
 * @param pools - of every stronger door
 * @param network - as pools of all doors name it
 * @returns those of the network, and those of which it is not known
 */
export function strongerSpaces(pools: readonly PoolSpaces[], network: string): readonly StrongerSpace[] {
  return pools.flatMap((of) => {
    const own = of.list().filter((each) => each.network === undefined || each.network === network);
    return own.map((each) => ({ ...each, kind: of.kind }));
  });
}
