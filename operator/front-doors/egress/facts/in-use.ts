import { sameAddresses, type Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';
import { PrefixSet, PrefixSetBuilder } from '../../../addressing/prefix-set';
import { listAt } from '../../../contract/list-at';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { ForeignEgress } from '../../../ports/egress-dataplane';
import { readNamespace } from '../../../rules/egress';
import type { EgressPlan, EgressPool } from '../../../rules/egress/types';
import { countsIn } from '../../../ledger/occupied/shown-index';
import type { AddressShowing } from '../../../ports/addresses-in-use';
import type { EgressDoorParts } from './door-parts';
import type { EgressPlans } from './plans';

/** Addresses of one network: those that are never given, and those that come last. */
interface UsedSets {
  readonly occupied: PrefixSet;
  readonly avoided: PrefixSet;
  /** Addresses of objects of dataplanes that the door did not make, by their texts. */
  readonly foreign: ReadonlyMap<string, readonly ForeignEgress[]>;
}

/** The question what uses an address. */
interface UseQuestion {
  readonly network: string;
  readonly namespace?: string;
  readonly isRestoring?: boolean;
}

/** Addresses that the cluster uses without a claim of this door. */
export class InUse {
  readonly #parts: Pick<EgressDoorParts, 'known' | 'shown' | 'namespaces' | 'dataplanes' | 'cloud'>;
  readonly #plans: Pick<EgressPlans, 'plan'>;
  /** Addresses that namespaces list without holding them, by namespace. */
  readonly #listed = new Map<string, readonly Address[]>();
  /** By network. */
  readonly #sets = new Map<string, UsedSets>();

  /**
   * Starts with what is known by now.
   *
   * @param parts - record, namespaces, and what the cluster shows
   * @param plans - of the EgressIPAMs
   */
  constructor(
    parts: Pick<EgressDoorParts, 'known' | 'shown' | 'namespaces' | 'dataplanes' | 'cloud'>,
    plans: Pick<EgressPlans, 'plan'>,
  ) {
    this.#parts = parts;
    this.#plans = plans;
    for (const object of parts.namespaces.list()) this.lookAtList(object);
  }

  /** Looks at what the cluster shows again: something of it changed. */
  changed(): void {
    this.#sets.clear();
  }

  /**
   * Tells whether all that uses addresses of the cluster is known now.
   *
   * @returns false while something that tells of uses cannot be read; the cloud counts for its own CIDRs alone
   */
  isComplete(): boolean {
    return this.#problem() === undefined;
  }

  /**
   * Tells why it is not known what uses addresses of an EgressIPAM.
   *
   * @param plan - of the EgressIPAM
   * @returns undefined where everything is known
   */
  problemOf({ pools, cloud }: Pick<EgressPlan, 'pools' | 'cloud'>): string | undefined {
    const ofCluster = this.#problem();
    if (ofCluster !== undefined || cloud === 'none') return ofCluster;
    return this.#parts.cloud?.problemOf(pools.map(({ prefix }) => prefix));
  }

  /**
   * Looks at the list of a namespace again: it, or what the namespace holds, changed.
   *
   * @param object - the stored namespace
   */
  lookAtList(object: JsonMap): void {
    const name = textOf(metadataOf(object)['name']);
    const addresses = this.#unheldOf(object);
    if (sameAddresses(addresses, this.#listed.get(name) ?? [])) return;
    if (addresses.length === 0) this.#listed.delete(name);
    else this.#listed.set(name, addresses);
    this.#sets.clear();
  }

  /**
   * Forgets the list of a namespace that is gone.
   *
   * @param name - of the namespace
   */
  forget(name: string): void {
    if (this.#listed.delete(name)) this.#sets.clear();
  }

  /**
   * Tells what uses an address.
   *
   * @param address - any address
   * @param of - the question
   * @param of.network - of the EgressIPAM that would give it
   * @param of.namespace - that asks; an object of a dataplane that is about it alone is taken over
   * @param of.isRestoring - true: an address on the machine of a node is what the namespace has already
   * @returns in the words of users; undefined where nothing does
   */
  sourceAt(address: Address, { network, namespace, isRestoring = false }: UseQuestion): string | undefined {
    const shown = this.#parts.shown.at(address).find((showing) => occupies(showing, network))?.source;
    if (shown !== undefined) return shown;
    const foreign = this.#setsIn(network).foreign.get(address.toString()) ?? [];
    const other = foreign.find((each) => each.namespace === undefined || each.namespace !== namespace)?.source;
    return other ?? this.#inCloud(address, isRestoring);
  }

  /**
   * Tells whether something of an address or prefix is not in use.
   *
   * @param block - any one
   * @param network - of the EgressIPAM that would give it
   * @returns false where all of it is
   */
  isFreeIn(block: Prefix, network: string): boolean {
    return !this.#setsIn(network).occupied.containsPrefix(block);
  }

  /**
   * Gives the spaces to take an address from.
   *
   * @param pool - CIDR of an EgressIPAM
   * @param network - of the EgressIPAM
   * @returns spaces, each to be tried with its lowest free address; what others list or claim without holding it comes last
   */
  spacesOf({ usable }: Pick<EgressPool, 'usable'>, network: string): readonly PrefixSet[] {
    const { occupied, avoided } = this.#setsIn(network);
    const all = usable.subtract(occupied);
    return all.overlaps(avoided) ? [all.subtract(avoided), all] : [all];
  }

  /**
   * Counts the addresses of a CIDR that can be given now.
   *
   * @param pool - CIDR of an EgressIPAM
   * @param of - what has its addresses
   * @param of.network - of the EgressIPAM
   * @param of.held - addresses that have a claim
   * @returns the number
   */
  freeOf(
    { usable }: Pick<EgressPool, 'usable'>,
    { network, held }: { readonly network: string; readonly held: readonly Address[] },
  ): bigint {
    return usable
      .subtract(this.#setsIn(network).occupied)
      .subtract(PrefixSet.of(...held))
      .count();
  }

  #problem(): string | undefined {
    const { shown, dataplanes } = this.#parts;
    const unread = dataplanes
      .open()
      .flatMap(({ name, feeds }) =>
        feeds.flatMap((feed) => (feed.synced() ? [] : (feed.problem() ?? `the objects of ${name} are not listed yet`))),
      );
    return shown.problem() ?? unread[0];
  }

  #inCloud(address: Address, isRestoring: boolean): string | undefined {
    const uses = this.#parts.cloud?.foreign() ?? [];
    return uses.find(({ block, node }) => block.contains(address) && !(isRestoring && node !== undefined))?.source;
  }

  #unheldOf(object: JsonMap): readonly Address[] {
    const { name, list, egressIpam } = readNamespace(object);
    if (egressIpam === undefined || list.kind !== 'listed') return [];
    const network = this.#plans.plan(egressIpam)?.network ?? 'default';
    return list.addresses.filter((address) => {
      const holders = this.#parts.known.at({ network, address })?.holders ?? [];
      return !holders.some(({ owner }) => owner.name === name);
    });
  }

  #setsIn(network: string): UsedSets {
    const known = this.#sets.get(network);
    if (known !== undefined) return known;
    const { shown } = this.#parts;
    const [occupied, avoided] = [new PrefixSetBuilder(), new PrefixSetBuilder()];
    for (const { block, networks } of shown.blocks()) if (networks.includes(network)) occupied.add(block);
    for (const address of shown.addresses()) {
      const showings = shown.at(address);
      if (showings.some((showing) => occupies(showing, network))) occupied.add(address);
      else if (showings.some(({ kind }) => kind === 'externalIPs')) avoided.add(address);
    }
    const foreign = this.#foreignNow();
    for (const each of [...foreign.values()].flat()) occupied.add(each.address);
    for (const block of this.#cloudBlocks()) occupied.add(block);
    for (const address of [...this.#listed.values()].flat()) avoided.add(address);
    const sets = { occupied: occupied.build(), avoided: avoided.build(), foreign };
    this.#sets.set(network, sets);
    return sets;
  }

  #cloudBlocks(): readonly Prefix[] {
    return (this.#parts.cloud?.foreign() ?? []).map(({ block }) => block);
  }

  #foreignNow(): ReadonlyMap<string, readonly ForeignEgress[]> {
    const foreign = new Map<string, ForeignEgress[]>();
    for (const each of this.#parts.dataplanes.open().flatMap((dataplane) => dataplane.foreign()))
      listAt(foreign, each.address.toString()).push(each);
    return foreign;
  }
}

const occupies = (showing: AddressShowing, network: string): boolean =>
  showing.kind !== 'externalIPs' && countsIn(showing, network);
