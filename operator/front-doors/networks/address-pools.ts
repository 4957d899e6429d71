import { familyBits, unusableReason, type Address } from '../../addressing/address';
import { hostPrefix, type Prefix } from '../../addressing/prefix';
import { blockOf } from '../../addressing/space-text';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO_GROUP, NETWORK_ANNOTATIONS } from '../../contract/nephio';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { isByIdentityOrName, recordsOf, refuseOfOtherPool } from '../../ledger/records/owner-records';
import type {
  AddressPoolProvider,
  ClaimedPool,
  OfferedPool,
  PoolGrant,
  PoolRequest,
} from '../../ports/address-pool-provider';
import type { AddressRecord, Owner } from '../../ports/claims';
import { decideAddress, gatewayOf, isFromSource, type AddressSource } from '../../rules/networks';
import type { Instance } from '../../rules/networks/types';
import { ListenerSet } from '../../runtime/listener-set';
import { adoptShown } from './adoption';
import type { NetworksContext } from './context';
import { API_VERSION, isDying, isPaused, KINDS, ownerOf, keyOf } from './objects';
import { instanceKeyOf, type StoredPrefix } from './prefix-index';
import { networksOf, rebind, release } from './record';

/** Where an address is given: the NetworkInstance, and what of it. */
interface Place {
  readonly instance: Instance;
  readonly source: AddressSource;
}

/** Codes of the rules by which the record has the place for another owner. */
const ON_RECORD = ['prefix/in-use', 'prefix/overlap'] as const;

/** Offers NetworkInstances and IPPrefixes as pools; what is given is an entry of the same table, as for an IPAllocation. */
export class NetworkPools implements AddressPoolProvider {
  readonly apiGroup = NEPHIO_GROUP;
  readonly kinds = [KINDS.instance, KINDS.prefix];
  readonly isNamespaced = true;
  readonly partAnnotation = NETWORK_ANNOTATIONS.networkName;
  readonly #context: NetworksContext;
  readonly #onChange = new ListenerSet<(pool: ClaimedPool) => boolean>();
  readonly #onFreed = new ListenerSet<Address>();

  /**
   * Offers what the controller knows.
   *
   * @param context - of the controller
   */
  constructor(context: NetworksContext) {
    this.#context = context;
  }

  /** @inheritdoc */
  pool(pool: ClaimedPool): OfferedPool | undefined {
    const object = this.#objectOf(pool);
    if (object === undefined) return undefined;
    const uid = textOf(metadataOf(object)['uid']);
    return { apiVersion: API_VERSION, uid, isPaused: isPaused(object), isDying: isDying(object) };
  }

  #objectOf({ kind, namespace, name }: ClaimedPool): JsonMap | undefined {
    const { instances, prefixes } = this.#context.parts;
    return (kind === KINDS.prefix ? prefixes : instances).get(namespace, name);
  }

  /** @inheritdoc */
  held(owner: Owner): readonly PoolGrant[] {
    const all = recordsOf(this.#context.parts.known, owner);
    return all.flatMap((record) => this.#grantsOf(record, (holder) => isByIdentityOrName(holder, owner)));
  }

  /** @inheritdoc */
  heldBy(kind: string): readonly PoolGrant[] {
    const records = this.#context.parts.known.find({ by: 'cluster', cluster: '' });
    return records.flatMap((record) => this.#grantsOf(record, (holder) => holder.kind === kind));
  }

  #grantsOf(record: AddressRecord, isMeant: (holder: Owner) => boolean): readonly PoolGrant[] {
    const [holder] = record.holders;
    if (record.door !== 'networks' || record.entry?.role !== 'allocation') return [];
    if (holder === undefined || !isMeant(holder.owner)) return [];
    return [this.#grant(record.network, blockOf(record), holder.owner)];
  }

  #grant(network: string, block: Prefix, owner: Owner): PoolGrant {
    const { first: address } = block;
    return this.#context.parts.tables.look(network, (table) => {
      const subnet = table.around(block).findLast(({ facts }) => facts?.role === 'subnet')?.block;
      const gateway = subnet === undefined ? undefined : gatewayOf(table, subnet);
      const prefixLength = subnet?.length ?? familyBits(address.family);
      return { address, owner, prefixLength, ...(gateway === undefined ? {} : { gateway }) };
    });
  }

  /** @inheritdoc */
  async take(pool: ClaimedPool, request: PoolRequest): Promise<Outcome<PoolGrant>> {
    const { owner, restored } = request;
    const held = this.held(owner);
    const mine = restored === undefined ? held[0] : held.find(({ address }) => address.equals(restored));
    if (mine !== undefined) return this.#keep(pool, mine, request);
    if (restored === undefined && !this.#context.giving.isOpen)
      return refuse('store/not-ready', 'existing holders are not all on record yet');
    const place = this.#placeOf(pool);
    if (!place.ok) return place;
    return restored === undefined
      ? this.#takeAny(pool, place.value, owner)
      : this.#takeExactly(place.value, owner, restored);
  }

  // An owner that was made anew under its name goes on with the address, unless it refers to another pool now.
  async #keep(pool: ClaimedPool, grant: PoolGrant, { owner, restored }: PoolRequest): Promise<Outcome<PoolGrant>> {
    if (owner.uid === undefined || grant.owner.uid === owner.uid) return accept(grant);
    const place = this.#placeOf(pool);
    // what an IPAddress shows stays, although its pool is gone or not accepted any more
    if (!place.ok) return restored === undefined ? place : this.#bind(grant, owner);
    const isShown = restored !== undefined;
    if (this.#isFrom(place.value, grant, isShown)) return this.#bind(grant, owner);
    return refuseOfOtherPool({ ...grant, from: this.#textAround(grant), pool: textOfPool(pool) });
  }

  #isFrom({ instance, source }: Place, { address, owner }: PoolGrant, isShown: boolean): boolean {
    const at = { instance, context: this.#context.contexts.contextOf(instance) };
    const held = { owner, source, address, isShown };
    return this.#context.parts.tables.look(instance.network, (table) => isFromSource(table, at, held));
  }

  #textAround({ address, owner }: PoolGrant): string {
    const { parts } = this.#context;
    const block = hostPrefix(address);
    const around = networksOf(parts, owner).map((network) =>
      parts.tables.look(network, (table) => (table.at(block) === undefined ? undefined : table.around(block).at(-1))),
    );
    return around.find((each) => each !== undefined)?.block.toString() ?? 'another pool';
  }

  async #bind(grant: PoolGrant, owner: Owner): Promise<Outcome<PoolGrant>> {
    const { parts } = this.#context;
    const to = this.#named(owner);
    for (const network of networksOf(parts, grant.owner)) await rebind(parts, network, { from: grant.owner, to });
    return accept({ ...grant, owner: to });
  }

  #named(owner: Owner): Owner {
    const { parts } = this.#context;
    const { namespaceUid } = ownerOf(parts, { of: 'allocation', ...owner, uid: owner.uid ?? '' });
    return { ...owner, namespaceUid };
  }

  #placeOf(pool: ClaimedPool): Outcome<Place> {
    const object = this.#objectOf(pool);
    if (object === undefined) return refuse('pool/not-ready', `${textOfPool(pool)} does not exist`);
    const of = pool.kind === KINDS.prefix ? 'prefix' : 'instance';
    const instanceName = of === 'prefix' ? textOf(mapOf(object['spec'])['networkInstance']) : pool.name;
    const instance = this.#context.instances.get(pool.namespace, instanceName);
    if (!instance.ok) return refuse('pool/not-ready', `${textOfPool(pool)}: ${instance.refusal.message}`);
    const source = of === 'prefix' ? this.#prefixSource(pool, object) : networkSource(pool, object);
    return source.ok ? accept({ instance: instance.value, source: source.value }) : source;
  }

  #prefixSource(pool: ClaimedPool, object: JsonMap): Outcome<AddressSource> {
    const stored = this.#context.prefixes.get(textOf(metadataOf(object)['uid']));
    if (stored?.isReadable !== true)
      return refuse('pool/not-ready', `${textOfPool(pool)} is not accepted, its conditions say why`);
    const { kind, block, networkName, range } = stored.request;
    if (kind === 'aggregate') {
      const message = `${textOfPool(pool)} is of kind aggregate, which gives no addresses; name one of kind network, loopback or pool`;
      return refuse('pool/not-ready', message);
    }
    const declaredBy = ownerOf(this.#context.parts, keyOf('prefix', object));
    return accept({ as: 'prefix', kind, declaredBy, block, networkName, isRange: range !== undefined });
  }

  async #takeAny(pool: ClaimedPool, place: Place, owner: Owner): Promise<Outcome<PoolGrant>> {
    const { instance } = place;
    if (instance.isDying)
      return refuse('pool/not-ready', `NetworkInstance ${instance.name} is being deleted and gives nothing new`);
    if (pool.kind === KINDS.prefix && this.#storedOf(pool)?.isClosed === true)
      return refuse('pool/not-ready', `${textOfPool(pool)} is drained or being deleted and gives nothing new`);
    if (!(await this.#context.instances.hold(instance))) return refuse('store/conflict', 'the NetworkInstance changed');
    await adoptShown(this.#context, instance);
    const taken = await this.#decide(place, owner);
    if (taken.ok || !['pool/exhausted', 'pool/not-ready'].includes(taken.refusal.code)) return taken;
    const isFull = taken.refusal.code === 'pool/exhausted';
    const message = isFull
      ? `no address is free in ${textOfPool(pool)}${pool.part === '' ? '' : ` (network ${pool.part})`}`
      : `${textOfPool(pool)} ${taken.refusal.message}`;
    return refuse(taken.refusal.code, message);
  }

  #storedOf({ namespace, name }: ClaimedPool): StoredPrefix | undefined {
    const { parts, prefixes } = this.#context;
    return prefixes.get(textOf(metadataOf(parts.prefixes.get(namespace, name))['uid']));
  }

  // The object that asks may be written by a tenant. Nodes are no obstacle: those of a management cluster have addresses of its claims.
  async #takeExactly(place: Place, owner: Owner, address: Address): Promise<Outcome<PoolGrant>> {
    const text = address.toString();
    const unusable = unusableReason(address);
    if (unusable !== undefined) return refuse('address/unusable', `${text} cannot be assigned (${unusable})`);
    const other = this.#context.contexts.contextOf(place.instance).heldOutside(address);
    if (other !== undefined) return refuse('address/held', `${other} has ${text}`);
    if (!(await this.#context.instances.hold(place.instance)))
      return refuse('store/conflict', 'the NetworkInstance changed');
    const taken = await this.#decide(place, owner, address);
    if (taken.ok) return taken;
    const { code, message } = taken.refusal;
    return ON_RECORD.some((each) => each === code) ? refuse('address/held', message) : taken;
  }

  async #decide({ instance, source }: Place, owner: Owner, restored?: Address): Promise<Outcome<PoolGrant>> {
    const { parts, contexts } = this.#context;
    const at = { instance, context: contexts.contextOf(instance) };
    const asked = { owner: this.#named(owner), source, ...(restored === undefined ? {} : { restored }) };
    const decided = await parts.tables.decide(instance.network, (table) => decideAddress(table, at, asked));
    return decided.ok ? accept(this.#grant(instance.network, decided.value.block, asked.owner)) : decided;
  }

  /** @inheritdoc */
  async release({ address, owner }: PoolGrant): Promise<void> {
    const { parts } = this.#context;
    await release(parts, owner, [hostPrefix(address)]);
  }

  /** @inheritdoc */
  beforeGiving(restore: () => Promise<void>): void {
    this.#context.giving.restorers.push(restore);
  }

  /** @inheritdoc */
  onChange(listener: (isMeant: (pool: ClaimedPool) => boolean) => void): () => void {
    return this.#onChange.add(listener);
  }

  /** @inheritdoc */
  onFreed(listener: (address: Address) => void): () => void {
    return this.#onFreed.add(listener);
  }

  /**
   * Tells that a block is on record no more.
   *
   * @param instance - `namespace/name`
   * @param block - free now
   */
  freed(instance: string, block: Prefix): void {
    if (block.hostCount === 1n) this.#onFreed.tell(block.first);
    this.#onChange.tell((pool) => this.#gives(pool, instance, block));
  }

  /**
   * Tells that pools of an instance changed.
   *
   * @param instance - `namespace/name`; any by default
   */
  changed(instance?: string): void {
    this.#onChange.tell((pool) => instance === undefined || this.#instanceOf(pool) === instance);
  }

  #gives(pool: ClaimedPool, instance: string, block: Prefix): boolean {
    if (this.#instanceOf(pool) !== instance) return false;
    return pool.kind === KINDS.instance || this.#storedOf(pool)?.request.block.containsPrefix(block) === true;
  }

  // That of an IPPrefix which does not exist any more is unknown, and its claims are looked at once more.
  #instanceOf(pool: ClaimedPool): string {
    const object = pool.kind === KINDS.prefix ? this.#objectOf(pool) : undefined;
    return object === undefined ? `${pool.namespace}/${pool.name}` : instanceKeyOf(object);
  }
}

const textOfPool = ({ kind, name }: ClaimedPool): string => `${kind} ${name}`;

function networkSource(pool: ClaimedPool, object: JsonMap): Outcome<AddressSource> {
  const key = NETWORK_ANNOTATIONS.networkName;
  const networkName = pool.part || textOf(mapOf(metadataOf(object)['annotations'])[key]);
  if (networkName !== '') return accept({ as: 'network', networkName });
  const message = `${textOfPool(pool)} has no default network; name one by the annotation ${key} of the claim or of the NetworkInstance`;
  return refuse('pool/not-ready', message);
}
