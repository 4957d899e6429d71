import type { Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { hostPrefix } from '../../addressing/prefix';
import { PrefixSet, PrefixSetBuilder, type Block } from '../../addressing/prefix-set';
import type { Range } from '../../addressing/range';
import type { JsonMap } from '../../contract/loose-json';
import type { NetBoxFault } from './netbox-answer';
import type { NetBoxClient } from './netbox-client';
import { readAll } from './netbox-pages';
import {
  addressOfRecord,
  inVrf,
  isHost,
  NETBOX_PATHS,
  prefixOfRecord,
  rangeOfRecord,
  type NetBoxPrefix,
} from './netbox-records';

interface Known {
  /** As of the newest reading, and what was met since. */
  taken: PrefixSet;
  readonly ranges: readonly Range[];
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
    const { taken: before = PrefixSet.EMPTY, ranges = [] } = this.#zones.get(zone) ?? {};
    this.#zones.set(zone, { taken: new PrefixSetBuilder().add(before).add(block).build(), ranges });
  }

  /**
   * Replaces what is known of a zone.
   *
   * @param zone - its name
   * @param others - as it was read
   */
  set(zone: string, others: OthersOfZone): void {
    const known = this.#zones.get(zone);
    // the same set stays, since stores compare what is free by its identity
    this.#zones.set(
      zone,
      known?.taken.equals(others.taken) === true ? { ...known, ranges: others.ranges } : { ...others },
    );
  }

  /**
   * Finds the IP range that an address is in.
   *
   * @param zone - its zone
   * @param address - its value
   * @returns the range as of the newest reading; O(ranges of the zone)
   */
  rangeAt(zone: string, address: Address): Range | undefined {
    return this.#zones.get(zone)?.ranges.find((range) => range.contains(address));
  }
}

/** Prefixes of others in the containers of a zone. */
export interface OthersOfZone {
  readonly taken: PrefixSet;
  /** IP ranges among it, as NetBox has them. */
  readonly ranges: readonly Range[];
}

/** Result of a reading, or why there is none. */
type Reading<V> = { readonly ok: true; readonly value: V } | { readonly ok: false; readonly fault: NetBoxFault };

/** Reads the IP ranges of one table; asked once a reading for each. */
export type RangeReader = (vrf: number | undefined) => Promise<Reading<readonly Range[]>>;

/**
 * Makes a reader of IP ranges for one reading of all zones. NetBox compares the masks of ranges where it is asked for those at an address,
 * so all of a table are read.
 *
 * @param client - of NetBox
 * @param lacksRight - told where the token may not see IP ranges; they count as none then
 * @returns a function that reads each table once
 */
export function rangeReader(client: NetBoxClient, lacksRight: (fault: NetBoxFault) => void): RangeReader {
  const known = new Map<number | undefined, Promise<Reading<readonly Range[]>>>();
  const read = async (vrf: number | undefined): Promise<Reading<readonly Range[]>> => {
    const found = await readAll(client, NETBOX_PATHS.ipRanges, inVrf(vrf));
    if (found.ok) return { ok: true, value: found.records.map(rangeOfRecord).filter((each) => each !== undefined) };
    if (found.fault.lacksRight !== true) return found;
    lacksRight(found.fault);
    return { ok: true, value: [] };
  };
  return (vrf) => {
    const reading = known.get(vrf) ?? read(vrf);
    known.set(vrf, reading);
    return reading;
  };
}

/**
 * Reads what lies in the containers of a zone and is not ours: child prefixes, IP ranges, and addresses that exist as IP address
 * objects only.
 *
 * @param client - of NetBox
 * @param containers - all of the zone
 * @param tools - `isOurs` tells our own prefixes by `k8s_uuid`, `ranges` reads IP ranges
 * @returns what others have, or why it could not be read
 */
export async function readOccupied(
  client: NetBoxClient,
  containers: readonly NetBoxPrefix[],
  tools: { readonly isOurs: (mark: string) => boolean; readonly ranges: RangeReader },
): Promise<Reading<OthersOfZone>> {
  const ids = new Set(containers.map(({ id }) => id));
  const taken = new PrefixSetBuilder();
  const inside: Range[] = [];
  for (const container of containers) {
    const { prefix, vrf } = container;
    const [children, addresses, ranges] = await Promise.all([
      readAll(client, NETBOX_PATHS.prefixes, { within: prefix.toString(), ...inVrf(vrf) }),
      readAll(client, NETBOX_PATHS.ipAddresses, { parent: prefix.toString(), ...inVrf(vrf) }),
      tools.ranges(vrf),
    ]);
    if (!children.ok) return children;
    if (!addresses.ok) return addresses;
    if (!ranges.ok) return ranges;
    for (const other of childrenOf(container, children.records, { ids, isOurs: tools.isOurs })) taken.add(other);
    const objects = addresses.records.map(addressOfRecord).filter((address) => address !== undefined);
    for (const address of objects.filter((each) => prefix.contains(each))) taken.add(hostPrefix(address));
    inside.push(...ranges.value.filter((range) => range.overlaps(prefix)));
  }
  for (const range of inside) taken.add(range);
  return { ok: true, value: { taken: taken.build(), ranges: inside } };
}

function childrenOf(
  { prefix }: NetBoxPrefix,
  records: readonly JsonMap[],
  { ids, isOurs }: { readonly ids: ReadonlySet<number>; readonly isOurs: (mark: string) => boolean },
): readonly Prefix[] {
  return records
    .map(prefixOfRecord)
    .filter((child) => child !== undefined)
    .filter((child) => !ids.has(child.id) && insideOf(prefix, child.prefix))
    .filter((child) => !(isHost(child.prefix) && isOurs(child.mark)))
    .map((child) => child.prefix);
}

function insideOf(outer: Prefix, inner: Prefix): boolean {
  return outer.containsPrefix(inner) && inner.length > outer.length;
}
