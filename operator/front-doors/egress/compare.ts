import { faultFields } from '../../errors/trace';
import { isOutage } from '../../errors/outage';
import { metadataOf, textOf } from '../../contract/loose-json';
import { compareAge } from '../../rules/by-age';
import { readNamespace } from '../../rules/egress';
import type { EgressNamespace } from '../../rules/egress/types';
import type { EgressContext } from './facts/context';
import type { EgressKey } from './facts/door-parts';
import { heldBy, holdingNames } from './facts/record';
import { restoreListed } from './restore';

/** Time for which a comparison waits for what tells of addresses in use. */
const KNOWN_MS = 10_000;

/**
 * Compares everything that is stored with the record. What namespaces list without a claim, as after a take-over from the older operator or a
 * restore, comes on record before anything is given; of two that list one address the older one has it.
 *
 * @param context - of the controller
 * @returns every namespace that opted in or holds something, the oldest first, and every EgressIPAM
 * @throws IpamError of record or cluster; nothing is decided then
 */
export async function compareAll(context: EgressContext): Promise<readonly EgressKey[]> {
  const { parts, plans, inUse } = context;
  const { egressIpams, namespaces, strongerPools, known, logger, dataplanes } = parts;
  await Promise.all([egressIpams, namespaces].map((feed) => feed.whenSynced()));
  await Promise.all([usesKnown(context), dataplanes.whenKnown(), ...strongerPools.map((pools) => pools.whenKnown?.())]);
  plans.changed();
  inUse.changed();
  const stored = namespaces.list().map(readNamespace).sort(compareAge);
  const concerned = stored.filter((each) => each.egressIpam !== undefined || heldBy(known, each).length > 0);
  const restored = inUse.isComplete() ? await restoreAll(context, concerned) : stillUnknown(context);
  const names = new Set(stored.map(({ name }) => name));
  const missing = holdingNames(known).filter((name) => !names.has(name));
  logger.info('namespaces were compared with the record of egress addresses', {
    namespaces: concerned.length,
    restored,
    missing: missing.length,
  });
  return [
    ...[...concerned.map(({ name }) => name), ...missing].map((name): EgressKey => ({ of: 'namespace', name })),
    ...egressIpams.list().map((object): EgressKey => ({ of: 'egressIpam', name: textOf(metadataOf(object)['name']) })),
  ];
}

// What cannot be read keeps addresses from being given, and nothing else: what namespaces have is looked after all the same.
async function usesKnown({ parts: { shown, clock } }: EgressContext): Promise<void> {
  let cancel = (): void => undefined;
  const isLate = new Promise<void>((resolve) => {
    cancel = clock.after(KNOWN_MS, resolve);
  });
  await Promise.race([shown.whenKnown(), isLate]);
  cancel();
}

function stillUnknown({ parts: { shown, logger } }: EgressContext): number {
  logger.warn('no egress address is given before it is known which addresses are in use', { problem: shown.problem() });
  return 0;
}

async function restoreAll(context: EgressContext, concerned: readonly EgressNamespace[]): Promise<number> {
  let restored = 0;
  for (const namespace of concerned) restored += await restoreOne(context, namespace);
  context.isGiving = true;
  return restored;
}

// A refusal concerns one namespace, which must not keep the others from being served.
async function restoreOne(context: EgressContext, namespace: EgressNamespace): Promise<number> {
  try {
    return await restoreListed(context, namespace);
  } catch (thrown) {
    if (isOutage(thrown)) throw thrown;
    context.parts.logger.warn('addresses that a namespace lists did not come on record', {
      namespace: namespace.name,
      ...faultFields(thrown),
    });
    return 0;
  }
}
