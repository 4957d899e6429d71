import { catalogueRow } from '../../../errors/catalogue';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { AddressBook } from '../../../ports/address-book';
import type { Cluster } from '../../../ports/cluster';
import type { Logger } from '../../../ports/logger';
import type { ServiceWriter } from '../../../ports/service-writer';
import type { ZoneSource } from '../../../ports/zone-source';
import { parkedValues } from './parked-values';
import { readStored, type StoredObject } from './stored-object';

/** Parts that an eviction works with. */
export interface EvictionParts {
  readonly cluster: Pick<Cluster, 'clusterUid' | 'service'>;
  readonly book: Pick<AddressBook, 'owners'>;
  readonly zones: ZoneSource;
  readonly writer: Pick<ServiceWriter, 'annotate' | 'event'>;
  readonly logger: Logger;
}

/** Addresses that an administrator takes away. */
export interface EvictionRequest {
  readonly namespace: string;
  readonly name: string;
  /** True: only tells. */
  readonly dryRun: boolean;
}

/** Reason of the Event of an evicted Service. */
const EVICTED = 'AddressEvicted';

/**
 * Takes a contested address away from the Service that shows it: the Service is put where MetalLB gives nothing, and waits there
 * until the record grants it an address.
 *
 * @param parts - cluster, record, writer
 * @param request - whose address, and whether only to tell
 * @returns the addresses; or refusal `claim/not-found` where it contests none, `store/conflict` where it changes at this moment
 * @throws IpamError of store or cluster
 */
export async function evictService(
  parts: EvictionParts,
  { namespace, name, dryRun }: EvictionRequest,
): Promise<Outcome<{ readonly addresses: readonly string[] }>> {
  const raw = await parts.cluster.service(namespace, name);
  const object = raw === undefined ? undefined : readStored(raw);
  const addresses = object === undefined ? [] : await contestedBy(parts, object);
  if (object === undefined || addresses.length === 0) {
    const value = `${namespace}/${name}`;
    const what = object === undefined ? 'there is no Service' : 'no address is contested by Service';
    return refuse('claim/not-found', `${what} "${value}"; only a contested address can be taken away`, { value });
  }
  if (dryRun) return accept({ addresses });
  const { defaultZone } = parts.zones.current();
  const key = { namespace, name, uid: object.view.uid };
  const { resourceVersion } = object;
  const written = await parts.writer.annotate(key, parkedValues(object.view, defaultZone), { resourceVersion });
  if (!written.ok) return written;
  const address = addresses.join(',');
  parts.logger.warn('contested address taken away by an administrator', { namespace, name, address });
  const message = `an administrator took ${address} away, which the record of addresses does not grant to this Service`;
  await parts.writer.event(key, { type: 'Warning', reason: EVICTED, message });
  return accept({ addresses });
}

// A record elsewhere has no place for what is contested, so there the condition tells.
async function contestedBy(
  { cluster, book }: EvictionParts,
  { view, announced, condition }: StoredObject,
): Promise<readonly string[]> {
  const owners = (await book.owners(await cluster.clusterUid())).filter(({ serviceUid }) => serviceUid === view.uid);
  const noted = owners.filter(({ state }) => state === 'contested');
  const shown = announced.filter((address) => noted.some((each) => each.address.equals(address)));
  if (shown.length > 0) return shown.map(String);
  if (condition?.reason !== catalogueRow('address/contested').reason) return [];
  return announced.filter((address) => !owners.some((each) => each.address.equals(address))).map(String);
}
