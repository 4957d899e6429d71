import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { statusIn } from '../../contract/stored-status';
import { adoptionOrder, decideAdoption, readAllocation, readInstance, type AdoptionStep } from '../../rules/networks';

import type { Instance } from '../../rules/networks/types';
import type { NetworksContext } from './context';
import type { ObjectWork } from './door-parts';
import { hasFinalizer, isDying, keyOf, ownerOf, workOfKind } from './objects';
import { instanceKeyOf } from './prefix-index';
import { networksOf } from './record';
import { shownBlock, type ShowingObject } from './shown-places';
import type { WorkedObject } from './status';

/** Steps that are handed to the record at once; it decides them in their order. */
const AT_ONCE = 32;

/** Objects of one NetworkInstance. */
interface InstanceObjects {
  readonly prefixes: JsonMap[];
  readonly allocations: JsonMap[];
}

/**
 * Puts on record what objects show as theirs though no claim says so, as after an older operator, or a restore without the claims. What
 * the older operator showed of its table counts too, where it is the only evidence.
 *
 * @param context - of the controller
 * @returns how many places came on record
 * @throws IpamError of the record
 */
export async function adoptAll(context: NetworksContext): Promise<number> {
  const { parts } = context;
  context.shown.allSettled();
  const objects = objectsByInstance(context);
  let restored = 0;
  for (const object of parts.instances.list()) {
    const instance = readInstance(object);
    const own = objects.get(`${instance.namespace}/${instance.name}`) ?? { prefixes: [], allocations: [] };
    restored += await adoptIn(context, {
      instance,
      object,
      own,
      isTakeOver: statusIn(object)['network'] === undefined,
    });
  }
  if (restored > 0) parts.logger.warn('what objects of networks show was put on record', { restored });
  return restored;
}

/**
 * Puts on record what an object shows, and everything else of its instance that is due, before anything is given in it.
 *
 * @param context - of the controller
 * @param instance - as it was read
 * @param worked - an object that is about to be decided; none for the instance itself
 * @throws IpamError of the record
 */
export async function adoptShown(
  context: NetworksContext,
  instance: Instance,
  worked?: Pick<WorkedObject, 'key' | 'object'>,
): Promise<void> {
  const { parts, shown } = context;
  const text = `${instance.namespace}/${instance.name}`;
  if (worked !== undefined) markShown(context, text, worked);
  await shown.settle(text, async ({ objects, isWhole }) => {
    const object = parts.instances.get(instance.namespace, instance.name) ?? {};
    const own = isWhole ? (objectsByInstance(context).get(text) ?? NONE) : ofKinds(objects);
    const restored = await adoptIn(context, { instance, object, own, isTakeOver: isWhole && isShownByOlder(object) });
    if (restored > 0) parts.logger.warn('what objects of networks show was put on record', { restored });
  });
}

/**
 * Tells whether an instance shows a table of an older operator.
 *
 * @param object - as the API server has it
 * @returns true until this operator writes its status
 */
export function isShownByOlder(object: JsonMap): boolean {
  const { network, allocations } = statusIn(object);
  return network === undefined && allocations !== undefined;
}

function markShown(
  { parts, shown }: NetworksContext,
  instance: string,
  { key, object }: Pick<WorkedObject, 'key' | 'object'>,
): void {
  const { of } = key;
  if (of === 'instance' || shownBlock(of, object) === undefined) return;
  if (networksOf(parts, ownerOf(parts, key)).length === 0) shown.mark(instance, { key: { ...key, of }, object });
}

const NONE: InstanceObjects = { prefixes: [], allocations: [] };

function ofKinds(all: readonly ShowingObject[]): InstanceObjects {
  const of = (kind: ObjectWork): JsonMap[] => all.filter(({ key }) => key.of === kind).map(({ object }) => object);
  return { prefixes: of('prefix'), allocations: of('allocation') };
}

function objectsByInstance({ parts }: NetworksContext): ReadonlyMap<string, InstanceObjects> {
  const all = new Map<string, InstanceObjects>();
  const of = (instance: string): InstanceObjects => {
    const found = all.get(instance) ?? { prefixes: [], allocations: [] };
    all.set(instance, found);
    return found;
  };
  for (const object of parts.prefixes.list()) of(instanceKeyOf(object)).prefixes.push(object);
  for (const object of parts.allocations.list()) of(instanceOfAllocation(object)).allocations.push(object);
  return all;
}

interface Adopted {
  readonly instance: Instance;
  readonly object: JsonMap;
  readonly own: InstanceObjects;
  /** Whether everything that an older operator showed counts; needs all objects of the instance. */
  readonly isTakeOver: boolean;
}

// A table that this operator showed may be older than the record, so nothing is put on record for a name that no object has.
async function adoptIn(context: NetworksContext, { instance, object, own, isTakeOver }: Adopted): Promise<number> {
  const { allocations: dump } = statusIn(object);
  const due = {
    prefixes: own.prefixes.filter((each) => isDue(context, 'prefix', each)),
    allocations: own.allocations.filter((each) => isDue(context, 'allocation', each)),
  };
  if (!isTakeOver && due.prefixes.length + due.allocations.length === 0) return 0;
  const objects = isTakeOver ? own : due;
  const all = adoptionOrder({ instance, ...objects, dump: mapOf(dump) });
  const steps = all.filter(({ door }) => isTakeOver || door !== 'grpc');
  return takeSteps(context, instance, steps);
}

async function takeSteps(
  { parts, contexts }: NetworksContext,
  instance: Instance,
  steps: readonly AdoptionStep[],
): Promise<number> {
  const at = { instance, context: contexts.contextOf(instance) };
  let restored = 0;
  for (let from = 0; from < steps.length; from += AT_ONCE) {
    const outcomes = await Promise.all(
      steps.slice(from, from + AT_ONCE).map((step) => {
        const named = withUid(parts, step);
        return parts.tables.decide(instance.network, (table) => decideAdoption(table, at, named));
      }),
    );
    // what is refused is decided anew with everything else
    restored += outcomes.filter((outcome) => outcome.ok && outcome.value === 'restored').length;
  }
  parts.meter.count('network_repairs_total', { kind: 'restored' }, restored);
  return restored;
}

function withUid(parts: NetworksContext['parts'], step: AdoptionStep): AdoptionStep {
  const of = workOfKind(step.owner.kind);
  if (of === undefined) return step;
  const { namespace, name, uid = '' } = step.owner;
  return { ...step, owner: ownerOf(parts, { of, namespace, name, uid }) };
}

function instanceOfAllocation(object: JsonMap): string {
  const read = readAllocation(object);
  return `${textOf(metadataOf(object)['namespace'])}/${read.ok ? read.value.instanceName : ''}`;
}

// Most objects are on record, and nothing is to be done for them. One whose end waits for its users needs its place until then.
function isDue({ parts }: NetworksContext, of: ObjectWork, object: JsonMap): boolean {
  const isThere = !isDying(object) || hasFinalizer(object);
  return isThere && networksOf(parts, ownerOf(parts, keyOf(of, object))).length === 0;
}
