import { EGRESS_IPAM } from '../../../contract/kinds/egress-ipam';
import { metadataOf, textOf } from '../../../contract/loose-json';
import { NAMESPACE } from '../../../contract/egress';
import type { ObjectEvent } from '../../../ports/event-recorder';
import type { UnplacedTold } from '../facts/carrier';
import { namespaceTexts, nodeTexts, type EgressIpamPlacement, type Placed } from './placed';
import type { PlacementContext } from './placement-context';

/** A placement before and after it was decided anew. */
interface Change {
  readonly before: EgressIpamPlacement | undefined;
  readonly after: EgressIpamPlacement | undefined;
}

/**
 * Asks for work on every node and namespace whose part of a placement changed, and tells users of what has no node.
 *
 * @param context - of the placement
 * @param name - of the EgressIPAM
 * @param change - before and after
 */
export function tellChanges(context: PlacementContext, name: string, { before, after }: Change): void {
  const change = { old: before?.placed, now: after?.placed };
  wakeChanged(context, change);
  if (before?.isFrozen === true && after?.isFrozen !== true) wakeKnown(context);
  countMoves(context, name, change);
  tellActive(context, change);
  tellUnplaced(context, name, { before, after });
  if (JSON.stringify(viewText(before)) !== JSON.stringify(viewText(after))) context.viewChanged(name);
}

function wakeChanged(context: PlacementContext, { old, now }: PlacedChange): void {
  const isSameDataplane = old?.dataplane === now?.dataplane;
  const isOther = (texts: (placed: Placed | undefined, name: string) => readonly string[], name: string): boolean =>
    !isSameDataplane || texts(old, name).join() !== texts(now, name).join();
  for (const name of namesOf(old, now, ({ groups, onNodes }) => [...groups.keys(), ...onNodes.keys()]))
    if (isOther(nodeTexts, name)) context.wake({ of: 'node', name });
  for (const name of namesOf(old, now, ({ namespaces }) => [...namespaces.keys()]))
    if (isOther(namespaceTexts, name)) {
      context.wake({ of: 'namespace', name });
      // what is placed no more may be given back
      context.changed();
    }
}

const namesOf = (
  old: Placed | undefined,
  now: Placed | undefined,
  of: (placed: Placed) => readonly string[],
): Iterable<string> => new Set([old, now].flatMap((placed) => (placed === undefined ? [] : of(placed))));

function wakeKnown(context: PlacementContext): void {
  for (const dataplane of context.door.parts.dataplanes.open())
    for (const name of dataplane.known().nodes) context.wake({ of: 'node', name });
}

// Objects of a choice are compared by what users are shown of it.
function viewText(placement: EgressIpamPlacement | undefined) {
  if (placement === undefined) return undefined;
  const { choice, problem, nodes, unplaced, isSelectionAdvisory } = placement.view;
  const chosen = choice.kind === 'driver' ? choice.dataplane.name : choice;
  return [chosen, problem, nodes, unplaced.map(({ message, namespace }) => [message, namespace]), isSelectionAdvisory];
}

interface PlacedChange {
  readonly old: Placed | undefined;
  readonly now: Placed | undefined;
}

function countMoves({ door }: PlacementContext, egressipam: string, { old, now }: PlacedChange): void {
  const { meter, logger } = door.parts;
  const nodeOf = new Map(
    [...(now?.onNodes ?? [])].flatMap(([node, ones]) => ones.map(({ address }) => [address.toString(), node] as const)),
  );
  for (const [node, ones] of old?.onNodes ?? [])
    for (const { address } of ones) {
      const to = nodeOf.get(address.toString());
      if (to === undefined || to === node) continue;
      meter.count('egressip_failover_total', { egressipam, node });
      logger.info('egress address moves to another node', {
        egressIpam: egressipam,
        address: address.toString(),
        from: node,
        to,
      });
    }
}

// Told where a dataplane can use some of the addresses of a namespace alone.
function tellActive(context: PlacementContext, { old, now }: PlacedChange): void {
  if (now?.dataplane.mostPerNamespace === undefined) return;
  for (const [namespace, ones] of now.namespaces) {
    const text = ones.map(({ address }) => address.toString()).join(', ');
    const before = old?.namespaces
      .get(namespace)
      ?.map(({ address }) => address.toString())
      .join(', ');
    if (text === '' || before === undefined || before === text) continue;
    const message = `${now.dataplane.name} sends the traffic of the namespace from ${text} from now on`;
    tellNamespace(context, namespace, { type: 'Normal', reason: 'ActiveAddressChanged', message });
  }
}

function tellUnplaced(context: PlacementContext, name: string, { before, after }: Change): void {
  const [old, now] = [before?.view.unplaced ?? [], after?.view.unplaced ?? []];
  const known = new Set(old.map(unplacedText));
  for (const each of now) if (!known.has(unplacedText(each))) tellOne(context, each);
  const placedAgain = new Set(old.map(({ namespace }) => namespace));
  for (const { namespace } of now) placedAgain.delete(namespace);
  const message = 'every egress address of the namespace is on a node';
  for (const namespace of after === undefined ? [] : placedAgain)
    tellNamespace(context, namespace, { type: 'Normal', reason: 'AddressesPlaced', message });
  tellFull(context, name, { old, now });
}

const unplacedText = ({ namespace, message }: UnplacedTold): string => `${namespace} ${message}`;

function tellOne(context: PlacementContext, { namespace, reason, message }: UnplacedTold): void {
  context.door.parts.logger.warn('egress address is on no usable node', { namespace, reason, problem: message });
  tellNamespace(context, namespace, { type: 'Warning', reason, message });
}

interface UnplacedChange {
  readonly old: readonly UnplacedTold[];
  readonly now: readonly UnplacedTold[];
}

function tellFull(context: PlacementContext, name: string, { old, now }: UnplacedChange): void {
  const full = now.find(({ reason }) => reason === 'NodesFull');
  if (full === undefined || old.some(({ reason }) => reason === 'NodesFull')) return;
  tellEgressIpam(context, name, { type: 'Warning', reason: 'CapacityExhausted', message: full.message });
}

function tellNamespace({ door: { parts } }: PlacementContext, name: string, event: ObjectEvent): void {
  const object = parts.namespaces.get('', name);
  if (object === undefined) return;
  void parts.events.record({ ...NAMESPACE, namespace: '', name, uid: textOf(metadataOf(object)['uid']) }, event);
}

function tellEgressIpam({ door: { parts } }: PlacementContext, name: string, event: ObjectEvent): void {
  const uid = textOf(metadataOf(parts.egressIpams.get('', name))['uid']);
  const { group, version, kind } = EGRESS_IPAM;
  void parts.events.record({ apiVersion: `${group}/${version}`, kind, namespace: '', name, uid }, event);
}
