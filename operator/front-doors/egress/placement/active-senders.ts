import type { Address } from '../../../addressing/address';
import type { EgressGroup } from '../../../ports/egress-dataplane';
import { compareAge } from '../../../rules/by-age';
import { poolAt } from '../../../rules/egress';
import { isStaying, selectorOfPool } from '../../../rules/egress/placement';
import { familyBits } from '../../../addressing/address';
import type { EgressDoorParts } from '../facts/door-parts';
import { dataplanesOf, heldBy } from '../facts/record';
import type { ActiveSender, NotYetPlaced } from './placed';
import type { PlacementContext } from './placement-context';
import type { Sender } from './senders';

/**
 * Lists the namespaces of an EgressIPAM with the addresses that are to carry their traffic: all of them, or as many as the dataplane can use
 * for one namespace, those of the first CIDRs with a usable node. Namespaces of which the record does not name the dataplane yet wait.
 *
 * @param context - of the placement
 * @param parts - of the EgressIPAM
 * @returns the oldest first; without those of which everything stays as it is
 */
export function activeSenders(context: PlacementContext, parts: NotYetPlaced): readonly ActiveSender[] {
  const isUsable = usableNodes(context, parts);
  return [...context.senders.of(parts.plan.name)].sort(compareAge).flatMap((sender) => {
    if (!isMarked(context, parts, sender)) return [];
    const active = mostOf(sender.addresses ?? [], parts, isUsable);
    const addresses = active.map((address) => ({ address, group: groupAt(parts, address) }));
    return [{ namespace: sender.name, addresses }];
  });
}

// The record says that the dataplane may have an address before that is told of it.
function isMarked(
  { door: { parts } }: PlacementContext,
  { dataplane, plan: { network } }: NotYetPlaced,
  sender: Sender,
): boolean {
  const recordAt = (address: Address) =>
    parts.known.at({ network, address }) ?? parts.known.at({ network: networkOf(parts, sender, address), address });
  return sender.addresses?.every((address) => dataplanesOf(recordAt(address)).includes(dataplane.name)) === true;
}

// What another EgressIPAM gave may be in another network.
const networkOf = ({ known }: Pick<EgressDoorParts, 'known'>, sender: Sender, address: Address): string =>
  heldBy(known, sender).find((each) => each.address.equals(address))?.network ?? '';

function mostOf(
  addresses: NonNullable<Sender['addresses']>,
  { dataplane: { mostPerNamespace = Infinity } }: NotYetPlaced,
  isUsable: (address: Address) => boolean,
): readonly Address[] {
  if (addresses.length <= mostPerNamespace) return addresses;
  // with no usable node at all the first ones stay active
  const usable = addresses.filter(isUsable);
  return [...usable, ...addresses.filter((address) => !usable.includes(address))].slice(0, mostPerNamespace);
}

// A node that is not ready for less than the time after which its addresses move is usable.
function usableNodes(
  { door }: PlacementContext,
  { dataplane, plan, pools }: NotYetPlaced,
): (address: Address) => boolean {
  const { parts } = door;
  const nowMs = parts.clock.nowMs();
  return (address) =>
    pools
      .filter(({ pool }) => pool.prefix.contains(address))
      .some(({ nodes }) =>
        nodes.some((node) => {
          const object = parts.nodes.get('', node.name);
          if (object === undefined || !isStaying(node, { plan, nowMs })) return false;
          return dataplane.capacityOf(object) !== undefined && dataplane.canCarry(object, address);
        }),
      );
}

// An address of a CIDR that was taken out is a group of its own.
function groupAt({ plan, pools, uid }: NotYetPlaced, address: Address): EgressGroup {
  const pool = poolAt(plan, address);
  const known = pools.find((each) => each.pool === pool);
  if (known !== undefined) return known.group;
  const cidr = `${address.toString()}/${String(familyBits(address.family))}`;
  return { egressIpam: plan.name, uid, cidr, cidrs: plan.pools.length, selector: selectorOfPool(plan, undefined) };
}
