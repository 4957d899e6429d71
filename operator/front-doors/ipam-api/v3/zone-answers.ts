import type { ZoneAnswer } from '../../../contract/ipam-api/v3/answers';
import { DEFAULT_QUARANTINE_SECONDS, type Zone, type ZoneCatalogue } from '../../../contract/zones';
import type { ZoneUsage } from '../../../ports/registry';
import { present } from './wire';
import { wordOf } from '../../../contract/ipam-api/v3/family-word';

/**
 * Writes every zone with its numbers.
 *
 * @param catalogue - zones of the document
 * @param usage - numbers, also of zones that are gone
 * @param exact - true: with how many addresses are only contested, and without what the record does not count; else 0 stands for
 *   that, since older clients know no zone without these numbers
 * @returns the zones by network and name
 */
export function zoneAnswers(catalogue: ZoneCatalogue, usage: readonly ZoneUsage[], exact = false): ZoneAnswer[] {
  const numbers = new Map<string, ZoneUsage[]>();
  for (const each of usage) {
    const key = `${each.network}/${each.zone}`;
    const list = numbers.get(key);
    if (list === undefined) numbers.set(key, [each]);
    else list.push(each);
  }
  const write = (each: ZoneUsage): WireUsage => usageAnswer(each, exact);
  const answers = catalogue.zones.map((zone) =>
    presentZone(zone, (numbers.get(`${zone.network}/${zone.name}`) ?? []).map(write)),
  );
  const known = new Set(catalogue.zones.map(({ network, name }) => `${network}/${name}`));
  const gone = [...numbers].filter(([key]) => !known.has(key)).flatMap(([, list]) => goneZone(list, list.map(write)));
  return [...answers, ...gone].sort((a, b) => compare(a.network, b.network) || compare(a.name, b.name));
}

type WireUsage = ZoneAnswer['usage'][number];

function presentZone(zone: Zone, usage: WireUsage[]): ZoneAnswer {
  const { name, network, prefixes, excluded, namespaces, quarantineSeconds, quota, draining } = zone;
  return {
    name,
    network,
    present: true,
    prefixes: prefixes.map(String),
    excluded: excluded.map(String),
    ...(namespaces === undefined ? {} : { namespaces: { ...namespaces } }),
    quarantineSeconds,
    ...(quota === undefined ? {} : { quota }),
    draining,
    usage,
  };
}

function goneZone([first]: readonly ZoneUsage[], usage: WireUsage[]): readonly ZoneAnswer[] {
  if (first === undefined) return [];
  const { zone: name, network } = first;
  const fixed = {
    present: false,
    prefixes: [],
    excluded: [],
    quarantineSeconds: DEFAULT_QUARANTINE_SECONDS,
    draining: true,
  };
  return [{ name, network, ...fixed, usage }];
}

function usageAnswer({ family, capacity, free, ...counts }: ZoneUsage, exact: boolean): WireUsage {
  const { retained, quarantined, contested } = counts;
  const uncounted = exact ? undefined : '0';
  return {
    family: wordOf(family),
    capacity: String(capacity),
    reserved: String(counts.reserved),
    bound: String(counts.bound),
    ...present({
      retained: retained?.toString() ?? uncounted,
      quarantined: quarantined?.toString() ?? uncounted,
      contested: exact ? contested?.toString() : undefined,
    }),
    outside: String(counts.outside),
    foreign: String(counts.foreign),
    free: String(free),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
