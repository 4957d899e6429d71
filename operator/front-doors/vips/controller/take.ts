import { IP_NETWORK } from '../../../contract/paas';
import type { Address, Family } from '../../../addressing/address';
import { PrefixSet } from '../../../addressing/prefix-set';
import { isOvertaken } from '../../../errors/overtaken';
import type { Place } from '../../../ports/claims';
import type { HeldAddress, Offer, ServiceFacts } from '../../../rules/vips/types';
import type { VipsContext } from './context';
import { holderOf, isHolder, placeOf } from './record';

/** Result of an offer: an address; nothing, so that the next one is tried; or something else took it at the same time. */
export type Tried = { readonly address: Address; readonly group: string } | 'none' | 'again';

/**
 * Tries one offer. The creation of the `IP` object is the lock.
 *
 * @param context - of the controller
 * @param facts - the Service
 * @param of - the offer, and the family of the address
 * @returns what came of it
 * @throws IpamError where the record cannot be written
 */
export async function tryOffer(
  context: VipsContext,
  facts: ServiceFacts,
  of: { readonly offer: Offer; readonly family: Family },
): Promise<Tried> {
  const { offer, family } = of;
  if (offer.kind === 'join') return join(context, facts, offer);
  if (!(await context.finalizers.add(offer.group))) return 'again';
  if (offer.address === undefined) return takeLowest(context, facts, { group: offer.group, family });
  return takeExactly(context, facts, { ...offer, address: offer.address });
}

async function join({ parts }: VipsContext, facts: ServiceFacts, offer: Offer & { kind: 'join' }): Promise<Tried> {
  const place = placeOf(offer.address);
  const record = parts.known.at(place);
  if (record === undefined) return 'again';
  const outcome = await parts.claims.bind({ ...place, version: record.version, holder: holderOf(facts) });
  return isOvertaken(outcome) ? 'again' : { address: offer.address, group: offer.group };
}

async function takeExactly(
  { parts }: VipsContext,
  facts: ServiceFacts,
  { address, group, isReturn = false }: Offer & { kind: 'take' } & { readonly address: Address },
): Promise<Tried> {
  const returningOver = isReturn ? parts.known.at(placeOf(address))?.version : undefined;
  const { family } = address;
  const outcome = await parts.claims.take({
    network: IP_NETWORK,
    pool: group,
    wants: [{ family, address, space: PrefixSet.EMPTY, ...(returningOver === undefined ? {} : { returningOver }) }],
    holder: holderOf(facts),
  });
  return isOvertaken(outcome) ? 'again' : { address, group };
}

async function takeLowest(
  { parts, groups, inUse }: VipsContext,
  facts: ServiceFacts,
  { group: name, family }: { readonly group: string; readonly family: Family },
): Promise<Tried> {
  const plan = groups.plan(name);
  if (plan === undefined) return 'again';
  for (const space of inUse.spacesOf(plan.group, family)) {
    const request = { network: IP_NETWORK, pool: name, wants: [{ family, space }] as const, holder: holderOf(facts) };
    const outcome = await parts.claims.take(request);
    if (outcome.ok) {
      const [taken] = outcome.value;
      return taken === undefined ? 'again' : { address: taken.record.address, group: name };
    }
    if (outcome.refusal.code !== 'pool/exhausted' && isOvertaken(outcome)) return 'again';
  }
  return 'none';
}

/**
 * Writes the UID and the terms of a Service to an address that it holds.
 *
 * @param context - of the controller
 * @param facts - the Service
 * @param address - that it holds
 * @returns whether the record is as it was decided on
 * @throws IpamError where the record cannot be written
 */
export async function rebind({ parts }: VipsContext, facts: ServiceFacts, address: Address): Promise<boolean> {
  const place = placeOf(address);
  const record = parts.known.at(place);
  const mine = record?.holders.find((each) => isHolder(each, facts.service));
  if (record === undefined || mine === undefined) return false;
  const { version } = record;
  const outcome = await parts.claims.bind({ ...place, version, holderId: mine.id, holder: holderOf(facts) });
  return !isOvertaken(outcome);
}

/** How often a release is tried on a record that others write at the same time. */
const TRIES = 5;

/**
 * Gives an address back. One that is not held any more is success.
 *
 * @param context - of the controller
 * @param address - on record
 * @param isMine - tells the holder that ends
 * @throws IpamError where the record cannot be written
 */
export async function giveBack(
  { parts, groups }: VipsContext,
  address: Address,
  isMine: (holder: Parameters<typeof isHolder>[0]) => boolean,
): Promise<void> {
  const place: Place = placeOf(address);
  for (let left = TRIES; left > 0; left--) {
    const record = await parts.claims.get(place);
    const mine = record?.holders.find(isMine);
    if (record === undefined || mine === undefined) return;
    const quarantineMs = groups.plan(record.pool)?.group.quarantineMs ?? 0;
    const outcome = await parts.claims.release({ ...place, version: record.version, holderId: mine.id, quarantineMs });
    if (!isOvertaken(outcome)) return;
  }
}

/**
 * Gives back what a Service holds.
 *
 * @param context - of the controller
 * @param facts - the Service
 * @param held - addresses of it
 * @throws IpamError where the record cannot be written
 */
export async function giveBackAll(
  context: VipsContext,
  { service }: Pick<ServiceFacts, 'service'>,
  held: readonly Pick<HeldAddress, 'address'>[],
): Promise<void> {
  for (const { address } of held) await giveBack(context, address, (each) => isHolder(each, service));
}
