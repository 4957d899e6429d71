import { unusableReason } from '../addressing/address';
import { edgesOf, type EdgeAddresses } from '../addressing/edges';
import { parsePrefix, type Prefix } from '../addressing/prefix';
import { PrefixSetBuilder } from '../addressing/prefix-set';
import { parseBlock, type Range } from '../addressing/range';
import type { ErrorCode } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';
import { WAITING_POOL } from './group';
import { selectorProblems } from './label-selector';
import { isMap, listOf, textOf } from './loose-json';
import { nearestWord } from './schema-problems';
import type { Zone, ZoneProps } from './zone-catalogue';

/** Network of a zone that names none. */
export const DEFAULT_NETWORK = 'default';
/** Seconds for which a released address of a zone stays with its former holder. */
export const DEFAULT_QUARANTINE_SECONDS = 300;

/** A prefix of the document with the place it was written at. */
interface PlacedPrefix {
  readonly zone: string;
  readonly network: string;
  readonly path: string;
  readonly prefix: Prefix;
}

/** Walks a document once and gathers whatever the schema could not see, even where other fields are broken. */
export class ZonesReader {
  readonly zones: Zone[] = [];
  readonly problems: Refusal[] = [];
  readonly #placed: PlacedPrefix[] = [];
  readonly #pathOfName = new Map<string, string>();
  /** Of zones that say nothing. */
  edgeAddresses: EdgeAddresses = 'use';

  /**
   * Reads a document into {@link zones} and {@link problems}.
   *
   * @param document - whatever it holds
   */
  read(document: Readonly<Record<string, unknown>>): void {
    this.edgeAddresses = document['version'] === 2 ? 'avoid' : 'use';
    listOf(document['zones']).forEach((entry, i) => {
      if (isMap(entry)) this.#readZone(`zones[${String(i)}]`, entry);
    });
    this.#checkOverlaps();
    const services = document['services'];
    if (isMap(services) && typeof services['defaultZone'] === 'string') this.#checkDefaultZone(services['defaultZone']);
  }

  #report(
    code: ErrorCode,
    field: string,
    [message, details]: readonly [string, Omit<Refusal, 'code' | 'message'>?],
  ): void {
    this.problems.push({ code, field, message: `${field}: ${message}`, ...details });
  }

  #readZone(path: string, entry: Readonly<Record<string, unknown>>): void {
    const name = textOf(entry['name']);
    const network = textOf(entry['network']) || DEFAULT_NETWORK;
    this.#checkName(`${path}.name`, name);
    this.#checkOrigin(path, entry);
    const prefixes = this.#readPrefixes(path, listOf(entry['prefixes']));
    prefixes.forEach(({ prefix, path: at }) => this.#placed.push({ zone: name, network, path: at, prefix }));
    const parsed = prefixes.map(({ prefix }) => prefix);
    const excluded = this.#readExcluded(path, listOf(entry['excluded']), parsed);
    this.#checkSelector(`${path}.namespaces`, entry['namespaces']);
    const props = { edgeAddresses: this.edgeAddresses, ...(entry as unknown as ZoneProps) };
    const zone = zoneOf(props, { network, prefixes: parsed, excluded });
    if (parsed.length > 0 && zone.space.isEmpty) {
      const known = parsed.map(String).join(', ');
      this.#report('zone/invalid', `${path}.excluded`, [
        `every address of the zone (${known}) is excluded, so it could give none; exclude less`,
      ]);
    }
    this.zones.push(zone);
  }

  #checkName(field: string, name: string): void {
    if (name === '') return; // the schema has refused it
    if (name === WAITING_POOL) {
      this.#report('zone/invalid', field, [
        `"${name}" is reserved: Services that wait name this MetalLB pool, which must not exist`,
      ]);
    }
    const before = this.#pathOfName.get(name);
    if (before === undefined) this.#pathOfName.set(name, field);
    else
      this.#report('zone/invalid', field, [
        `"${name}" is already the name of another zone (${before}); names are unique`,
      ]);
  }

  #checkOrigin(path: string, { prefixes, fromNetBox }: Readonly<Record<string, unknown>>): void {
    if (!Array.isArray(prefixes)) return; // the schema has refused it
    const field = `${path}.prefixes`;
    if (fromNetBox !== true && prefixes.length === 0) this.#report('zone/invalid', field, ['must not be empty']);
    if (fromNetBox === true && prefixes.length > 0)
      this.#report('zone/invalid', field, [
        'must be empty, since the prefixes come from NetBox; leave out one of both',
      ]);
  }

  #readPrefixes(path: string, entries: readonly unknown[]): { path: string; prefix: Prefix }[] {
    return entries.flatMap((entry, i) => {
      if (typeof entry !== 'string') return [];
      const at = `${path}.prefixes[${String(i)}]`;
      const parsed = parsePrefix(entry);
      if (!parsed.ok) {
        const { code, message, ...details } = parsed.refusal;
        this.#report(code, at, [message, { ...details, field: at }]);
        return [];
      }
      const reason = unusableReason(parsed.value.first) ?? unusableReason(parsed.value.last);
      if (reason !== undefined) {
        this.#report('address/unusable', at, [
          `"${entry}" holds addresses that no Service can use (${reason})`,
          { value: entry },
        ]);
      }
      return [{ path: at, prefix: parsed.value }];
    });
  }

  #readExcluded(path: string, entries: readonly unknown[], prefixes: readonly Prefix[]): Range[] {
    return entries.flatMap((entry, i) => {
      if (typeof entry !== 'string') return [];
      const at = `${path}.excluded[${String(i)}]`;
      const parsed = parseBlock(entry);
      if (!parsed.ok) {
        const { code, message, ...details } = parsed.refusal;
        this.#report(code, at, [message, { ...details, field: at }]);
        return [];
      }
      const touches = prefixes.some((prefix) => overlap(prefix, parsed.value));
      if (!touches && prefixes.length > 0) {
        const known = prefixes.map(String).join(', ');
        this.#report('zone/invalid', at, [
          `"${entry}" lies in no prefix of the zone (${known}), so it excludes nothing`,
          { value: entry },
        ]);
      }
      return [parsed.value];
    });
  }

  #checkSelector(field: string, selector: unknown): void {
    if (!isMap(selector)) return;
    for (const { index, problem } of selectorProblems(selector)) {
      this.#report('zone/invalid', `${field}.matchExpressions[${String(index)}]`, [problem]);
    }
  }

  /** Sorted, a prefix can only overlap the widest one before it, since two prefixes are nested or apart. */
  #checkOverlaps(): void {
    const sorted = this.#placed.toSorted(
      (a, b) => (a.network < b.network ? -1 : a.network > b.network ? 1 : 0) || a.prefix.compareTo(b.prefix),
    );
    let widest: PlacedPrefix | undefined;
    for (const entry of sorted) {
      if (widest?.network === entry.network && widest.prefix.overlaps(entry.prefix)) this.#reportOverlap(entry, widest);
      else widest = entry;
    }
  }

  #reportOverlap(entry: PlacedPrefix, other: PlacedPrefix): void {
    const [mine, theirs] = [`"${entry.prefix.toString()}"`, `"${other.prefix.toString()}"`];
    const whose =
      entry.zone === other.zone
        ? `overlaps ${theirs} of the same zone (${other.path}); keep one of them`
        : `of zone "${entry.zone}" overlaps ${theirs} of zone "${other.zone}" (${other.path}) in network "${entry.network}"; zones of one network share no address`;
    this.#report('zone/overlap', entry.path, [`${mine} ${whose}`, { value: entry.prefix.toString() }]);
  }

  #checkDefaultZone(name: string): void {
    if (this.#pathOfName.has(name)) return;
    const names = [...this.#pathOfName.keys()];
    const meant = nearestWord(name, names);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    this.#report('zone/unknown', 'services.defaultZone', [
      `no zone is named "${name}"; the zones are ${names.join(', ')}${hint}`,
      { value: name, ...(meant === undefined ? {} : { suggestion: meant }) },
    ]);
  }
}

const overlap = (prefix: Prefix, range: Range): boolean =>
  prefix.family === range.family && prefix.first.compareTo(range.last) <= 0 && range.first.compareTo(prefix.last) <= 0;

function zoneOf(
  props: ZoneProps & Pick<Zone, 'edgeAddresses'>,
  parsed: Pick<Zone, 'network' | 'prefixes' | 'excluded'>,
): Zone {
  const builder = new PrefixSetBuilder();
  parsed.prefixes.forEach((prefix) => builder.add(prefix));
  parsed.excluded.forEach((range) => builder.subtract(range));
  const space = builder.build();
  const { edgeAddresses } = props;
  return {
    name: props.name,
    ...parsed,
    space,
    choosable: edgeAddresses === 'use' ? space : space.subtract(edgesOf(parsed.prefixes)),
    edgeAddresses,
    families: ([4, 6] as const).filter((family) => parsed.prefixes.some((prefix) => prefix.family === family)),
    ...(props.namespaces === undefined ? {} : { namespaces: props.namespaces }),
    quarantineSeconds: props.quarantineSeconds ?? DEFAULT_QUARANTINE_SECONDS,
    ...(props.quota === undefined ? {} : { quota: props.quota }),
    draining: props.draining ?? false,
    ...(props.fromNetBox === true ? { fromNetBox: true } : {}),
  };
}
