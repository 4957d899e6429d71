import { conditionsOf, decideAllocation, readAllocation } from '../../rules/networks';
import type { AllocationRequest, Granted, Instance } from '../../rules/networks/types';
import type { Outcome } from '../../errors/outcome';
import { adoptShown } from './adoption';
import type { Ended, NetworksContext } from './context';
import { endEarlier } from './earlier';
import { heldFields } from './held-fields';
import { isDying, isPaused, ownerOf } from './objects';
import { linkOwner } from './owning';
import { shownBlock } from './shown-places';
import type { WorkedObject } from './status';
import { endObject, hold, instanceFor, isHolding, letGo, tellRefusal, tellServed } from './work';

/**
 * Works on an IPAllocation: finalizer and record at the same time, then the status, then what an earlier request held. Each step finds what
 * an earlier process left; where all of it is there, nothing is written.
 *
 * @param context - of the controller
 * @param worked - the IPAllocation
 * @returns how it ended
 * @throws IpamError of record or cluster; then it is tried again
 */
export async function workAllocation(context: NetworksContext, worked: WorkedObject): Promise<Ended> {
  const { object } = worked;
  const read = readAllocation(object);
  const instanceName = read.ok ? read.value.instanceName : '';
  // what a paused object has stays for the time in which it may come back, as in another cluster
  if (isPaused(object)) return isDying(object) ? letGo(context, worked) : 'done';
  if (isDying(object)) return endObject(context, worked, { instanceName });
  const beside = await linkOwner(context.parts, worked);
  if (beside === 'changed') return 'again';
  const ended = await workLiving(context, { ...worked, beside }, read);
  const isUnsure = beside.some(({ status }) => status === 'Unknown');
  return ended === 'done' && isUnsure ? 'later' : ended;
}

function workLiving(
  context: NetworksContext,
  worked: WorkedObject,
  read: Outcome<AllocationRequest>,
): Ended | Promise<Ended> {
  const instanceName = read.ok ? read.value.instanceName : '';
  if (!read.ok) return tellRefusal(context, worked, { refusal: read.refusal, instanceName });
  const found = instanceFor(context, worked.key.namespace, instanceName);
  if (found.ok) return serve(context, worked, { instance: found.value, request: read.value });
  // the end of the instance waits for what it has given
  const stays = found.refusal.code === 'instance/terminating' && isHolding(context, worked);
  return stays ? showHeld(context, worked) : tellRefusal(context, worked, { refusal: found.refusal, instanceName });
}

// Nothing is decided in an instance that is being deleted, but a status that lost what is on record has it again.
async function showHeld(context: NetworksContext, worked: WorkedObject): Promise<Ended> {
  if (shownBlock('allocation', worked.object) !== undefined) return 'done';
  const held = await hold(context, worked);
  if (held === undefined) return 'again';
  return tellServed(context, held, { conditions: conditionsOf({}), fields: heldFields(context, worked) });
}

interface Wanted {
  readonly instance: Instance;
  readonly request: AllocationRequest;
}

async function serve(context: NetworksContext, worked: WorkedObject, wanted: Wanted): Promise<Ended> {
  const { parts, contexts, instances } = context;
  const { instance } = wanted;
  if (!(await instances.hold(instance))) return 'again';
  await adoptShown(context, instance, worked);
  const shown = shownBlock('allocation', worked.object);
  const request = { ...wanted.request, owner: ownerOf(parts, worked.key), ...(shown === undefined ? {} : { shown }) };
  const at = { instance, context: contexts.contextOf(instance) };
  const [held, decided] = await Promise.all([
    hold(context, worked),
    parts.tables.decide(instance.network, (table) => decideAllocation(table, at, request)),
  ]);
  // what was given to an object that went meanwhile is released once the next look finds that out
  if (held === undefined) return 'again';
  const { network, name: instanceName } = instance;
  if (!decided.ok) return tellRefusal(context, held, { refusal: decided.refusal, instanceName, network });
  const { value: granted } = decided;
  const told = { conditions: conditionsOf({}), fields: fieldsOf(granted) };
  const ended = await tellServed(context, held, told);
  if (ended === 'done') await endEarlier(context, held, { instanceName, network, superseded: granted.superseded });
  return ended;
}

const fieldsOf = ({ text, gateway, parent }: Granted) => ({
  prefix: text,
  ...(gateway === undefined ? {} : { gateway: gateway.toString() }),
  ...(parent === undefined ? {} : { parentPrefix: parent.toString() }),
});
