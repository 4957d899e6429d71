import type { Address } from '../../addressing/address';
import { PrefixSet } from '../../addressing/prefix-set';
import { isOvertaken } from '../../errors/overtaken';
import type { AddressRecord } from '../../ports/claims';
import type { EgressNamespace, EgressOffer, EgressPlan, EgressPool, EgressSlot } from '../../rules/egress/types';
import type { EgressContext } from './facts/context';
import { dataplanesOf, giveBack, holderOf, isFormerOf } from './facts/record';
import { carrierOf } from './facts/seen-dataplanes';

/** Quarantine in which an address waits while it goes from one EgressIPAM to another, in case that this process ends in between. */
const MOVE_MS = 600_000;

/** Where slots are filled. */
export interface FilledFor {
  readonly namespace: EgressNamespace;
  readonly plan: EgressPlan;
}

/** Addresses of the slots in their order, undefined for one that none was found for; or other holders were faster. */
export type Filled = readonly (Address | undefined)[] | 'again';

/**
 * Fills the slots of a namespace, all or none. Each address is on record before this returns.
 *
 * @param context - of the controller
 * @param slots - of the decision
 * @param of - namespace and EgressIPAM
 * @returns the addresses
 * @throws IpamError where the record cannot be written; what was taken stays with the namespace then, and the next look finds it
 */
export async function fillAll(context: EgressContext, slots: readonly EgressSlot[], of: FilledFor): Promise<Filled> {
  // asked for at once, so that older namespaces come first in every CIDR
  const results = await Promise.all(slots.map((slot) => tryOffers(context, slot, of)));
  const found = results.filter((each) => each !== undefined && each !== 'again');
  if (found.length === slots.length) return (await moveAll(context, slots, of)) ? found : 'again';
  for (const [index, result] of results.entries()) {
    if (result === undefined || result === 'again' || slots[index]?.moves !== undefined) continue;
    await giveBack(context, of.namespace.name, { network: of.plan.network, address: result, quarantineMs: 0 });
  }
  return results.includes('again') ? 'again' : results.map((each) => (each === 'again' ? undefined : each));
}

async function tryOffers(context: EgressContext, { pool, offers, moves }: EgressSlot, of: FilledFor) {
  // moved once every other slot is filled
  if (moves !== undefined) return moves.address;
  for (const offer of offers) {
    const { address } = offer;
    const tried =
      address === undefined
        ? await takeLowest(context, pool, of)
        : await takeExactly(context, { ...offer, address }, of);
    if (tried !== undefined) return tried;
  }
  return undefined;
}

async function takeExactly(
  { parts }: EgressContext,
  { address, isReturn = false }: EgressOffer & { readonly address: Address },
  { namespace, plan }: FilledFor,
): Promise<Address | 'again' | undefined> {
  const { network } = plan;
  const record = parts.known.at({ network, address });
  const former = isReturn ? formerAt(record, namespace.name) : undefined;
  const returning = former === undefined ? {} : { returningOver: former.version };
  const outcome = await parts.claims.take({
    network,
    pool: plan.name,
    holder: holderOf(namespace, dataplanesFor(parts, plan, dataplanesOf(former))),
    wants: [{ family: address.family, address, space: PrefixSet.EMPTY, ...returning }],
  });
  if (outcome.ok) return address;
  // a wider prefix of another door has it, which no later look would change
  const isCovered = isOvertaken(outcome) && outcome.refusal.code === 'address/held' && record === undefined;
  return isCovered && parts.known.at({ network, address }) === undefined ? undefined : 'again';
}

const formerAt = (record: AddressRecord | undefined, name: string): AddressRecord | undefined =>
  record !== undefined && isFormerOf(record, name) ? record : undefined;

// On record before the dataplane is told of the address; what goes from one EgressIPAM to another is in the former one still.
function dataplanesFor(parts: EgressContext['parts'], plan: EgressPlan, before: readonly string[]): readonly string[] {
  return [...new Set([...before, ...[carrierOf(parts, plan)].filter((name) => name !== undefined)])];
}

async function takeLowest(
  { parts, inUse }: EgressContext,
  pool: EgressPool,
  { namespace, plan }: FilledFor,
): Promise<Address | 'again' | undefined> {
  const holder = holderOf(namespace, dataplanesFor(parts, plan, []));
  for (const space of inUse.spacesOf(pool, plan.network)) {
    const outcome = await parts.claims.take({
      network: plan.network,
      pool: plan.name,
      holder,
      wants: [{ family: pool.prefix.family, space }],
    });
    if (outcome.ok) return outcome.value[0]?.record.address ?? 'again';
    if (outcome.refusal.code !== 'pool/exhausted') return isOvertaken(outcome) ? 'again' : undefined;
  }
  return undefined;
}

// The record names the EgressIPAM of an address for good, so the address is released into quarantine and taken anew.
async function moveAll(context: EgressContext, slots: readonly EgressSlot[], of: FilledFor): Promise<boolean> {
  for (const { moves } of slots) {
    if (moves === undefined) continue;
    await giveBack(context, of.namespace.name, { ...moves, quarantineMs: MOVE_MS });
    const taken = await takeExactly(context, { address: moves.address, isReturn: true }, of);
    if (taken === 'again' || taken === undefined) return false;
  }
  return true;
}
