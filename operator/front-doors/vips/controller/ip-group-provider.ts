import { familyBits, unusableReason, type Address } from '../../../addressing/address';
import { PrefixSet } from '../../../addressing/prefix-set';
import { isPausedByKey } from '../../../contract/cluster-api';
import { IP_GROUP } from '../../../contract/kinds/ip-group';
import { selectorMatches } from '../../../contract/label-selector';
import { mapOf, metadataOf, textOf } from '../../../contract/loose-json';
import { IP_NETWORK } from '../../../contract/paas';
import { accept, refuse, type Outcome, type Refusal } from '../../../errors/outcome';
import { isByIdentityOrName, recordsOf, refuseOfOtherPool } from '../../../ledger/records/owner-records';
import type {
  AddressPoolProvider,
  ClaimedPool,
  OfferedPool,
  PoolGrant,
  PoolRequest,
} from '../../../ports/address-pool-provider';
import type { AddressRecord, Holder, Owner, Want } from '../../../ports/claims';
import type { GroupPlan } from '../../../rules/vips/plan-groups';
import { ListenerSet } from '../../../runtime/listener-set';
import { appliedSegments } from './applied-segments';
import type { VipsContext } from './context';
import { placeOf } from './record';
import { giveBack } from './take';
import { shownAt } from './vips-view';

/** Refusals that another writer causes, after which a second look decides. */
const OVERTAKEN = ['store/conflict', 'claim/not-found'] as const;

/** Refusals by which the record has an address for another owner. */
const ON_RECORD = ['address/held', 'address/quarantined'] as const;

/** Offers the groups of this door as pools; what is given is an IP, as for Services. */
export class IpGroupProvider implements AddressPoolProvider {
  readonly apiGroup = IP_GROUP.group;
  readonly kinds = [IP_GROUP.kind];
  readonly isNamespaced = false;
  readonly #context: VipsContext;
  readonly #listeners = new ListenerSet<(pool: ClaimedPool) => boolean>();
  readonly #onFreed = new ListenerSet<Address>();

  /**
   * Offers what the controller knows.
   *
   * @param context - of the controller
   */
  constructor(context: VipsContext) {
    this.#context = context;
  }

  /** @inheritdoc */
  pool({ name }: ClaimedPool): OfferedPool | undefined {
    const object = this.#context.parts.groups.get('', name);
    if (object === undefined) return undefined;
    const { uid, annotations, deletionTimestamp } = metadataOf(object);
    return {
      apiVersion: `${IP_GROUP.group}/${IP_GROUP.version}`,
      uid: textOf(uid),
      isPaused: isPausedByKey(mapOf(annotations)),
      isDying: deletionTimestamp !== undefined,
    };
  }

  /** @inheritdoc */
  held(owner: Owner): readonly PoolGrant[] {
    const all = recordsOf(this.#context.parts.known, owner);
    return all.flatMap((record) => this.#grantsOf(record, (each) => isOwner(each, owner)));
  }

  /** @inheritdoc */
  heldBy(kind: string): readonly PoolGrant[] {
    const records = this.#context.parts.known.find({ by: 'cluster', cluster: '' });
    return records.flatMap((record) => this.#grantsOf(record, ({ owner }) => owner.kind === kind));
  }

  #grantsOf(record: AddressRecord, isMeant: (holder: Holder) => boolean): readonly PoolGrant[] {
    if (record.network !== IP_NETWORK || record.state !== 'held') return [];
    return record.holders.filter(isMeant).map(({ owner }) => this.#grant(record.address, record.pool, owner));
  }

  #grant(address: Address, pool: string, owner: Owner): PoolGrant {
    const { groups, parts } = this.#context;
    const group = groups.plan(pool)?.group;
    const segments = group === undefined ? [] : appliedSegments(parts.groups.get('', pool), group);
    const segment = segments.find((each) => each.contains(address));
    return { address, owner, prefixLength: segment?.length ?? familyBits(address.family) };
  }

  /** @inheritdoc */
  async take({ name }: ClaimedPool, request: PoolRequest): Promise<Outcome<PoolGrant>> {
    const { owner, restored } = request;
    const held = this.held(owner);
    const mine = restored === undefined ? held[0] : held.find(({ address }) => address.equals(restored));
    if (mine !== undefined) return this.#keep(name, mine, request);
    if (restored !== undefined) return this.#takeExactly(name, owner, restored);
    if (!this.#context.isGiving) return refuse('store/not-ready', 'existing holders are not all on record yet');
    const plan = this.#context.groups.plan(name);
    const why = plan === undefined ? 'does not exist' : this.#whyNot(plan, owner);
    if (plan === undefined || why !== undefined) return refuse('pool/not-ready', `IPGroup ${name} ${why ?? ''}`);
    if (!(await this.#context.finalizers.add(name))) return refuse('store/conflict', `IPGroup ${name} changed`);
    return this.#takeLowest(plan, owner);
  }

  // An owner that was made anew under its name goes on with the address, unless it refers to another pool now.
  async #keep(pool: string, grant: PoolGrant, { owner, restored }: PoolRequest): Promise<Outcome<PoolGrant>> {
    if (owner.uid === undefined || grant.owner.uid === owner.uid) return accept(grant);
    const plan = this.#context.groups.plan(pool);
    if (plan === undefined && restored === undefined) return refuse('pool/not-ready', `IPGroup ${pool} does not exist`);
    if (plan === undefined || plan.group.segments.contains(grant.address)) return this.#bind(grant, owner);
    const former = this.#context.parts.known.at(placeOf(grant.address))?.pool ?? '';
    return refuseOfOtherPool({ ...grant, from: `IPGroup ${former}`, pool: `IPGroup ${pool}` });
  }

  async #bind(grant: PoolGrant, owner: Owner): Promise<Outcome<PoolGrant>> {
    const place = placeOf(grant.address);
    const record = this.#context.parts.known.at(place);
    const holder = record?.holders.find((each) => isOwner(each, owner));
    if (record === undefined || holder === undefined) return refuse('store/conflict', 'the record has changed');
    const { version } = record;
    const bound = { ...place, version, holderId: holder.id, holder: { owner, state: 'bound' as const } };
    const outcome = await this.#context.parts.claims.bind(bound);
    return outcome.ok ? accept({ ...grant, owner }) : told(outcome);
  }

  #whyNot({ group }: GroupPlan, { namespace }: Owner): string | undefined {
    const { readiness, namespaces, draining } = group;
    if (!readiness.ok && readiness.reason === 'InvalidGroup') return `cannot be used: ${readiness.message}`;
    if (!selectorMatches(namespaces, this.#labelsOf(namespace))) return notServed(namespace);
    return draining ? 'is draining and gives nothing new' : undefined;
  }

  #labelsOf(namespace: string): Readonly<Record<string, string>> {
    const object = this.#context.parts.namespaces.get('', namespace);
    return mapOf(metadataOf(object)['labels']) as Readonly<Record<string, string>>;
  }

  async #takeExactly(pool: string, owner: Owner, address: Address): Promise<Outcome<PoolGrant>> {
    const plan = this.#context.groups.plan(pool);
    if (plan === undefined) return refuse('pool/not-ready', `IPGroup ${pool} does not exist`);
    const why = this.#whyNotRestored(plan, owner, address);
    if (why !== undefined) return { ok: false, refusal: why };
    await this.#context.finalizers.add(pool);
    const record = this.#context.parts.known.at(placeOf(address));
    const former = record?.quarantine?.former;
    const isReturn = record !== undefined && former !== undefined && isOwner(former, owner);
    const over = isReturn ? { returningOver: record.version } : {};
    let isTold = false;
    try {
      const taken = await this.#take(pool, owner, { family: address.family, address, space: PrefixSet.EMPTY, ...over });
      isTold = taken.ok || ON_RECORD.some((each) => each === taken.refusal.code);
      return taken;
    } finally {
      if (!isTold) this.#context.inUse.keepUnrecorded(address);
    }
  }

  // The object that asks may be written by a tenant. Nodes are no obstacle: those of a management cluster have addresses of its claims.
  #whyNotRestored({ group }: GroupPlan, { namespace }: Owner, address: Address): Refusal | undefined {
    const { name, segments, excluded, namespaces } = group;
    const text = address.toString();
    const unusable = unusableReason(address);
    if (unusable !== undefined)
      return { code: 'address/unusable', message: `${text} cannot be assigned (${unusable})` };
    if (!segments.contains(address))
      return { code: 'address/outside-zone', message: `${text} lies in no segment of IPGroup ${name}` };
    if (excluded.contains(address))
      return { code: 'address/excluded', message: `${text} is one of the excludedIPs of IPGroup ${name}` };
    if (!selectorMatches(namespaces, this.#labelsOf(namespace)))
      return { code: 'pool/not-ready', message: `IPGroup ${name} ${notServed(namespace)}` };
    const { parts, groups } = this.#context;
    const [other] = shownAt(parts, groups, address).filter(({ kind }) => kind === 'ingress' || kind === 'claim');
    return other && { code: 'address/held', message: `${other.source} has ${text}` };
  }

  // A claim names no family, and its author expects one of them: that of the first segment.
  async #takeLowest({ group }: GroupPlan, owner: Owner): Promise<Outcome<PoolGrant>> {
    const { parts, inUse } = this.#context;
    const [first] = appliedSegments(parts.groups.get('', group.name), group);
    const family = first?.family ?? 4;
    const full = refuse('pool/exhausted', `no IPv${String(family)} address is free in IPGroup ${group.name}`);
    for (const space of inUse.spacesOf(group, family)) {
      const taken = await this.#take(group.name, owner, { family, space });
      if (taken.ok || taken.refusal.code !== 'pool/exhausted') return taken;
    }
    return full;
  }

  async #take(pool: string, owner: Owner, want: Want): Promise<Outcome<PoolGrant>> {
    const holder = { owner, state: 'bound' as const };
    const outcome = await this.#context.parts.claims.take({ network: IP_NETWORK, pool, wants: [want], holder });
    if (!outcome.ok) return told(outcome);
    const [taken] = outcome.value;
    if (taken === undefined) return refuse('store/conflict', 'nothing was taken');
    return accept(this.#grant(taken.record.address, pool, owner));
  }

  /** @inheritdoc */
  release({ address, owner }: PoolGrant): Promise<void> {
    const isMine = (holder: Holder): boolean =>
      isOwner(holder, owner) && (holder.owner.uid === undefined || holder.owner.uid === owner.uid);
    return giveBack(this.#context, address, isMine);
  }

  /** @inheritdoc */
  beforeGiving(restore: () => Promise<void>): void {
    this.#context.restorers.push(restore);
  }

  /** @inheritdoc */
  onChange(listener: (isMeant: (pool: ClaimedPool) => boolean) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** @inheritdoc */
  onFreed(listener: (address: Address) => void): () => void {
    return this.#onFreed.add(listener);
  }

  /**
   * Tells that an address is on record no more.
   *
   * @param address - of which the entry went
   */
  freed(address: Address): void {
    this.#onFreed.tell(address);
  }

  /**
   * Tells that a group changed, or that something of it is free.
   *
   * @param name - as the API server has it
   */
  changed(name: string): void {
    this.#listeners.tell((pool) => pool.name === name);
  }

  /** Tells that any group may have changed. */
  allChanged(): void {
    this.#listeners.tell(() => true);
  }
}

const notServed = (namespace: string): string => `does not serve the namespace ${namespace} (spec.namespaces)`;

const isOwner = ({ owner: recorded }: Holder, owner: Owner): boolean => isByIdentityOrName(recorded, owner);

// What only a second look ends, or why there is no address.
function told({ refusal }: { readonly refusal: Refusal }): Outcome<never> {
  const isOvertaken = OVERTAKEN.some((each) => each === refusal.code);
  return isOvertaken ? refuse('store/conflict', refusal.message) : { ok: false, refusal };
}
