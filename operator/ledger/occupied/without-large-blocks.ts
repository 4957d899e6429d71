import type { ClaimCounts, PoolSpace, PoolUsage } from '../../ports/claim-counts';
import type { Claims, TakeRequest } from '../../ports/claims';
import type { ForeignAddresses } from '../../ports/foreign-addresses';
import type { LargeBlocks } from './large-blocks';

/** Prefixes as a store is kept away from them. */
type Blocks = Pick<LargeBlocks, 'in' | 'leftOf'>;

/**
 * Keeps a store from choosing addresses in prefixes of other doors, and counts them as foreign.
 *
 * @param store - of the claims
 * @param blocks - the prefixes
 * @returns the store for all that take and count
 */
export function withoutLargeBlocks<Store extends Claims & ClaimCounts & { ping(): Promise<void> }>(
  store: Store,
  blocks: Blocks,
): Claims & ClaimCounts & Pick<Store, 'ping'> {
  const takeFirst = store.takeFirst?.bind(store);
  const peek = store.peek?.bind(store);
  return {
    take: (request) => store.take(leftFor(request, blocks)),
    ...(takeFirst === undefined ? {} : { takeFirst: (request) => takeFirst(leftFor(request, blocks)) }),
    ...(peek === undefined ? {} : { peek: (request) => peek(leftFor(request, blocks)) }),
    bind: (request) => store.bind(request),
    release: (request) => store.release(request),
    get: (place) => store.get(place),
    list: (query) => store.list(query),
    watch: (listener) => store.watch(listener),
    usage: (spaces) => countBeside(store, spaces, blocks),
    tally: () => store.tally(),
    page: (filter, page) => store.page(filter, page),
    ping: () => store.ping(),
  };
}

/**
 * Tells of an address in such a prefix that another door has it.
 *
 * @param outside - source that is asked about every other address; absent where there is none
 * @param blocks - the prefixes
 * @returns what is asked about an address without a row
 */
export function foreignInLargeBlocks(
  outside: ForeignAddresses | undefined,
  blocks: Pick<LargeBlocks, 'around'>,
): ForeignAddresses {
  return {
    foreignAt: async (place) => {
      const around = blocks.around(place.network, place.address);
      if (around === undefined) return outside?.foreignAt(place);
      return { kind: 'foreign', words: `${around.source} has ${around.block.toString()}` };
    },
  };
}

function leftFor<Request extends TakeRequest>(request: Request, blocks: Blocks): Request {
  if (blocks.in(request.network).isEmpty) return request;
  const wants = request.wants.map((want) => ({ ...want, space: blocks.leftOf(request.network, want.space) }));
  return { ...request, wants };
}

// What lies in the prefixes is foreign, but for rows of addresses, which are counted already.
async function countBeside(
  store: ClaimCounts,
  spaces: readonly PoolSpace[],
  blocks: Blocks,
): Promise<readonly PoolUsage[]> {
  const inside = spaces.flatMap((each) => {
    const space = each.space.intersect(blocks.in(each.network));
    return space.count(each.family) === 0n ? [] : [{ ...each, space }];
  });
  const [tallies, taken] = await Promise.all([store.usage(spaces), inside.length === 0 ? [] : store.usage(inside)]);
  return tallies.map((tally) => {
    const part = inside.find((each) => isSame(each, tally));
    if (part === undefined) return tally;
    const { occupied = 0, foreign = 0n } = taken.find((each) => isSame(each, tally)) ?? {};
    const more = part.space.count(tally.family) - BigInt(occupied) - foreign;
    return more > 0n ? { ...tally, foreign: (tally.foreign ?? 0n) + more } : tally;
  });
}

type PoolFamily = Pick<PoolSpace, 'network' | 'pool' | 'family'>;

const isSame = (a: PoolFamily, b: PoolFamily): boolean =>
  a.network === b.network && a.pool === b.pool && a.family === b.family;
