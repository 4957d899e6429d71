import { parsePrefix } from '../../addressing/prefix';
import { isMap, listOf, mapOf, textOf, type JsonMap } from '../../contract/loose-json';
import { quoted } from './quoted';
import { failed, type NetBoxFault } from './netbox-answer';
import type { NetBoxClient } from './netbox-client';
import { readAll } from './netbox-pages';
import { NETBOX_PATHS, prefixOfRecord, ZONE_CHOICES, type NetBoxPrefix } from './netbox-records';

/** Containers of one zone, as they were read last. */
export interface ZoneList {
  readonly containers: readonly NetBoxPrefix[];
  /** NetBox does not list the zone any more: it gives nothing new. */
  readonly gone: boolean;
}

/** The list that was read, or why it could not be. */
export type ListOutcome<V> =
  { readonly ok: true; readonly value: V } | { readonly ok: false; readonly fault: NetBoxFault };

/**
 * Reads the names of the zones: the values of the choice set, whose name is compared exactly, since NetBox's own search is by
 * substring.
 *
 * @param client - of NetBox
 * @returns the names; a fault too where the set is missing or empty, since that is never meant
 */
export async function readZoneNames(client: NetBoxClient): Promise<ListOutcome<readonly string[]>> {
  const sets = await readAll(client, NETBOX_PATHS.choiceSets, { name: ZONE_CHOICES });
  if (!sets.ok) return sets;
  const set = sets.records.find(({ name }) => name === ZONE_CHOICES);
  if (set === undefined) return failed('refused', `has no choice set named "${ZONE_CHOICES}"`);
  const names = listOf(set['extra_choices']).map((choice) =>
    textOf(Array.isArray(choice) ? (choice as unknown[])[0] : choice),
  );
  const named = [...new Set(names.filter((name) => name !== ''))];
  return named.length === 0
    ? failed('refused', `lists no zone in the choice set "${ZONE_CHOICES}"`)
    : { ok: true, value: named };
}

/**
 * Reads the containers of a zone, both families.
 *
 * @param client - of NetBox
 * @param zone - one of the names
 * @returns containers that say themselves that they are of this zone, in the order of their ids
 */
export async function readContainers(
  client: NetBoxClient,
  zone: string,
): Promise<ListOutcome<readonly NetBoxPrefix[]>> {
  const found = await readAll(client, NETBOX_PATHS.prefixes, { cf_k8s_zone: zone, status: 'container' });
  if (!found.ok) return found;
  const prefixes = found.records.map(prefixOfRecord).filter((each) => each !== undefined);
  return { ok: true, value: prefixes.filter((each) => each.status === 'container' && each.zone === zone) };
}

/**
 * Writes lists down, for a start while NetBox is away.
 *
 * @param lists - by zone
 * @returns JSON text, the same for the same lists
 */
export function listsText(lists: ReadonlyMap<string, ZoneList>): string {
  const zones = [...lists].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({
    version: 1,
    zones: zones.map(([name, { containers, gone }]) => ({
      name,
      gone,
      containers: containers.map((each) => ({ ...each, prefix: each.prefix.toString() })),
    })),
  });
}

/**
 * Reads lists that were written down.
 *
 * @param text - of {@link listsText}, or empty
 * @returns the lists by zone; none where the text cannot be read
 */
export function listsOf(text: string): ReadonlyMap<string, ZoneList> {
  const zones = listOf(documentOf(text)['zones']).filter(isMap);
  return new Map(
    zones.map((zone) => [textOf(zone['name']), { gone: zone['gone'] === true, containers: containersOf(zone) }]),
  );
}

function documentOf(text: string): JsonMap {
  try {
    return mapOf(JSON.parse(text));
  } catch {
    // nothing was written down yet, or nothing that can be read: NetBox is read anew
    return {};
  }
}

function containersOf(zone: JsonMap): readonly NetBoxPrefix[] {
  return listOf(zone['containers']).flatMap((each) => {
    const parsed = parsePrefix(textOf(mapOf(each)['prefix']));
    return parsed.ok ? [{ ...(each as NetBoxPrefix), prefix: parsed.value }] : [];
  });
}

/**
 * Names a zone in a message.
 *
 * @param zone - as NetBox spells it
 * @returns its name in quotes, cut where it is long
 */
export function zoneText(zone: string): string {
  return `zone ${quoted(zone, 63)}`;
}
