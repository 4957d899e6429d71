import { addressOf, isIn, type Address } from '../../../addressing/address';
import type { EgressDataplane, NodeEgress } from '../../../ports/egress-dataplane';
import type { LookAgain } from '../door-parts';
import { afterAll } from './after-all';
import { hasUnknownGroups, isKnown, type PlacementContext } from './placement-context';
import type { PlacementKey } from './placement-key';
import { groupText, isAddressText } from './told';

/** Pause before a node is looked at again that something else wrote at the same time. */
const AGAIN_MS = 250;

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

async function carryIn(context: PlacementContext, dataplane: EgressDataplane, name: string): Promise<LookAgain> {
  const wanted = wantedOf(context, dataplane, name);
  if (wanted === undefined) return {};
  const texts = new Set([...wanted.groups.map(groupText), ...wanted.addresses.map(String)]);
  let isChanged = false;
  try {
    await context.told.of(dataplane).nodes.write(name, texts, async () => {
      isChanged = (await dataplane.applyNode(wanted)) === 'changed';
      return !isChanged;
    });
  } finally {
    for (const key of context.waits.ended({ of: 'node', name })) context.wake(key);
    context.changed();
  }
  return isChanged ? { requeueAfterMs: AGAIN_MS } : {};
}

function wantedOf(context: PlacementContext, dataplane: EgressDataplane, node: string): NodeEgress | undefined {
  const placed = [...context.placements.values()].flatMap(({ placed: of }) => (of?.dataplane === dataplane ? of : []));
  const groups = placed.flatMap((of) => of.groups.get(node) ?? []);
  const assigned = placed.flatMap((of) => (of.onNodes.get(node) ?? []).map(({ address }) => address));
  const addresses = [
    ...assigned.filter((address) => !isElsewhere(context, dataplane, { address, node })),
    ...keptOn(context, dataplane, { node, assigned }),
  ].sort((a, b) => a.compareTo(b));
  if (groups.length > 0 || assigned.length > 0) return { node, groups, addresses };
  const isOurs = dataplane.known().nodes.includes(node) || context.told.of(dataplane).nodes.get(node) !== undefined;
  return isOurs && !hasUnknownGroups(context) ? { node, groups, addresses } : undefined;
}

interface OnNode {
  readonly address: Address;
  readonly node: string;
}

// An address leaves its node before another one has it.
function isElsewhere(context: PlacementContext, dataplane: EgressDataplane, { address, node }: OnNode): boolean {
  const { nodes } = context.told.of(dataplane);
  const text = address.toString();
  const at = dataplane.placed().filter((each) => each.address.equals(address));
  const told = [...nodes.all()].flatMap(([name, { maybe }]) => (maybe.has(text) ? name : []));
  const all = new Set([...at.map((each) => each.node), ...told]);
  if (all.has(node) || all.size === 0) return false;
  for (const other of all) context.waits.until({ of: 'node', name: other }, { of: 'node', name: node });
  return true;
}

// What ends leaves the namespaces first.
function keptOn(
  context: PlacementContext,
  dataplane: EgressDataplane,
  { node, assigned }: { readonly node: string; readonly assigned: readonly Address[] },
): readonly Address[] {
  const told = context.told.of(dataplane).nodes.get(node)?.maybe ?? new Set<string>();
  const there = dataplane.placed().flatMap((each) => (each.node === node ? each.address.toString() : []));
  return [...new Set([...there, ...[...told].filter(isAddressText)])].flatMap((text) => {
    const address = addressOf(text);
    if (isIn(address, assigned) || isAssigned(context, dataplane, address)) return [];
    return isStillUsed(context, dataplane, { address, node, isTold: told.has(text) }) ? address : [];
  });
}

// To another node, for which it leaves this one.
const isAssigned = ({ placements }: PlacementContext, dataplane: EgressDataplane, address: Address): boolean =>
  [...placements.values()].some(
    ({ placed }) =>
      placed?.dataplane === dataplane &&
      [...placed.onNodes.values()].some((ones) => ones.some((each) => each.address.equals(address))),
  );

interface Leftover extends OnNode {
  /** True: it was put there in this term. */
  readonly isTold: boolean;
}

function isStillUsed(
  context: PlacementContext,
  dataplane: EgressDataplane,
  { address, node, isTold }: Leftover,
): boolean {
  const { door } = context;
  const { known } = door.parts;
  const plans = door.plans.all();
  // what namespaces list comes on record when a term begins
  if (!door.isGiving && !isTold) return plans.some(({ pools }) => pools.some(({ prefix }) => prefix.contains(address)));
  const networks = new Set(['default', ...plans.map(({ network }) => network)]);
  const records = [...networks].flatMap((network) => known.at({ network, address }) ?? []);
  const held = records.filter(({ door: of, state }) => of === 'egress' && state === 'held');
  // with the policy Retain everything stays, also after its EgressIPAM
  if (held.some(({ pool }) => door.plans.plan(pool)?.isRetained ?? true)) return true;
  const owners = held.flatMap(({ holders }) => holders.map(({ owner }) => owner.name));
  const using = owners.filter((namespace) => isUsedBy(context, dataplane, { address, namespace }));
  const key: PlacementKey = { of: 'node', name: node };
  for (const name of using) context.waits.until({ of: 'namespace', name }, key);
  return using.length > 0;
}

function isUsedBy(
  { told }: PlacementContext,
  dataplane: EgressDataplane,
  { address, namespace }: { readonly address: Address; readonly namespace: string },
): boolean {
  const entry = told.of(dataplane).namespaces.get(namespace);
  if (entry !== undefined) return entry.maybe.has(address.toString());
  return dataplane.known().namespaces.includes(namespace);
}
