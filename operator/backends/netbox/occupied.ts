import type { Prefix } from '../../addressing/prefix';
import { hostPrefix } from '../../addressing/prefix';
import { PrefixSet, PrefixSetBuilder, type Block } from '../../addressing/prefix-set';
import type { NetBoxFault } from './netbox-answer';
import type { NetBoxClient } from './netbox-client';
import { readAll } from './netbox-pages';
import { addressOfRecord, inVrf, isHost, NETBOX_PATHS, prefixOfRecord, type NetBoxPrefix } from './netbox-records';

interface Known {
  /** As of the newest reading, and what was met since. */
  taken: PrefixSet;
  /** The space that was asked for last, and what is left of it. */
  asked?: { readonly space: PrefixSet; readonly free: PrefixSet };
}

/** Addresses that others have in the containers of NetBox, so that they are not tried. Not the proof: that is NetBox's answer. */
export class Occupied {
  readonly #zones = new Map<string, Known>();

  /**
   * Takes away what others have.
   *
   * @param zone - its name
   * @param space - what the zone may give
   * @returns what is worth trying; the same object while nothing changed, since stores compare it
   */
  freeIn(zone: string, space: PrefixSet): PrefixSet {
    const known = this.#zones.get(zone);
    if (known === undefined || known.taken.isEmpty) return space;
    if (known.asked?.space !== space) known.asked = { space, free: space.subtract(known.taken) };
    return known.asked.free;
  }

  /**
   * Remembers that another owner has something, until the next reading.
   *
   * @param zone - its name
   * @param block - address or prefix
   */
  add(zone: string, block: Block): void {
    const before = this.#zones.get(zone)?.taken ?? PrefixSet.EMPTY;
    this.#zones.set(zone, { taken: new PrefixSetBuilder().add(before).add(block).build() });
  }

  /**
   * Replaces what is known of a zone.
   *
   * @param zone - its name
   * @param taken - as it was read
   */
  set(zone: string, taken: PrefixSet): void {
    if (this.#zones.get(zone)?.taken.equals(taken) !== true) this.#zones.set(zone, { taken });
  }
}

/**
 * Reads what lies in the containers of a zone and is not ours: child prefixes, and addresses that exist as IP address objects only.
 *
 * @param client - of NetBox
 * @param containers - all of the zone
 * @param isOurs - tells our own prefixes by `k8s_uuid`
 * @returns what others have, or why it could not be read
 */
export async function readOccupied(
  client: NetBoxClient,
  containers: readonly NetBoxPrefix[],
  isOurs: (mark: string) => boolean,
): Promise<{ readonly ok: true; readonly value: PrefixSet } | { readonly ok: false; readonly fault: NetBoxFault }> {
  const ids = new Set(containers.map(({ id }) => id));
  const taken = new PrefixSetBuilder();
  for (const { prefix, vrf } of containers) {
    const children = await readAll(client, NETBOX_PATHS.prefixes, { within: prefix.toString(), ...inVrf(vrf) });
    if (!children.ok) return children;
    const others = children.records
      .map(prefixOfRecord)
      .filter((child) => child !== undefined)
      .filter((child) => !ids.has(child.id) && insideOf(prefix, child.prefix))
      .filter((child) => !(isHost(child.prefix) && isOurs(child.mark)));
    for (const other of others) taken.add(other.prefix);
    const addresses = await readAll(client, NETBOX_PATHS.ipAddresses, { parent: prefix.toString(), ...inVrf(vrf) });
    if (!addresses.ok) return addresses;
    const inside = addresses.records.map(addressOfRecord).filter((address) => address !== undefined);
    for (const address of inside.filter((each) => prefix.contains(each))) taken.add(hostPrefix(address));
  }
  return { ok: true, value: taken.build() };
}

function insideOf(outer: Prefix, inner: Prefix): boolean {
  return outer.containsPrefix(inner) && inner.length > outer.length;
}
