import { isIn, type Address } from '../../addressing/address';
import { EGRESS_KEYS, type EgressReason } from '../../contract/egress';
import type { EgressNamespace, EgressPlan, EgressPool, EgressProblem, EgressView, HeldEgress } from './types';

/** Addresses that a namespace lists, beside those that it holds. */
export interface ListedAddresses {
  /** Addresses that it holds, of the EgressIPAM that it opts in to or of its former one. */
  readonly known: readonly Address[];
  /** Addresses that it does not hold, with the CIDR of each. */
  readonly wishes: readonly { readonly address: Address; readonly pool: EgressPool; readonly isReturn: boolean }[];
}

/** The list of a namespace as it was judged. */
export type JudgedList =
  { readonly ok: true; readonly listed: ListedAddresses } | { readonly ok: false; readonly problem: EgressProblem };

/** Everything that a list is judged by. */
export interface ListFacts {
  readonly namespace: EgressNamespace;
  readonly plan: EgressPlan;
  /** Everything that the namespace holds, whichever EgressIPAM gave it. */
  readonly held: readonly HeldEgress[];
  readonly view: EgressView;
}

/**
 * Finds the CIDR of an address.
 *
 * @param plan - of the EgressIPAM
 * @param address - any address
 * @returns its CIDR, of which there is at most one; undefined where it lies in none
 */
export const poolAt = ({ pools }: Pick<EgressPlan, 'pools'>, address: Address): EgressPool | undefined =>
  pools.find(({ prefix }) => prefix.contains(address));

/**
 * Judges the list of a namespace. What the namespace holds is never refused: it was right when it was given.
 *
 * @param facts - the namespace, its EgressIPAM and what is held
 * @returns the addresses; or the first problem
 */
export function judgeList(facts: ListFacts): JudgedList {
  const { namespace, held } = facts;
  const { list } = namespace;
  if (list.kind === 'malformed') return invalid('InvalidList', list.message);
  if (list.kind === 'none') return { ok: true, listed: { known: [], wishes: [] } };
  const heldAddresses = held.map(({ address }) => address);
  const known = list.addresses.filter((address) => isIn(address, heldAddresses));
  const wishes: ListedAddresses['wishes'][number][] = [];
  for (const address of list.addresses.filter((each) => !isIn(each, known))) {
    const wish = judgeWish(address, facts);
    if (!wish.ok) return wish;
    wishes.push({ address, ...wish.value });
  }
  return wholeList({ known, wishes }, facts);
}

type JudgedWish =
  | { readonly ok: true; readonly value: { readonly pool: EgressPool; readonly isReturn: boolean } }
  | { readonly ok: false; readonly problem: EgressProblem };

function judgeWish(address: Address, { namespace, plan, view }: ListFacts): JudgedWish {
  const pool = poolAt(plan, address);
  if (pool === undefined) {
    const cidrs = plan.pools.map(({ cidr }) => cidr).join(', ');
    return invalid('AddressOutOfRange', `${address.toString()} lies in no CIDR of EgressIPAM ${plan.name} (${cidrs})`);
  }
  const problem = whyNotGiven(address, { pool, namespace, plan }) ?? whyNotFree(address, view, plan.network);
  if (problem !== undefined) return problem;
  return { ok: true, value: { pool, isReturn: view.useAt(plan.network, address).kind === 'quarantined' } };
}

function whyNotGiven(
  address: Address,
  { pool, namespace, plan }: { readonly pool: EgressPool } & Pick<ListFacts, 'namespace' | 'plan'>,
) {
  if (pool.usable.contains(address)) return undefined;
  if (!pool.reserved.contains(address))
    return invalid(
      'AddressOfOtherDoor',
      `${address.toString()} of ${pool.cidr} belongs to a pool of another front door`,
    );
  if (namespace.mayUseReserved) return undefined;
  const cure = `the annotation ${EGRESS_KEYS.allowReserved}: "true" allows it`;
  return invalid(
    'AddressReserved',
    `${address.toString()} is reserved in ${pool.cidr} of EgressIPAM ${plan.name}; ${cure}`,
  );
}

function whyNotFree(address: Address, view: EgressView, network: string) {
  const use = view.useAt(network, address);
  switch (use.kind) {
    case 'free':
      return undefined;
    case 'held':
      return invalid('AddressInUse', `${address.toString()} is held by ${use.holder}`);
    case 'occupied':
      return invalid('AddressInUse', `${address.toString()} is in use by ${use.source}`);
    case 'quarantined':
      if (use.isFormer) return undefined;
      return pending(
        'AddressQuarantined',
        `${address.toString()} was released a short time ago; it is given once its quarantine is over`,
      );
  }
}

// One address of each CIDR: a second one would be carried by no dataplane, and a missing one is a slip in a list that was made by hand.
function wholeList(listed: ListedAddresses, { plan, held }: ListFacts): JudgedList {
  for (const { pool, address } of listed.wishes) {
    const others = [...listed.known, ...listed.wishes.map((each) => each.address)];
    const second = others.find((other) => !other.equals(address) && pool.prefix.contains(other));
    if (second === undefined) continue;
    return invalid(
      'OneAddressPerCIDR',
      `${address.toString()} and ${second.toString()} both lie in ${pool.cidr}; list one address of each CIDR`,
    );
  }
  const missing = plan.pools.find((pool) => !listed.wishes.some((wish) => wish.pool === pool));
  if (held.length > 0 || missing === undefined) return { ok: true, listed };
  return invalid('AddressMissing', `no address of ${missing.cidr} is listed; list one of each CIDR, or none at all`);
}

const problemOf =
  (state: EgressProblem['state']) =>
  (reason: EgressReason, message: string): { readonly ok: false; readonly problem: EgressProblem } => ({
    ok: false,
    problem: { state, reason, message },
  });

const invalid = problemOf('invalid');
const pending = problemOf('pending');
