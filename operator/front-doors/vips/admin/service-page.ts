import type { Family } from '../../../addressing/address';
import type { VipsExplanation } from '../../../contract/ipam-api/vips-pages';
import { LOAD_BALANCER, type ServiceView } from '../../../contract/service';
import { explainGroups } from '../../../rules/vips';
import type { ServiceFacts, VipGroup } from '../../../rules/vips/types';
import { GroupTallies } from '../controller/group-tallies';
import { GroupsView } from '../controller/groups-view';
import { InUse } from '../controller/in-use';
import { heldRecords } from '../controller/record';
import { SharedKeys } from '../controller/shared-keys';
import { readVipService, type VipService } from '../controller/vip-service';
import { factsOf, viewFor } from '../controller/vips-view';
import { addressAnswer } from './record-answers';
import type { VipsPagesParts } from './vips-pages-parts';

const UNKNOWN: VipsExplanation = { known: false, sentences: [], addresses: [] };

/**
 * Explains a Service: what it has, its condition, and what every group can do for it while it waits.
 *
 * @param parts - record, groups, Services
 * @param named - namespace and name
 * @returns what the door knows of it; not known where it is another's
 * @throws IpamError `cluster/unavailable`
 */
export async function servicePage(
  parts: VipsPagesParts,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<VipsExplanation> {
  const stored = readVipService(await parts.cluster.service(namespace, name));
  const records = heldRecords(parts.known, stored?.view ?? { namespace, name, uid: '' });
  const addresses = records.map(addressAnswer);
  if (stored === undefined) {
    const lost = addresses.map(
      ({ address }) => `no Service ${namespace}/${name} is stored, but ${address} is on record for it`,
    );
    return { known: addresses.length > 0, sentences: lost, addresses };
  }
  const facts = factsOf(parts, stored);
  if (!facts.isOurs && addresses.length === 0 && stored.condition === undefined) return UNKNOWN;
  const held = addresses.map(
    ({ address, group, holders }) =>
      `Service ${namespace}/${name} holds ${address} of IPGroup ${group}${since(holders, { namespace, name })}`,
  );
  const state = [...shape(stored, facts), ...conditionSentences(stored)];
  const isWaiting = facts.isOurs && stored.condition?.status !== 'True';
  return {
    known: true,
    sentences: [...held, ...state, ...(isWaiting ? await groupSentences(parts, facts) : [])],
    addresses,
  };
}

function since(
  holders: VipsExplanation['addresses'][number]['holders'],
  service: Pick<ServiceView, 'namespace' | 'name'>,
): string {
  const mine = holders.find(({ namespace, name }) => namespace === service.namespace && name === service.name);
  return mine === undefined ? '' : ` since ${mine.since}`;
}

// Why the door does not serve a Service that it knows.
function shape({ view, hasOldFinalizer }: VipService, { isOurs }: ServiceFacts): readonly string[] {
  const { type, loadBalancerClass, dying } = view;
  const other =
    loadBalancerClass === undefined
      ? 'Services without a class are not served here'
      : `its class is "${loadBalancerClass}"`;
  return [
    ...(dying ? ['it is being deleted, and waits for its finalizers'] : []),
    ...(type === LOAD_BALANCER ? [] : [`it is of type ${type}, and only Services of type LoadBalancer get addresses`]),
    ...(type === LOAD_BALANCER && !isOurs ? [`another controller serves it: ${other}`] : []),
    ...(hasOldFinalizer ? ['a finalizer of the older operator is on it'] : []),
  ];
}

function conditionSentences({ condition, shown }: VipService): readonly string[] {
  const shows = shown.length === 0 ? 'its status shows no address' : `its status shows ${shown.join(', ')}`;
  if (condition === undefined) return [`it has no condition of this door yet; ${shows}`];
  const { status, reason, message, lastTransitionTime } = condition;
  const state = status === 'True' ? 'is served' : 'waits';
  return [`it ${state} since ${lastTransitionTime} (${reason}): ${message}`, shows];
}

async function groupSentences(parts: VipsPagesParts, facts: ServiceFacts): Promise<readonly string[]> {
  const groups = new GroupsView(parts);
  const families = await parts.cluster.families();
  const view = viewFor({ parts, groups, shared: new SharedKeys(parts.known), families }, facts.service);
  const tallies = new GroupTallies(parts.known, new InUse(parts));
  return explainGroups(facts, view, (group: VipGroup, family: Family) => BigInt(tallies.of(group).counts(family).free));
}
