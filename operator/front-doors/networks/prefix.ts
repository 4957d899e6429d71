import { mapOf, textOf, type JsonMap } from '../../contract/loose-json';
import { conditionsOf, countPrefix, decidePrefix, readPrefix, usersOfPrefix } from '../../rules/networks';
import type { Accepted, Instance, PrefixRequest } from '../../rules/networks/types';
import { adoptShown } from './adoption';
import type { Ended, NetworksContext } from './context';
import { isDying, isPaused, ownerOf } from './objects';
import type { WorkedObject } from './status';
import { endObject, hold, instanceFor, letGo, tellRefusal, tellServed, type UsedRange } from './work';

/**
 * Works on an IPPrefix: the finalizer first, so that nothing is given in one that could go at once, then record and status.
 *
 * @param context - of the controller
 * @param worked - the IPPrefix
 * @returns how it ended
 * @throws IpamError of record or cluster; then it is tried again
 */
export async function workPrefix(context: NetworksContext, worked: WorkedObject): Promise<Ended> {
  const { key, object } = worked;
  const instanceName = textOf(mapOf(object['spec'])['networkInstance']);
  if (isPaused(object)) return isDying(object) ? letGo(context, worked) : 'done';
  const read = readPrefix(object);
  if (isDying(object)) {
    const range = read.ok ? usedRange(context, worked, read.value) : {};
    return endObject(context, worked, { instanceName, ...range });
  }
  if (!read.ok) return tellRefusal(context, worked, { refusal: read.refusal, instanceName });
  const found = instanceFor(context, key.namespace, instanceName);
  if (!found.ok) return tellRefusal(context, worked, { refusal: found.refusal, instanceName });
  return serve(context, worked, { instance: found.value, read: read.value });
}

function usedRange(
  { parts, instances }: NetworksContext,
  { key, object }: WorkedObject,
  request: PrefixRequest,
): { readonly range?: UsedRange } {
  const instance = instances.get(key.namespace, textOf(mapOf(object['spec'])['networkInstance']));
  if (request.range === undefined || !instance.ok) return {};
  const { network } = instance.value;
  const users = parts.tables.look(network, (table) => usersOfPrefix(table, ownerOf(parts, key), request));
  return { range: { network, block: request.block, users } };
}

async function serve(
  context: NetworksContext,
  worked: WorkedObject,
  { instance, read }: { readonly instance: Instance; readonly read: PrefixRequest },
): Promise<Ended> {
  const { parts, contexts, instances } = context;
  if (!(await instances.hold(instance))) return 'again';
  await adoptShown(context, instance, worked);
  const held = await hold(context, worked);
  if (held === undefined) return 'again';
  const request = { ...read, owner: ownerOf(parts, worked.key) };
  const at = { instance, context: contexts.contextOf(instance) };
  const { network, name: instanceName } = instance;
  const decided = await parts.tables.decide(network, (table) => decidePrefix(table, at, request));
  if (!decided.ok) return tellRefusal(context, held, { refusal: decided.refusal, instanceName, network });
  const { value } = decided;
  const told = {
    conditions: conditionsOf({ others: value.others }),
    fields: { ...fieldsOf(value), ...countsOf(context, instance, request) },
  };
  return tellServed(context, held, told);
}

const fieldsOf = ({ text, networkName, parent }: Accepted): JsonMap => ({
  prefix: text,
  ...(networkName === '' ? {} : { network: networkName }),
  ...(parent === undefined ? {} : { parentPrefix: parent.toString() }),
});

function countsOf(context: NetworksContext, instance: Instance, { owner, block, range }: PrefixRequest): JsonMap {
  const first = context.prefixes.counting(`${instance.namespace}/${instance.name}`, block);
  if (range !== undefined || first === undefined || first.uid !== owner.uid) return {};
  return context.parts.tables.look(instance.network, (table) => {
    const entry = table.at(block);
    if (entry === undefined) return {};
    const around = context.contexts.contextOf(instance);
    const found = countPrefix(table, entry, around);
    const counts = {
      total: found.total.toString(),
      used: found.used.toString(),
      free: found.free.toString(),
      excluded: found.excluded.toString(),
    };
    const place = {
      instance: `${instance.namespace}/${instance.name}`,
      prefix: block.toString(),
      family: block.family,
    };
    context.gauges.tellPrefix(first.uid, { ...place, counts });
    return counts;
  });
}
