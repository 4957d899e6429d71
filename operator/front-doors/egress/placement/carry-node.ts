import { addressOf, isIn, type Address } from '../../../addressing/address';
import type { JsonMap } from '../../../contract/loose-json';
import type { EgressDataplane, NodeEgress } from '../../../ports/egress-dataplane';
import { poolAt, readNamespace } from '../../../rules/egress';
import type { EgressPlan } from '../../../rules/egress/types';
import type { LookAgain } from '../facts/door-parts';
import { afterAll, endWrite } from './end-write';
import { hasUnknownGroups, isKnown, planToPlaceBy, type PlacementContext } from './placement-context';
import type { PlacementKey } from './placement-key';
import { groupText, isAddressText } from './writes';

/**
 * Brings a node to what it is to carry, in every dataplane.
 *
 * @param context - of the placement
 * @param name - of the node, which may be gone
 * @returns when it is to be looked at again by itself
 * @throws IpamError of a dataplane, once all were tried
 */
export function carryNode(context: PlacementContext, name: string): Promise<LookAgain> {
  const open = context.door.parts.dataplanes.open().filter(isKnown);
  return afterAll(open, (dataplane) => carryIn(context, dataplane, name));
}

function carryIn(context: PlacementContext, dataplane: EgressDataplane, name: string): Promise<LookAgain> {
  const wanted = wantedOf(context, dataplane, name);
  if (wanted === undefined) return Promise.resolve({});
  const texts = new Set([...wanted.groups.map(groupText), ...wanted.addresses.map(String)]);
  const { nodes } = context.writes.of(dataplane);
  return endWrite(context, { of: 'node', name }, () => nodes.write(name, texts, () => dataplane.applyNode(wanted)));
}

function wantedOf(context: PlacementContext, dataplane: EgressDataplane, node: string): NodeEgress | undefined {
  const placed = [...context.placements.values()].flatMap(({ placed: of }) => (of?.dataplane === dataplane ? of : []));
  const groups = placed.flatMap((of) => of.groups.get(node) ?? []);
  const assigned = placed.flatMap((of) => (of.onNodes.get(node) ?? []).map(({ address }) => address));
  const nodesOf = assigned.length === 0 ? new Map<string, ReadonlySet<string>>() : nodesByAddress(context, dataplane);
  const addresses = ascending([
    ...assigned.filter((address) => !isElsewhere(context, nodesOf.get(address.toString()), node)),
    ...keptOn(context, dataplane, { node, assigned }),
  ]);
  if (groups.length > 0 || assigned.length > 0) return { node, groups, addresses };
  const isOurs = dataplane.known().nodes.includes(node) || context.writes.of(dataplane).nodes.get(node) !== undefined;
  return isOurs && !hasUnknownGroups(context) ? { node, groups, addresses } : undefined;
}

// While a namespace goes from one EgressIPAM to another, both place the same address.
function ascending(addresses: readonly Address[]): readonly Address[] {
  const all = addresses.toSorted((a, b) => a.compareTo(b));
  return all.filter((address, index) => all[index - 1]?.equals(address) !== true);
}

interface OnNode {
  readonly address: Address;
  readonly node: string;
}

// Where each address is or may be, gathered once for all addresses of a node.
function nodesByAddress(
  { writes }: PlacementContext,
  dataplane: EgressDataplane,
): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  const add = (text: string, node: string): void => {
    all.set(text, (all.get(text) ?? new Set()).add(node));
  };
  for (const { address, node } of dataplane.placed()) add(address.toString(), node);
  for (const [node, { maybe }] of writes.of(dataplane).nodes.all()) for (const text of maybe) add(text, node);
  return all;
}

// An address leaves its node before another one has it.
function isElsewhere({ waits }: PlacementContext, at: ReadonlySet<string> | undefined, node: string): boolean {
  if (at === undefined || at.has(node)) return false;
  for (const other of at) waits.until({ of: 'node', name: other }, { of: 'node', name: node });
  return true;
}

// What ends leaves the namespaces first.
function keptOn(
  context: PlacementContext,
  dataplane: EgressDataplane,
  { node, assigned }: { readonly node: string; readonly assigned: readonly Address[] },
): readonly Address[] {
  const told = context.writes.of(dataplane).nodes.get(node)?.maybe ?? new Set<string>();
  const there = dataplane.placed().flatMap((each) => (each.node === node ? each.address.toString() : []));
  const here = new Set(assigned.map(String));
  const left = new Set([...there, ...[...told].filter(isAddressText)].filter((text) => !here.has(text)));
  if (left.size === 0) return [];
  const elsewhere = assignedIn(context, dataplane);
  return [...left].flatMap((text) => {
    if (elsewhere.has(text)) return [];
    const address = addressOf(text);
    return isStillUsed(context, dataplane, { address, node }) ? address : [];
  });
}

// To any node; one that is to be on another node leaves this one.
function assignedIn({ placements }: PlacementContext, dataplane: EgressDataplane): ReadonlySet<string> {
  const all = [...placements.values()].flatMap(({ placed }) => (placed?.dataplane === dataplane ? placed : []));
  return new Set(all.flatMap(({ onNodes }) => [...onNodes.values()].flat().map(({ address }) => address.toString())));
}

function isStillUsed(context: PlacementContext, dataplane: EgressDataplane, { address, node }: OnNode): boolean {
  const { door } = context;
  const { known } = door.parts;
  const plans = door.plans.all();
  // what namespaces list comes on record when a term begins
  const isByDoor = (plan: EgressPlan): boolean => isPlacedByDoor(context, dataplane, plan);
  if (!door.isGiving) return plans.some((plan) => mayHave(plan, address) && isByDoor(plan));
  const networks = new Set(['default', ...plans.map(({ network }) => network)]);
  const records = [...networks].flatMap((network) => known.at({ network, address }) ?? []);
  const held = records.filter(({ door: of, state, pool, holders }) => {
    const plan = door.plans.plan(pool);
    // what an EgressIPAM left behind leaves its namespaces first, too
    if (plan === undefined && of === 'egress' && state === 'held' && holders[0]?.isEnding === true) return true;
    return of === 'egress' && state === 'held' && plan !== undefined && isByDoor(plan);
  });
  // with the policy Retain everything stays; after its EgressIPAM is gone, the dataplane sees to that
  if (held.some(({ pool }) => isRetained(door.plans.plan(pool)))) return true;
  const owners = held.flatMap(({ holders }) => holders.map(({ owner }) => owner.name));
  const using = owners.filter((namespace) => isUsedBy(context, dataplane, { address, namespace }));
  const key: PlacementKey = { of: 'node', name: node };
  for (const name of using) context.waits.until({ of: 'namespace', name }, key);
  return using.length > 0;
}

// The CIDRs of an invalid EgressIPAM are not known.
const mayHave = (plan: EgressPlan, address: Address): boolean =>
  poolAt(plan, address) !== undefined || (!plan.readiness.ok && plan.pools.length === 0);

// The others are where the dataplane has put them.
function isPlacedByDoor(context: PlacementContext, dataplane: EgressDataplane, plan: EgressPlan): boolean {
  const { pools } = planToPlaceBy(context, plan) ?? plan;
  return dataplane.chooserOf({ cidrs: pools.length }) === 'door';
}

const isRetained = (plan: EgressPlan | undefined): boolean => plan?.isDying === true && plan.isRetained;

function isUsedBy(
  { writes, door: { parts } }: PlacementContext,
  dataplane: EgressDataplane,
  { address, namespace }: { readonly address: Address; readonly namespace: string },
): boolean {
  const entry = writes.of(dataplane).namespaces.get(namespace);
  if (entry?.maybe.has(address.toString()) === true) return true;
  // as an older operator left it, of which the dataplane knows no namespace
  if (entry?.done === undefined && isListed(parts.namespaces.get('', namespace), address)) return true;
  // before the first write that succeeds in this term it has what an earlier one gave it
  return entry?.done === undefined && dataplane.known().namespaces.includes(namespace);
}

function isListed(namespace: JsonMap | undefined, address: Address): boolean {
  const read = namespace && readNamespace(namespace);
  return read?.egressIpam !== undefined && read.list.kind === 'listed' && isIn(address, read.list.addresses);
}
