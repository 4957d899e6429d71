import { readNamespace } from '../../../rules/egress';
import type { EgressNamespace } from '../../../rules/egress/types';
import { heldBy } from '../facts/record';
import type { KnownClaims } from '../../../ports/known-claims';
import type { EgressDataplane } from '../../../ports/egress-dataplane';
import type { LookAgain } from '../facts/door-parts';
import { afterAll } from './after-all';
import { endWrite } from './end-write';
import { namespaceTexts, type EgressIpamPlacement, type Placed, type PlacedOne } from './placed';
import { isKnown, type PlacementContext } from './placement-context';
import { refreshSender } from './refresh-sender';
import type { Sender } from './senders';
import { groupText } from './writes';

/**
 * Brings what the traffic of a namespace is sent from to what it is to be, in every dataplane.
 *
 * @param context - of the placement
 * @param name - of the namespace, which may be gone
 * @returns when it is to be looked at again by itself
 * @throws IpamError of a dataplane or the cluster, once all were tried
 */
export function sendNamespace(context: PlacementContext, name: string): Promise<LookAgain> {
  const sender = refreshSender(context, name);
  const placed = sender === undefined ? undefined : context.placements.get(sender.egressIpam)?.placed;
  const open = context.door.parts.dataplanes.open().filter(isKnown);
  return afterAll(open, (dataplane) =>
    sender !== undefined && placed?.dataplane === dataplane
      ? send(context, { sender, placed })
      : end(context, dataplane, name),
  );
}

interface Sending {
  readonly sender: Sender;
  readonly placed: Placed;
}

function send(context: PlacementContext, { sender, placed }: Sending): Promise<LookAgain> {
  const { name, addresses } = sender;
  const ones = placed.namespaces.get(name);
  if (addresses === undefined || ones === undefined) return nothing;
  // what it is to have now is placed first, and asks for this work again
  const isPlaced = ones.every(({ address }) => addresses.some((each) => each.equals(address)));
  if (!isPlaced || (ones.length === 0) !== (addresses.length === 0)) return nothing;
  if (ones.length === 0) return end(context, placed.dataplane, name);
  if (isAnyPending(context, placed, ones)) return nothing;
  return apply(context, { sender, placed }, ones);
}

const nothing: Promise<LookAgain> = Promise.resolve({});

function apply(
  context: PlacementContext,
  { sender: { name }, placed }: Sending,
  ones: readonly PlacedOne[],
): Promise<LookAgain> {
  const { dataplane, plan, uid } = placed;
  const wanted = {
    namespace: name,
    egressIpam: { name: plan.name, uid },
    addresses: ones.map(({ address, group, node }) =>
      node === undefined ? { address, group } : { address, group, node },
    ),
  };
  const texts = new Set(ones.map(({ address }) => address.toString()));
  const { namespaces } = context.writes.of(dataplane);
  return endWrite(context, { of: 'namespace', name }, () =>
    namespaces.write(name, texts, () => dataplane.applyNamespace(wanted)),
  );
}

// Nodes come first; one that fails holds up no other.
function isAnyPending(context: PlacementContext, placed: Placed, ones: readonly PlacedOne[]): boolean {
  const { nodes } = context.writes.of(placed.dataplane);
  const waiting = ones.flatMap(({ address, group, node }): readonly string[] => {
    if (placed.chooser === 'dataplane')
      return groupNodes(placed, group).filter((name) => !isTold(name, groupText(group)));
    return node === undefined || isTold(node, address.toString()) ? [] : [node];
  });
  function isTold(name: string, text: string): boolean {
    const entry = nodes.get(name);
    return entry !== undefined && (entry.hasFailed || entry.done?.has(text) === true);
  }
  for (const { namespace } of ones.slice(0, 1))
    for (const name of waiting) context.waits.until({ of: 'node', name }, { of: 'namespace', name: namespace });
  return waiting.length > 0;
}

const groupNodes = ({ pools }: Placed, group: PlacedOne['group']): readonly string[] =>
  pools.filter((each) => each.group === group).flatMap(({ nodes }) => nodes.map(({ name }) => name));

async function end(context: PlacementContext, dataplane: EgressDataplane, name: string): Promise<LookAgain> {
  const entry = context.writes.of(dataplane).namespaces.get(name);
  const isOurs = dataplane.known().namespaces.includes(name) || (entry !== undefined && entry.maybe.size > 0);
  if (!isOurs || !context.door.isGiving) return {};
  const how = await howItEnds(context, dataplane, name);
  if (how === 'stays') return {};
  const { namespaces } = context.writes.of(dataplane);
  return endWrite(context, { of: 'namespace', name }, () =>
    namespaces.write(name, new Set(), () =>
      how === 'orphan' ? dataplane.orphanNamespace(name) : dataplane.releaseNamespace(name),
    ),
  );
}

// Decided on what the API server has now, since the watch may be behind.
async function howItEnds(
  context: PlacementContext,
  dataplane: EgressDataplane,
  name: string,
): Promise<'stays' | 'release' | 'orphan'> {
  const { object } = await context.door.parts.namespaceWriter.read({ namespace: '', name });
  return object === undefined ? 'release' : endOf(context, dataplane, readNamespace(object));
}

function endOf(
  context: PlacementContext,
  dataplane: EgressDataplane,
  { name, egressIpam }: EgressNamespace,
): 'stays' | 'release' | 'orphan' {
  if (egressIpam === undefined) return 'release';
  const { plans, parts } = context.door;
  const plan = plans.plan(egressIpam);
  const placement = context.placements.get(egressIpam);
  if (plan === undefined && isEnding(parts.known, name)) return 'release';
  if (plan === undefined || placement === undefined) return 'stays';
  if (plan.isDying) return plan.isRetained ? 'orphan' : 'release';
  return isServedHere(context, placement, { dataplane, name }) ? 'stays' : 'release';
}

// Everything that it holds was left behind by an EgressIPAM that is gone.
function isEnding(known: KnownClaims, name: string): boolean {
  const held = heldBy(known, { name, uid: '' });
  return held.length > 0 && held.every((each) => each.isEnding === true);
}

function isServedHere(
  { senders }: PlacementContext,
  { choice, placed }: EgressIpamPlacement,
  { dataplane, name }: { readonly dataplane: EgressDataplane; readonly name: string },
): boolean {
  if (choice.kind !== 'driver') return choice.kind === 'missing';
  if (choice.dataplane !== dataplane) return false;
  // it holds nothing any more
  const isEmpty = senders.get(name)?.addresses?.length === 0 && namespaceTexts(placed, name).length === 0;
  return placed === undefined || !isEmpty;
}
