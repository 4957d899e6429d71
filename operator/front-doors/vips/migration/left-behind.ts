import type { Address } from '../../../addressing/address';
import { ipName, readIp } from '../../../contract/kinds/ip';
import { VIRTUAL_IP } from '../../../contract/kinds/virtual-ip';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { SERVICE } from '../../../contract/service-identity';
import type { AddressRecord } from '../../../ports/claims';
import type { ObjectName } from '../../../ports/object-feed';
import { virtualIpOf } from './ip-object';
import type { MigrationParts } from './migration-parts';

/** Addresses on record for VirtualIPs that are not stored, and since when. */
export class LeftBehind {
  readonly #missingSince = new Map<string, number>();

  /**
   * Looks at every address that a VirtualIP has, or a Service for the sake of one. Where the VirtualIP is missing for a time, the address is
   * given back: a backup may be restored in any order, and the record stays where finalizers are taken off by hand.
   *
   * @param parts - index and writers
   * @param records - everything that is on record
   * @throws IpamError where the cluster does not answer
   */
  async look(parts: MigrationParts, records: readonly AddressRecord[]): Promise<void> {
    const nowMs = parts.clock.nowMs();
    const missing = records.flatMap((record) => missingOf(parts, record));
    const texts = new Set(missing.map(({ address }) => address.toString()));
    for (const text of this.#missingSince.keys()) if (!texts.has(text)) this.#missingSince.delete(text);
    for (const { address, owner } of missing) {
      const text = address.toString();
      const since = this.#missingSince.get(text) ?? nowMs;
      if (!this.#missingSince.has(text))
        parts.logger.warn('an address is on record for a VirtualIP that is not stored', { ...owner, address: text });
      this.#missingSince.set(text, since);
      if (nowMs - since >= parts.settings.orphanGraceMs) await release(parts, address, owner);
    }
  }
}

interface Missing {
  readonly address: Address;
  readonly owner: ObjectName;
}

function missingOf({ virtualIps }: MigrationParts, { address, state, holders }: AddressRecord): readonly Missing[] {
  const [first, ...others] = holders;
  if (state !== 'held' || first === undefined || others.length > 0) return [];
  const { kind, namespace, name } = first.owner;
  const owner = kind === VIRTUAL_IP.kind ? { namespace, name } : virtualIpOf(first.purpose);
  return owner === undefined || virtualIps.get(owner) !== undefined ? [] : [{ address, owner }];
}

// What the watch knows may be old, so both are read once more.
async function release(parts: MigrationParts, address: Address, owner: ObjectName): Promise<void> {
  const [virtualIp, ip] = await Promise.all([
    parts.virtualIpWriter.read(owner),
    parts.ipWriter.read({ namespace: '', name: ipName(address) }),
  ]);
  if (virtualIp.object !== undefined || ip.object === undefined || !isOf(ip.object, owner)) return;
  const { name, uid, resourceVersion } = metadataOf(ip.object);
  const key = { namespace: '', name: textOf(name), uid: textOf(uid) };
  await parts.ipWriter.delete(key, { resourceVersion: textOf(resourceVersion) });
}

function isOf(ip: JsonMap, { namespace, name }: ObjectName): boolean {
  const [first, ...others] = readIp(ip)?.holders ?? [];
  if (first === undefined || others.length > 0) return false;
  if (first.kind === VIRTUAL_IP.kind) return first.namespace === namespace && first.name === name;
  const of = first.kind === SERVICE.kind ? virtualIpOf(first.purpose) : undefined;
  return of?.namespace === namespace && of.name === name;
}
