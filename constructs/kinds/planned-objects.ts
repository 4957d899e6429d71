import { parseAddress } from '../../operator/addressing/address';
import { parseAddressWithMask, type Prefix } from '../../operator/addressing/prefix';
import { NEPHIO } from '../../operator/contract/nephio';
import { quoteValue } from '../../operator/contract/quote';
import type { Refusal } from '../../operator/errors/outcome';
import type { IPPrefixSpec } from '../crds/ip-prefix';
import type { AddressPlanProps, PlannedPrefix } from './address-plan-props';

/** One IPPrefix that a plan becomes. */
interface PlannedObject {
  readonly name: string;
  readonly spec: IPPrefixSpec;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The objects of a plan, and what is wrong with its tree. */
interface PlannedObjects {
  readonly objects: readonly PlannedObject[];
  readonly problems: readonly Refusal[];
}

/** The line around another one. */
interface Outer {
  readonly path: string;
  readonly prefix: string;
  readonly block: Prefix | undefined;
  /** Name of the network; absent where the line is none. */
  readonly network: string | undefined;
}

/**
 * Writes the objects of a plan.
 *
 * @param plan - of the right shape
 * @returns one for each line, outer ones first
 */
export function plannedObjects(plan: AddressPlanProps): PlannedObjects {
  const [objects, problems]: [PlannedObject[], Refusal[]] = [[], []];
  const add = (line: PlannedPrefix, path: string, outer?: Outer): void => {
    const block = blockOf(line.prefix);
    const network = line.network ?? (line.kind === undefined || line.kind === 'network' ? outer?.network : undefined);
    const kind = line.kind ?? (network === undefined ? 'aggregate' : 'network');
    problems.push(...outsideProblems(line, { path, block, outer }), ...gatewayProblems(line, { path, block, kind }));
    objects.push(objectOf(plan, line, { kind, network }));
    const inner: Outer = { path, prefix: line.prefix, block, network };
    (line.children ?? []).forEach((child, i) => {
      add(child, `${path}.children[${String(i)}]`, inner);
    });
  };
  plan.prefixes.forEach((line, i) => {
    add(line, `prefixes[${String(i)}]`);
  });
  return { objects, problems };
}

type Kind = NonNullable<PlannedPrefix['kind']>;

function objectOf(
  { instance }: AddressPlanProps,
  { prefix, name, gateway, labels, excluded }: PlannedPrefix,
  { kind, network }: { readonly kind: Kind; readonly network: string | undefined },
): PlannedObject {
  const isGiven = gateway !== undefined;
  const own = { ...labels, ...(isGiven ? { [NEPHIO.gateway]: 'true' } : {}) };
  return {
    // each character apart, so that no two prefixes have one name
    name: name ?? `${instance}-${prefix.toLowerCase().replaceAll(/[^a-z0-9]/gu, '-')}`,
    spec: {
      kind,
      // the recorded address of a network is the one before the slash
      prefix: isGiven ? `${gateway}${prefix.slice(prefix.indexOf('/'))}` : prefix,
      networkInstance: instance,
      ...(network === undefined ? {} : { network }),
      ...(excluded === undefined ? {} : { excluded }),
    },
    ...(Object.keys(own).length === 0 ? {} : { labels: own }),
  };
}

// What cannot be read is refused by the kind.
function blockOf(text: string): Prefix | undefined {
  const parsed = parseAddressWithMask(text);
  return parsed.ok ? parsed.value.network : undefined;
}

interface LineAt {
  readonly path: string;
  readonly block: Prefix | undefined;
}

function outsideProblems(
  { prefix }: PlannedPrefix,
  { path, block, outer }: LineAt & { readonly outer: Outer | undefined },
): readonly Refusal[] {
  if (block === undefined || outer?.block === undefined || outer.block.containsPrefix(block)) return [];
  return [refused(`${path}.prefix`, prefix, `does not lie in "${outer.prefix}" of ${outer.path}`)];
}

function gatewayProblems(
  { prefix, gateway }: PlannedPrefix,
  { path, block, kind }: LineAt & { readonly kind: Kind },
): readonly Refusal[] {
  if (gateway === undefined) return [];
  const field = `${path}.gateway`;
  if (kind !== 'network') return [refused(field, gateway, `has no use in a prefix of kind ${kind}`)];
  const parsed = parseAddress(gateway);
  if (!parsed.ok) return [{ ...parsed.refusal, field, message: `${field}: ${parsed.refusal.message}` }];
  if (block === undefined || block.contains(parsed.value)) return [];
  return [refused(field, gateway, `does not lie in "${prefix}"`)];
}

const refused = (field: string, value: string, why: string): Refusal => ({
  code: 'prefix/invalid',
  field,
  value,
  message: `${field}: ${quoteValue(value)} ${why}`,
});
