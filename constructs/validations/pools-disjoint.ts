import { parsePrefix } from '../../operator/addressing/prefix';
import { parseRange, rangeOf, type Range } from '../../operator/addressing/range';
import { METALLB_GROUP, METALLB_NAMESPACE } from '../../operator/contract/group';
import { listOf, mapOf } from '../../operator/contract/loose-json';
import { parseZoneText } from '../../operator/contract/zone-text';
import { OPTIONS } from '../../operator/settings/options';
import { NAMES } from '../objects/names';
import { textsOf } from './fields';
import { reportTo, type Check, type PlacedObject, type ValidationContext, type Violation } from './plugin';
import { podSpecOf } from './pod-specs';

/** One entry of a pool or of a zone, with where it was written. */
interface Entry {
  readonly placed: PlacedObject;
  /** Name of the pool; a zone's pool is named like the zone. */
  readonly pool: string;
  /** MetalLB that has the pool. */
  readonly namespace: string;
  readonly location: string;
  readonly text: string;
  readonly range: Range | undefined;
}

// MetalLB takes ranges, and prefixes with host bits, of which it drops the bits.
function rangeOfEntry(text: string): Range | undefined {
  if (text.includes('-')) {
    const range = parseRange(text);
    return range.ok ? range.value : undefined;
  }
  const parsed = parsePrefix(text);
  if (!parsed.ok) {
    const { code, suggestion = '' } = parsed.refusal;
    return code === 'prefix/host-bits-set' ? rangeOfEntry(suggestion) : undefined;
  }
  return rangeOf(parsed.value.first, parsed.value.last);
}

function poolEntries(placed: PlacedObject): readonly Entry[] {
  const { object } = placed;
  if (object.kind !== 'IPAddressPool' || !object.apiVersion.startsWith(`${METALLB_GROUP}/`)) return [];
  const { name, namespace = METALLB_NAMESPACE } = object.metadata;
  return textsOf(mapOf(object['spec'])['addresses']).map((text, i) => {
    const location = `spec.addresses[${i}]`;
    return { placed, pool: name, namespace, location, text, range: rangeOfEntry(text) };
  });
}

// An operator without Services gives the addresses to other clusters, so its zones never become pools of this one.
function servesElsewhere({ object }: PlacedObject): boolean {
  if (object.kind !== 'Deployment' || object.metadata.name !== NAMES.deployment) return false;
  const containers = listOf(podSpecOf(object)?.spec['containers']).map(mapOf);
  return containers.some(({ args }) => textsOf(args).includes(`${OPTIONS.services.flag}=false`));
}

// Zones become pools: at once, or when the operator publishes what it has given out.
function zoneEntries(placed: PlacedObject, elsewhere: ReadonlySet<string>): readonly Entry[] {
  const { object } = placed;
  if (elsewhere.has(placed.manifestPath)) return [];
  if (object.kind !== 'ConfigMap' || object.metadata.name !== NAMES.zonesConfigMap) return [];
  return Object.entries(mapOf(object['data'])).flatMap(([file, document]) => {
    const zones = parseZoneText(typeof document === 'string' ? document : '');
    if (!zones.ok) return []; // the operator's construct reports these
    return zones.value.zones.flatMap(({ name, prefixes }) =>
      prefixes.map((prefix) => {
        const text = prefix.toString();
        const location = `data["${file}"], zone "${name}"`;
        return { placed, pool: name, namespace: METALLB_NAMESPACE, location, text, range: rangeOfEntry(text) };
      }),
    );
  });
}

const where = ({ placed: { object }, location, text }: Entry): string =>
  `"${text}" (${object.kind} ${object.metadata.name}, ${location})`;

// A zone and the pool that was made of it say the same; two entries of one pool do not.
function sameByIntent(a: Entry, b: Entry): boolean {
  return a.pool === b.pool && a.placed.object !== b.placed.object && a.placed.object.kind !== b.placed.object.kind;
}

// Sorted by their first addresses, an entry meets only those that are still open where it begins.
function overlaps(entries: readonly Entry[]): readonly (readonly [Entry, Entry])[] {
  const sorted = entries
    .flatMap((entry) => (entry.range === undefined ? [] : [{ entry, range: entry.range }]))
    .sort((a, b) => a.range.first.compareTo(b.range.first) || b.range.last.compareTo(a.range.last));
  const found: (readonly [Entry, Entry])[] = [];
  let open: typeof sorted = [];
  for (const each of sorted) {
    open = open.filter(({ range }) => range.last.compareTo(each.range.first) >= 0);
    const met = open.find(({ entry }) => !sameByIntent(entry, each.entry));
    if (met !== undefined) found.push([each.entry, met.entry]);
    open.push(each);
  }
  return found;
}

/**
 * Finds MetalLB pools that share an address, over every chart of the app and with the zones of the operator. MetalLB then
 * drops its whole configuration and serves no Service.
 *
 * @param objects - of the whole app
 * @returns every violation
 */
export const poolsCheck: Check = (objects) => {
  const elsewhere = new Set(objects.filter(servesElsewhere).map(({ manifestPath }) => manifestPath));
  const entries = objects.flatMap((placed) => [...poolEntries(placed), ...zoneEntries(placed, elsewhere)]);
  const namespaces = [...new Set(entries.map(({ namespace }) => namespace))];
  const shared = namespaces.flatMap((name) => overlaps(entries.filter(({ namespace }) => namespace === name)));
  return [
    ...shared.map(([entry, other]): Violation => ({
      rule: 'pools/disjoint',
      recommendation: 'No address is in two pools of MetalLB; it would drop its whole configuration',
      fix: 'Shrink or remove one of the two',
      placed: entry.placed,
      locations: [`${entry.location}: "${entry.text}" overlaps ${where(other)}`],
    })),
    ...entries
      .filter(({ range }) => range === undefined)
      .map(({ placed, location, text }): Violation => ({
        rule: 'pools/readable',
        recommendation: 'Entries of a pool are prefixes in CIDR notation, or ranges of two addresses',
        fix: 'Write for example 192.0.2.0/28 or 192.0.2.1-192.0.2.9',
        placed,
        locations: [`${location}: "${text}"`],
      })),
  ];
};

/** Fails `cdk8s synth` on MetalLB pools that overlap. */
export class PoolsDisjoint {
  /**
   * Runs in the CLI of cdk8s.
   *
   * @param context - files and report
   * @returns when the report is handed in
   */
  validate(context: ValidationContext): Promise<void> {
    reportTo(context, PoolsDisjoint.name, poolsCheck);
    return Promise.resolve();
  }
}
