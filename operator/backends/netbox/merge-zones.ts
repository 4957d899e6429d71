import { PrefixSet, PrefixSetBuilder } from '../../addressing/prefix-set';
import type { Prefix } from '../../addressing/prefix';
import { parseZones, type EdgeAddresses, type Zone, type ZoneCatalogue, type ZoneProps } from '../../contract/zones';
import type { NetBoxPrefix } from './netbox-records';
import type { ZoneList } from './zone-lists';

/** One catalogue out of the zones document and NetBox. */
export interface MergedZones {
  readonly catalogue: ZoneCatalogue;
  /** Containers that are in force, by zone. */
  readonly containers: ReadonlyMap<string, readonly NetBoxPrefix[]>;
  /** Problems of the newest list of a zone, by zone; the list before it is in force then, if there was one. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Puts the containers of NetBox under the settings of the zones document, with the rules of that document: no two zones of one
 * network share an address, names are DNS labels. A list that breaks them does not come into force.
 *
 * @param file - the zones document
 * @param lists - what NetBox has, by zone
 * @param before - containers that were in force until now
 * @returns the zones of both: first those of the document in its order, then the others of NetBox by name
 */
export function mergeZones(
  file: ZoneCatalogue,
  lists: ReadonlyMap<string, ZoneList>,
  before: ReadonlyMap<string, readonly NetBoxPrefix[]>,
): MergedZones {
  const { edgeAddresses } = file;
  const zones = new Map(file.zones.filter(({ name }) => !lists.has(name)).map((zone) => [zone.name, zone]));
  const used = new Map<string, PrefixSet>();
  for (const zone of zones.values()) use(used, zone);
  const containers = new Map<string, readonly NetBoxPrefix[]>();
  const problems = new Map<string, string>();
  for (const [name, list] of [...lists].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const built = [list.containers, before.get(name) ?? []]
      .filter((each) => each.length > 0)
      .map((each) => ({
        each,
        zone: build({ name, containers: each, gone: list.gone, settings: file.zone(name), edgeAddresses }, used),
      }));
    const [newest] = built;
    if (typeof newest?.zone === 'string') problems.set(name, newest.zone);
    for (const { each, zone } of built) {
      if (typeof zone === 'string') continue;
      zones.set(name, zone);
      containers.set(name, each);
      use(used, zone);
      break;
    }
  }
  const inFile = file.names.filter((name) => zones.has(name));
  const names = [...inFile, ...[...zones.keys()].filter((name) => !inFile.includes(name)).sort()];
  const { defaultZone } = file;
  const catalogue: ZoneCatalogue = {
    edgeAddresses,
    zones: names.map((name) => zones.get(name)).filter((zone) => zone !== undefined),
    names,
    ...(defaultZone === undefined ? {} : { defaultZone }),
    zone: (name) => zones.get(name),
  };
  return { catalogue, containers, problems };
}

interface Candidate {
  readonly name: string;
  readonly containers: readonly NetBoxPrefix[];
  readonly gone: boolean;
  readonly settings: Zone | undefined;
  /** Default of the zones document for zones that say nothing. */
  readonly edgeAddresses: EdgeAddresses;
}

function build(candidate: Candidate, used: ReadonlyMap<string, PrefixSet>): Zone | string {
  const { name, settings, gone } = candidate;
  const prefixes = widest(candidate.containers.map(({ prefix }) => prefix));
  const excluded = (settings?.excluded ?? []).filter((range) => prefixes.some((prefix) => range.overlaps(prefix)));
  const props: ZoneProps = {
    name,
    prefixes: prefixes.map(String),
    excluded: excluded.map(String),
    edgeAddresses: candidate.edgeAddresses,
    ...(settings === undefined ? {} : settingsOf(settings)),
    ...(gone ? { draining: true } : {}),
  };
  const parsed = parseZones({ version: 1, zones: [props] });
  if (!parsed.ok) return parsed.problems.map(({ message }) => message).join('; ');
  const [zone] = parsed.value.zones;
  if (zone === undefined) return 'no zone was read';
  const shared = spaceOf(zone.prefixes).intersect(used.get(zone.network) ?? PrefixSet.EMPTY);
  if (!shared.isEmpty) {
    return `${shared.prefixes().slice(0, 3).join(', ')} is in another zone of the network "${zone.network}" too; zones of one network share no address`;
  }
  return { ...zone, fromNetBox: true, ...withPools(zone, candidate) };
}

// The document that NetBox is put under says what becomes of edges; a prefix that NetBox has as a pool keeps its own.
function withPools(zone: Zone, { containers }: Candidate): Partial<Zone> {
  if (zone.edgeAddresses === 'use') return {};
  const pools = spaceOf(containers.filter(({ isPool }) => isPool).map(({ prefix }) => prefix));
  return { choosable: zone.choosable.union(zone.space.intersect(pools)) };
}

function settingsOf({
  network,
  quarantineSeconds,
  draining,
  namespaces,
  quota,
  edgeAddresses,
}: Zone): Omit<ZoneProps, 'name' | 'prefixes'> {
  return {
    network,
    quarantineSeconds,
    draining,
    edgeAddresses,
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(quota === undefined ? {} : { quota }),
  };
}

// A container inside of another one of the same zone adds nothing.
function widest(prefixes: readonly Prefix[]): readonly Prefix[] {
  return prefixes.filter(
    (prefix, i) =>
      !prefixes.some((other, j) => other.containsPrefix(prefix) && (other.length < prefix.length || j < i)),
  );
}

function use(used: Map<string, PrefixSet>, { network, prefixes }: Zone): void {
  used.set(network, (used.get(network) ?? PrefixSet.EMPTY).union(spaceOf(prefixes)));
}

function spaceOf(prefixes: readonly Prefix[]): PrefixSet {
  const space = new PrefixSetBuilder();
  for (const prefix of prefixes) space.add(prefix);
  return space.build();
}
