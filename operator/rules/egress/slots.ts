import { isIn } from '../../addressing/address';
import { poolAt, type ListedAddresses, type ListFacts } from './judge-list';
import type { EgressOffer, EgressPool, EgressSlot, HeldEgress, NamespaceDecision } from './types';

/**
 * Decides which addresses a namespace keeps, gets and gives back.
 *
 * @param listed - its list, as it was judged
 * @param facts - the namespace, its EgressIPAM and what is held
 * @returns one address of each CIDR, kept or to be got, and everything else that it holds
 */
export function slotsOf(
  listed: ListedAddresses,
  facts: ListFacts,
): Pick<NamespaceDecision, 'keep' | 'slots' | 'release'> {
  const { plan, held } = facts;
  const perPool = plan.pools.map((pool) => ofPool(pool, listed, facts));
  const left = held.filter((each) => isCurrent(each, facts) && poolAt(plan, each.address) === undefined);
  // without the order to let go, addresses of a CIDR that was taken out stay where they are listed
  const leftovers = left.filter(({ address }) => !plan.isForced && isIn(address, listed.known));
  const keep = [...perPool.flatMap(({ keep: of }) => of), ...leftovers];
  const slots = perPool.flatMap(({ slot }) => slot ?? []);
  const moved = slots.flatMap(({ moves }) => moves ?? []);
  return { keep, slots, release: held.filter((each) => !keep.includes(each) && !moved.includes(each)) };
}

const isCurrent = ({ egressIpam, network }: HeldEgress, { plan }: Pick<ListFacts, 'plan'>): boolean =>
  egressIpam === plan.name && network === plan.network;

function ofPool(
  pool: EgressPool,
  { known, wishes }: ListedAddresses,
  facts: ListFacts,
): { readonly keep: readonly HeldEgress[]; readonly slot?: EgressSlot } {
  const wish = wishes.find((each) => each.pool === pool);
  if (wish !== undefined) return { keep: [], slot: { pool, offers: [offerOf(wish)] } };
  const inside = facts.held.filter(({ address }) => pool.prefix.contains(address));
  const listed = inside.filter(({ address }) => isIn(address, known));
  const current = listed.filter((each) => isCurrent(each, facts));
  if (current.length > 0) return { keep: current };
  const elsewhere = listed.find((each) => !isCurrent(each, facts) && isGiven(each, pool, facts));
  if (elsewhere !== undefined && elsewhere.network === facts.plan.network)
    return { keep: [], slot: { pool, offers: [{ address: elsewhere.address, isReturn: true }], moves: elsewhere } };
  const again = inside.find((each) => isCurrent(each, facts) && isGiven(each, pool, facts));
  return again === undefined ? { keep: [], slot: freshSlot(pool, facts) } : { keep: [again] };
}

const offerOf = ({ address, isReturn }: ListedAddresses['wishes'][number]): EgressOffer =>
  isReturn ? { address, isReturn } : { address };

const isGiven = ({ address }: HeldEgress, pool: EgressPool, { namespace }: ListFacts): boolean =>
  pool.usable.contains(address) || (namespace.mayUseReserved && pool.reserved.contains(address));

// An address that the namespace had before comes back to it.
function freshSlot(pool: EgressPool, { view, plan }: ListFacts): EgressSlot {
  const former = view.formerOf(plan.network).filter((address) => pool.usable.contains(address));
  return { pool, offers: [...former.map((address) => ({ address, isReturn: true })), {}] };
}
