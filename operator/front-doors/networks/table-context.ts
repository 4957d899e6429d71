import type { Address } from '../../addressing/address';
import { familyBits } from '../../addressing/address';
import { hostPrefix, type Prefix } from '../../addressing/prefix';
import { blockOf } from '../../addressing/space-text';
import { PrefixSet, PrefixSetBuilder } from '../../addressing/prefix-set';
import { metadataOf, textOf } from '../../contract/loose-json';
import { objectText } from '../../contract/object-name';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import { strongerSpaces } from '../../ledger/occupied/stronger-spaces';
import type { AddressRecord } from '../../ports/claims';
import type { DeclaredRange, Instance, NamedObject, TableContext } from '../../rules/networks/types';
import type { NetworksDoorParts } from './door-parts';
import type { Instances } from './instances';
import { isDying, namedOf } from './objects';
import type { PrefixIndex, StoredPrefix } from './prefix-index';

/** Space of a block that is not given. */
interface ClosedSpace {
  readonly excluded: PrefixSet;
  readonly neverChosen: PrefixSet;
}

/** Space of a block by what the block is. */
type BlockSpaces = { readonly block: Prefix } & Partial<Record<'subnet' | 'prefix', ClosedSpace>>;

/** Configuration around the tables, remembered until the objects change that it comes from. */
export class TableContexts {
  readonly #parts: NetworksDoorParts;
  readonly #prefixes: PrefixIndex;
  readonly #instances: Instances;
  /** By instance, then by block. */
  readonly #spaces = new Map<string, Map<string, BlockSpaces>>();

  /**
   * Starts with nothing remembered.
   *
   * @param parts - pools of other doors, addresses in use
   * @param prefixes - the IPPrefixes
   * @param instances - the NetworkInstances
   */
  constructor(parts: NetworksDoorParts, prefixes: PrefixIndex, instances: Instances) {
    this.#parts = parts;
    this.#prefixes = prefixes;
    this.#instances = instances;
  }

  /**
   * Forgets what an IPPrefix of a block decided, for the block and everything in it.
   *
   * @param instance - `namespace/name`
   * @param block - of the IPPrefix
   */
  changed(instance: string, block: Prefix): void {
    this.#forget(instance, (each) => block.containsPrefix(each));
  }

  /**
   * Forgets everything of an instance.
   *
   * @param instance - `namespace/name`
   */
  allChanged(instance: string): void {
    this.#spaces.delete(instance);
  }

  /**
   * Forgets the space of other doors, and the addresses in use, in an instance.
   *
   * @param instance - `namespace/name`
   * @param block - of which something changed; anything by default
   */
  othersChanged(instance: string, block?: Prefix): void {
    this.#forget(instance, (each) => block === undefined || each.overlaps(block));
  }

  #forget(instance: string, isMeant: (block: Prefix) => boolean): void {
    const known = this.#spaces.get(instance);
    for (const [text, { block }] of known ?? []) if (isMeant(block)) known?.delete(text);
  }

  /**
   * Makes the context of decisions in one instance.
   *
   * @param of - the instance
   * @returns what the rules ask
   */
  contextOf(of: Instance): TableContext {
    const instance = `${of.namespace}/${of.name}`;
    return {
      isClosed: (entry) => this.#isClosed(instance, entry),
      neverChosenIn: (entry) => this.#spaceOf(instance, entry).neverChosen,
      excludedFrom: (entry) => this.#spaceOf(instance, entry).excluded,
      rangesOf: (block) => this.#prefixes.at(instance, block).flatMap((each) => declaredRange(each, block)),
      usedBy: (address) => this.#usedBy(of, address),
      heldOutside: (address) => this.#heldOutside(of, address),
      takenOutside: (address) => this.#takenOutside(of, address),
      otherInstance: (block) => this.#otherInstance(of, block),
    };
  }

  #isClosed(instance: string, { block, facts, owner }: NetworkEntry): boolean {
    if (facts?.role === 'allocation') {
      const object = this.#parts.allocations.get(owner.namespace, owner.name);
      return object !== undefined && isDying(object);
    }
    const all = this.#prefixes.at(instance, block);
    if (facts?.role === 'subnet') {
      const declaring = all.filter(({ request }) => request.range === undefined);
      return declaring.length > 0 && declaring.every(({ isClosed }) => isClosed);
    }
    const uid = textOf(metadataOf(this.#parts.prefixes.get(owner.namespace, owner.name))['uid']);
    return this.#prefixes.get(uid)?.isClosed === true;
  }

  #spaceOf(instance: string, { block, facts }: NetworkEntry): ClosedSpace {
    const known = this.#spaces.get(instance) ?? new Map<string, BlockSpaces>();
    this.#spaces.set(instance, known);
    const spaces = known.get(block.toString()) ?? { block };
    known.set(block.toString(), spaces);
    // the same block may become a subnet once another use of it has ended
    const isSubnet = facts?.kind === 'network';
    const as = isSubnet ? 'subnet' : 'prefix';
    spaces[as] ??= this.#closedSpace(instance, block, isSubnet);
    return spaces[as];
  }

  #closedSpace(instance: string, block: Prefix, isSubnet: boolean): ClosedSpace {
    const [namespace = '', name = ''] = instance.split('/');
    const all = this.#prefixes.at(instance, block);
    const around = this.#prefixes.around(instance, block);
    const outside = this.#outsideSpace(this.#instances.sharedNetwork(namespace, name), block);
    const excluded = [...around, ...all]
      .reduce((space, { request }) => space.union(request.excluded), outside)
      .intersect(PrefixSet.of(block));
    const more = new PrefixSetBuilder();
    if (isSubnet && familyBits(block.family) - block.length >= 2) more.add(block.first);
    for (const { request } of all) if (request.range !== undefined) more.add(request.range);
    return { excluded, neverChosen: excluded.union(more.build()) };
  }

  #outsideSpace(network: string | undefined, block: Prefix): PrefixSet {
    if (network === undefined) return PrefixSet.EMPTY;
    const { shown, strongerPools } = this.#parts;
    const pools = strongerSpaces(strongerPools, network).map(({ space }) => space);
    const addresses = shown.addresses().filter((address) => block.contains(address));
    const claims = this.#claimsOfOthers(network, block).map(blockOf);
    return PrefixSet.of(...pools, ...addresses, ...claims).intersect(PrefixSet.of(block));
  }

  // Claims of a door whose networks have the names that annotations name; a NetworkInstance with such a name is another network.
  #claimsOfOthers(network: string, block: Prefix): readonly AddressRecord[] {
    const records = this.#parts.known.within(network, PrefixSet.of(block));
    return records.filter(isOfOtherDoor);
  }

  #usedBy(of: Instance, address: Address): string | undefined {
    const network = this.#networkOf(of);
    if (network === undefined) return undefined;
    return (
      this.#poolAt(network, address) ?? this.#claimantAt(network, address) ?? this.#parts.shown.at(address)[0]?.source
    );
  }

  #heldOutside(of: Instance, address: Address): string | undefined {
    const network = this.#networkOf(of);
    return network === undefined ? undefined : (this.#poolAt(network, address) ?? this.#takenOutside(of, address));
  }

  #takenOutside(of: Instance, address: Address): string | undefined {
    const network = this.#networkOf(of);
    if (network === undefined) return undefined;
    const ingress = this.#parts.shown.at(address).find(({ kind }) => kind === 'ingress');
    return this.#claimantAt(network, address) ?? ingress?.source;
  }

  #networkOf({ namespace, name }: Instance): string | undefined {
    return this.#instances.sharedNetwork(namespace, name);
  }

  #poolAt(network: string, address: Address): string | undefined {
    const pool = strongerSpaces(this.#parts.strongerPools, network).find(({ space }) => space.contains(address));
    return pool && `${pool.kind} ${pool.name}`;
  }

  #claimantAt(network: string, address: Address): string | undefined {
    const [claim] = this.#claimsOfOthers(network, hostPrefix(address));
    const owner = claim?.holders[0]?.owner ?? claim?.quarantine?.former.owner;
    return claim && (owner === undefined ? `the AddressClaim of ${claim.network}` : objectText(owner));
  }

  // What is on record stays, however old it is; of what is on record in none the older one comes first.
  #otherInstance(of: Instance, block: Prefix): NamedObject | undefined {
    const others = this.#instances.sharing(of);
    for (const { network } of others) {
      const found = this.#parts.tables.look(network, (table) => holderAt(table, block));
      if (found !== undefined) return found;
    }
    const isOwn = this.#parts.tables.look(of.network, (table) => nearestAt(table, block) !== undefined);
    if (others.length === 0 || isOwn) return undefined;
    const [own] = this.#prefixes.at(`${of.namespace}/${of.name}`, block);
    const met = others
      .flatMap(({ namespace, name }) => this.#prefixes.of(`${namespace}/${name}`))
      .find((each) => meets(each, block) && isOlder(each, own));
    return met === undefined ? undefined : namedOf('prefix', met.object);
  }
}

/**
 * Tells whether a claim is one of another door, whose networks do not nest.
 *
 * @param claim - as the record has it, or a change of it
 * @returns false for entries of NetworkInstances
 */
const isOfOtherDoor = ({ door, entry }: Pick<AddressRecord, 'door' | 'entry'>): boolean =>
  entry === undefined && door !== 'networks';

function nearestAt(table: NetworkTable, block: Prefix): NetworkEntry | undefined {
  return table.at(block) ?? table.around(block).at(-1);
}

function holderAt(table: NetworkTable, block: Prefix): NamedObject | undefined {
  let found = nearestAt(table, block);
  if (found === undefined)
    table.eachInside(block, (entry) => {
      found = entry;
      return false;
    });
  if (found === undefined) return undefined;
  const [host] = found.facts?.role === 'subnet' ? table.hosts(found.block) : [];
  const { kind, namespace, name } = (host ?? found).owner;
  return { kind, namespace, name };
}

const meets = ({ request }: StoredPrefix, block: Prefix): boolean => request.block.overlaps(block);

function isOlder(other: StoredPrefix, own: StoredPrefix | undefined): boolean {
  if (own === undefined) return true;
  return other.createdMs === own.createdMs ? textIn(other) < textIn(own) : other.createdMs < own.createdMs;
}

function textIn({ object }: StoredPrefix): string {
  const { namespace, name } = namedOf('prefix', object);
  return `${namespace}/${name}`;
}

function declaredRange({ request, uid, isClosed, isReadable }: StoredPrefix, block: Prefix): readonly DeclaredRange[] {
  const { range, labels, owner, kind, networkName } = request;
  const isInside = range !== undefined && block.contains(range.first) && block.contains(range.last);
  return isInside
    ? [{ name: owner.name, uid, range, kind, networkName, labels, isClosed: isClosed || !isReadable }]
    : [];
}
