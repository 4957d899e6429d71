import type { Prefix } from '../../addressing/prefix';
import { valueOf } from '../../errors/ipam-error';
import { decideRelease } from '../../rules/networks';
import type { NetworksContext } from './context';
import { ownerOf } from './objects';
import { networksOf } from './record';
import type { WorkedObject } from './status';
import { waiterOf } from './work';

/** Address or prefix of an object, with its instance. */
interface Given {
  readonly instanceName: string;
  readonly network: string;
  /** Its entry in the same network from an earlier request. */
  readonly superseded: readonly Prefix[];
}

/**
 * Ends what an object had for an earlier request, once its status shows the new place: in the same network, and in that of another
 * instance, which the selector named before. What others use waits until they are gone.
 *
 * @param context - of the controller
 * @param worked - the object
 * @param given - what it has now
 * @throws IpamError of the record
 */
export async function endEarlier(context: NetworksContext, worked: WorkedObject, given: Given): Promise<void> {
  const { parts, waiting } = context;
  const owner = ownerOf(parts, worked.key);
  for (const network of networksOf(parts, owner)) {
    const only = network === given.network ? given.superseded : undefined;
    if (only?.length === 0) continue;
    const decided = await parts.tables.decide(network, (table) => decideRelease(table, owner, only));
    const places = valueOf(decided).left.map(({ block }) => block);
    if (places.length === 0) continue;
    const wokenBy = { parents: [], places, isByLabels: false, isByInstance: false };
    waiting.park(waiterOf(worked, { ...given, network }), { code: 'prefix/in-use', wokenBy });
  }
}
