import { familyBits, parseAddress } from '../../addressing/address';
import { hostPrefix, parseAddressWithMask, parsePrefix, type Prefix } from '../../addressing/prefix';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO_GROUP } from '../../contract/nephio';

/** Objects that a NetworkInstance is drawn from, as the API server has them. */
export interface InstanceObjects {
  readonly instance: JsonMap;
  /** IPPrefixes of its namespace. */
  readonly prefixes: readonly JsonMap[];
  /** AddressClaims of its network. */
  readonly claims: readonly JsonMap[];
}

/** Use of a prefix, in decimal digits. */
interface PrefixUse {
  readonly total: string;
  readonly used: string;
  readonly free: string;
}

/** One entry of a NetworkInstance, with those inside of it. */
export interface InstanceBranch {
  readonly prefix: string;
  /** Kind of the prefix; empty for a claim that was made by hand. */
  readonly kind: string;
  readonly networkName?: string;
  readonly isGateway?: boolean;
  readonly holder: string;
  /** Object that uses an address which another one declares. */
  readonly user?: string;
  /** Absent for what no IPPrefix declares. */
  readonly use?: PrefixUse;
  readonly children: readonly InstanceBranch[];
}

interface Entry {
  readonly block: Prefix;
  readonly branch: InstanceBranch & { readonly children: InstanceBranch[] };
}

/**
 * Nests the entries of a NetworkInstance, with the use of each declared prefix.
 *
 * @param objects - as they were read
 * @returns the outermost entries, the lowest first; O(n log n)
 */
export function instanceTree({ instance, prefixes, claims }: InstanceObjects): readonly InstanceBranch[] {
  const uses = usesOf(textOf(metadataOf(instance)['name']), prefixes);
  const entries = claims.flatMap((claim) => entryOf(claim, uses) ?? []);
  const outermost: InstanceBranch[] = [];
  const around: Entry[] = [];
  for (const entry of entries.toSorted(fromOutside)) {
    while (around.length > 0 && around.at(-1)?.block.contains(entry.block.last) !== true) around.pop();
    (around.at(-1)?.branch.children ?? outermost).push(entry.branch);
    around.push(entry);
  }
  return outermost;
}

const fromOutside = ({ block: a }: Entry, { block: b }: Entry): number =>
  a.family - b.family || a.first.compareTo(b.first) || a.length - b.length;

function entryOf(claim: JsonMap, uses: ReadonlyMap<string, PrefixUse>): Entry | undefined {
  const spec = mapOf(claim['spec']);
  const prefix = claimedPrefix(textOf(spec['address']));
  if (prefix === undefined) return undefined;
  const { kind, networkName, isGateway, role } = mapOf(spec['entry']);
  const text = prefix.length === familyBits(prefix.family) ? prefix.first.toString() : prefix.toString();
  const use = role === 'prefix' || role === 'subnet' ? uses.get(prefix.toString()) : undefined;
  const branch = {
    prefix: text,
    kind: textOf(kind),
    holder: holderText(spec['holder'], spec['key']),
    ...(typeof networkName === 'string' ? { networkName } : {}),
    ...(isGateway === true ? { isGateway } : {}),
    ...(spec['user'] === undefined ? {} : { user: holderText(spec['user']) }),
    ...(use === undefined ? {} : { use }),
    children: [],
  };
  return { block: prefix, branch };
}

function claimedPrefix(text: string): Prefix | undefined {
  const address = parseAddress(text);
  if (address.ok) return hostPrefix(address.value);
  const prefix = parsePrefix(text);
  return prefix.ok ? prefix.value : undefined;
}

function holderText(holder: unknown, key?: unknown): string {
  const { apiVersion, kind, namespace, name } = mapOf(holder);
  if (name === undefined) return textOf(key);
  const isOfDoor = textOf(apiVersion).startsWith(`${NEPHIO_GROUP}/`);
  return `${isOfDoor || apiVersion === undefined ? '' : `${textOf(apiVersion)} `}${textOf(kind)} ${textOf(namespace)}/${textOf(name)}`;
}

// A network prefix is written as an address in its subnet, and counts the subnet.
function usesOf(instance: string, prefixes: readonly JsonMap[]): ReadonlyMap<string, PrefixUse> {
  const uses = prefixes.flatMap((object): readonly (readonly [string, PrefixUse])[] => {
    const { prefix, total, used, free } = mapOf(object['status']);
    const cidr = parseAddressWithMask(textOf(prefix));
    const isHere = mapOf(object['spec'])['networkInstance'] === instance && total !== undefined;
    if (!cidr.ok || !isHere) return [];
    return [[cidr.value.network.toString(), { total: textOf(total), used: textOf(used), free: textOf(free) }]];
  });
  return new Map(uses);
}

/**
 * Draws the entries of a NetworkInstance.
 *
 * @param name - of the instance, with its namespace
 * @param branches - from {@link instanceTree}
 * @returns lines, from top to bottom
 */
export function instanceLines(name: string, branches: readonly InstanceBranch[]): readonly string[] {
  const count = (some: readonly InstanceBranch[]): number =>
    some.reduce((sum, { children }) => sum + 1 + count(children), 0);
  const lines = [`NetworkInstance ${name} (${String(count(branches))} entries)`];
  addLines(lines, branches, '');
  return lines;
}

function addLines(lines: string[], branches: readonly InstanceBranch[], indent: string): void {
  for (const [index, branch] of branches.entries()) {
    const isLast = index === branches.length - 1;
    lines.push(`${indent}${isLast ? '└─' : '├─'} ${lineOf(branch)}`);
    addLines(lines, branch.children, `${indent}${isLast ? '   ' : '│  '}`);
  }
}

function lineOf({ prefix, kind, networkName, isGateway, holder, user, use }: InstanceBranch): string {
  const parts = [
    prefix,
    kind,
    networkName ?? '',
    isGateway === true ? 'gateway' : '',
    holder,
    user === undefined ? '' : `for ${user}`,
    use === undefined ? '' : `(${use.used} of ${use.total} used, ${use.free} free)`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
