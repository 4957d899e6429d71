import { Type, type TSchema } from '@sinclair/typebox';

import { unusableReason, type Family } from '../addressing/address';
import { edgesOf, type EdgeAddresses } from '../addressing/edges';
import { parsePrefix, type Prefix } from '../addressing/prefix';
import { PrefixSetBuilder, type PrefixSet } from '../addressing/prefix-set';
import { parseBlock, type Range } from '../addressing/range';
import type { ErrorCode } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';
import { compiledOnUse } from './compiled-schema';
import { WAITING_POOL } from './group';
import { LABEL_SELECTOR_SCHEMA, selectorProblems, type LabelSelector } from './label-selector';
import { nearestWord, schemaProblems } from './schema-problems';
import { isMap, listOf, textOf } from './loose-json';

export type { EdgeAddresses } from '../addressing/edges';
export { selectorMatches } from './label-selector';

/** Network of a zone that names none. */
/** Network of a zone that names none. */
export const DEFAULT_NETWORK = 'default';
/** Seconds for which a released address of a zone stays with its former holder. */
export const DEFAULT_QUARANTINE_SECONDS = 300;

/** One zone as its author writes it: addresses under a name that Services ask for. */
export interface ZoneProps {
  /** DNS label; Services name it in `ipam.vitistack.io/zone`, and the MetalLB pool carries it. */
  readonly name: string;
  /**
   * Inside one network an address exists once; zones of different networks may hold the same numbers.
   *
   * @default 'default'
   */
  readonly network?: string;
  /** What may be given out, in CIDR notation, both families mixed as you like. */
  readonly prefixes: readonly string[];
  /**
   * What is never given: addresses, ranges (`10.0.0.1-10.0.0.9`) or CIDRs inside the prefixes.
   *
   * @default - nothing
   */
  readonly excluded?: readonly string[];
  /**
   * Namespaces that may use the zone, by their labels.
   *
   * @default - every namespace
   */
  readonly namespaces?: LabelSelector;
  /**
   * Seconds for which only the former holder may have a released address.
   *
   * @default 300
   */
  readonly quarantineSeconds?: number;
  /**
   * Most addresses that may be held in this zone, by all namespaces and clusters together.
   *
   * @default - no limit
   */
  readonly quota?: number;
  /**
   * A draining zone gives nothing new; its holders stay.
   *
   * @default false
   */
  readonly draining?: boolean;
  /**
   * The prefixes of the zone are the containers that NetBox has for it, so `prefixes` must be empty; the other fields apply to them.
   * Zones of NetBox that no entry names are served too, with the defaults.
   *
   * @default false
   */
  readonly fromNetBox?: boolean;
  /**
   * What becomes of the first and last address of an IPv4 prefix shorter than /31 and of the first of an IPv6 prefix shorter than /127:
   * `avoid` gives them to Services that name them, `use` to any. Prefixes that follow one another count as one.
   *
   * @default 'avoid' in a document of version 2, 'use' in one of version 1 and for prefixes of NetBox with `is_pool`
   */
  readonly edgeAddresses?: EdgeAddresses;
}

/** The zones document, as file, as ConfigMap `ipam-zones` and as what the constructs emit. */
export interface ZonesDocument {
  /** 2: zones avoid edge addresses where they say nothing of them; 1: they use them, as the installations before. */
  readonly version: 1 | 2;
  /** Settings of the Services front door that belong to the zones. */
  readonly services?: {
    /** Zone of a Service that names none; without it such a Service is left alone. */
    readonly defaultZone?: string;
  };
  readonly zones: readonly ZoneProps[];
}

/** One zone, parsed. */
export interface Zone {
  readonly name: string;
  readonly network: string;
  readonly prefixes: readonly Prefix[];
  readonly excluded: readonly Range[];
  /** What may be given out: the prefixes without the excluded. */
  readonly space: PrefixSet;
  /** What is given to a Service that names no address: the space, without its edges where they are avoided. */
  readonly choosable: PrefixSet;
  readonly edgeAddresses: EdgeAddresses;
  /** Families of the prefixes, IPv4 first. */
  readonly families: readonly Family[];
  readonly namespaces?: LabelSelector;
  readonly quarantineSeconds: number;
  readonly quota?: number;
  readonly draining: boolean;
  /** The prefixes come from NetBox; none as long as NetBox was not read. */
  readonly fromNetBox?: true;
}

/** Every zone of one valid document. */
export interface ZoneCatalogue {
  /** In the order of the document. */
  readonly zones: readonly Zone[];
  readonly names: readonly string[];
  readonly defaultZone?: string;
  /** What becomes of edge addresses where a zone says nothing of them. */
  readonly edgeAddresses: EdgeAddresses;
  /** Looks up a zone by its name. */
  zone(name: string): Zone | undefined;
}

/** A catalogue, or everything that is wrong with the document at once. */
export type ZonesOutcome =
  { readonly ok: true; readonly value: ZoneCatalogue } | { readonly ok: false; readonly problems: readonly Refusal[] };

const strict = { additionalProperties: false } as const;
const texts = Type.Array(Type.String());
const zoneFields = {
  name: Type.String({
    pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
    description: 'a DNS label (a-z, 0-9 and -, at most 63)',
  }),
  network: Type.Optional(
    Type.String({ pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$', description: 'a DNS name (a-z, 0-9, - and .)' }),
  ),
  // not empty, unless `fromNetBox`: see the reader
  prefixes: Type.Array(Type.String()),
  excluded: Type.Optional(texts),
  namespaces: Type.Optional(LABEL_SELECTOR_SCHEMA),
  quarantineSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  quota: Type.Optional(Type.Integer({ minimum: 1 })),
  draining: Type.Optional(Type.Boolean()),
  fromNetBox: Type.Optional(Type.Boolean()),
  edgeAddresses: Type.Optional(Type.Unsafe<EdgeAddresses>({ type: 'string', enum: ['avoid', 'use'] })),
} satisfies Record<keyof ZoneProps, TSchema>;

/** Schema of {@link ZonesDocument}. */
export const ZONES_SCHEMA = Type.Object(
  {
    version: Type.Unsafe<ZonesDocument['version']>({ enum: [1, 2] }),
    services: Type.Optional(Type.Object({ defaultZone: Type.Optional(Type.String()) }, strict)),
    zones: Type.Array(Type.Object(zoneFields, strict), { minItems: 1 }),
  } satisfies Record<keyof ZonesDocument, TSchema>,
  strict,
);

const validator = compiledOnUse(ZONES_SCHEMA);

/** A prefix of the document with the place it was written at. */
interface PlacedPrefix {
  readonly zone: string;
  readonly network: string;
  readonly path: string;
  readonly prefix: Prefix;
}

/** Walks a document once and gathers whatever the schema could not see, even where other fields are broken. */
class ZonesReader {
  readonly zones: Zone[] = [];
  readonly problems: Refusal[] = [];
  readonly #placed: PlacedPrefix[] = [];
  readonly #pathOfName = new Map<string, string>();
  /** Of zones that say nothing. */
  edgeAddresses: EdgeAddresses = 'use';

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

/** No zone at all. */
export const NO_ZONES: ZoneCatalogue = catalogueOf({ zones: [], edgeAddresses: 'avoid' }, undefined);

function catalogueOf(
  { zones, edgeAddresses }: Pick<ZoneCatalogue, 'zones' | 'edgeAddresses'>,
  defaultZone: string | undefined,
): ZoneCatalogue {
  const byName = new Map(zones.map((zone) => [zone.name, zone]));
  return {
    zones,
    edgeAddresses,
    names: zones.map(({ name }) => name),
    ...(defaultZone === undefined ? {} : { defaultZone }),
    zone: (name) => byName.get(name),
  };
}

/**
 * Reads a zones document, wherever it came from.
 *
 * @param document - what the YAML or JSON reader returned
 * @returns the catalogue, or every problem of the document with its path
 */
export function parseZones(document: unknown): ZonesOutcome {
  const validate = validator();
  const problems: Refusal[] = validate(document) ? [] : [...schemaProblems(validate.errors ?? [], 'zone/invalid')];
  const reader = new ZonesReader();
  if (isMap(document)) reader.read(document);
  problems.push(...reader.problems);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: catalogueOf(reader, (document as ZonesDocument).services?.defaultZone) };
}
