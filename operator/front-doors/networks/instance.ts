import { prefixOf } from '../../addressing/prefix';
import { mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import { MOST_SHOWN_ENTRIES } from '../../contract/nephio';
import { valueOf } from '../../errors/ipam-error';
import {
  clientOf,
  conditionsOf,
  decideRelease,
  readAllocation,
  readInstance,
  usersOfInstance,
  viewOf,
} from '../../rules/networks';
import type { Instance, NamedObject } from '../../rules/networks/types';
import { adoptShown } from './adoption';
import type { Ended, NetworksContext } from './context';
import { isDying, isPaused, namedOf } from './objects';
import { shownFields, writeStatus, type WorkedObject } from './status';
import { heldConditions, hold, letGo, tellServed, waiterOf } from './work';

const EVERYWHERE = [prefixOf('0.0.0.0/0'), prefixOf('::/0')];

/**
 * Works on a NetworkInstance: its finalizer, and a status that shows its entries. Its end waits for all that is in it.
 *
 * @param context - of the controller
 * @param worked - the NetworkInstance
 * @returns how it ended
 * @throws IpamError of the cluster; then it is tried again
 */
export async function workInstance(context: NetworksContext, worked: WorkedObject): Promise<Ended> {
  const { object } = worked;
  const instance = readInstance(object);
  if (isPaused(object)) return isDying(object) ? letGo(context, worked) : 'done';
  if (isDying(object)) return endInstance(context, worked, instance);
  await adoptShown(context, instance);
  const held = await hold(context, worked);
  if (held === undefined) return 'again';
  const { network } = instance;
  const { tables } = context.parts;
  const entries = context.counts.of(network);
  context.gauges.tellInstance(`${instance.namespace}/${instance.name}`, entries);
  const fields = {
    allocations: viewOf(tables.page(network, { most: MOST_SHOWN_ENTRIES }), instance),
    entries: String(entries),
    network,
  };
  return tellServed(context, held, { conditions: conditionsOf({}), fields });
}

async function endInstance(context: NetworksContext, worked: WorkedObject, instance: Instance): Promise<Ended> {
  if (isEnding(context, instance)) await releaseClients(context, instance);
  const users = await usersOf(context, instance);
  if (users.length === 0) return letGo(context, worked);
  const { object } = worked;
  const conditions = heldConditions(object, users);
  const written = await writeStatus(context.parts, worked, { conditions, fields: shownFields(object) });
  if (written !== 'written') return 'again';
  const { name, network } = instance;
  const wokenBy = { parents: [], places: EVERYWHERE, isByLabels: false, isByInstance: true };
  context.waiting.park(waiterOf(worked, { instanceName: name, network }), { code: 'instance/in-use', wokenBy });
  return 'done';
}

// A namespace that is being deleted takes everything with it.
function isEnding({ parts }: NetworksContext, { namespace }: Instance): boolean {
  const object = parts.namespaces.get('', namespace);
  return object !== undefined && isDying(object);
}

// What clients hold or use is no object, so its end is never seen, and it would hold the namespace.
async function releaseClients({ parts: { tables } }: NetworksContext, { network }: Instance): Promise<void> {
  const all = tables.page(network, { most: Number.MAX_SAFE_INTEGER });
  for (const entry of all) {
    const client = clientOf(entry);
    if (client === undefined) continue;
    valueOf(await tables.decide(network, (table) => decideRelease(table, client, [entry.block])));
  }
}

// What is on record, and what would wait for an instance of this name. The record answers in its turn: what a client was given a moment
// ago, before the end of the instance was known, is among it.
async function usersOf(
  { parts }: NetworksContext,
  { namespace, name, network }: Instance,
): Promise<readonly NamedObject[]> {
  const byName = new Map<string, NamedObject>();
  const add = (user: NamedObject): void => {
    byName.set(`${user.kind}/${user.namespace}/${user.name}`, user);
  };
  for (const object of parts.prefixes.list())
    if (isIn(object, namespace) && mapOf(object['spec'])['networkInstance'] === name) add(namedOf('prefix', object));
  for (const object of parts.allocations.list())
    if (isIn(object, namespace) && instanceNameIn(object) === name) add(namedOf('allocation', object));
  const held = await parts.tables.decide(network, (table) => ({ as: 'answer', value: usersOfInstance(table) }));
  for (const user of valueOf(held)) add(user);
  return [...byName.values()];
}

const isIn = (object: JsonMap, namespace: string): boolean => metadataOf(object)['namespace'] === namespace;

function instanceNameIn(object: JsonMap): string | undefined {
  const read = readAllocation(object);
  return read.ok ? read.value.instanceName : undefined;
}
