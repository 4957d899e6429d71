import { addressOf, type Address, type Family } from '../../operator/addressing/address';
import { PrefixSet, PrefixSetBuilder } from '../../operator/addressing/prefix-set';
import type { Range } from '../../operator/addressing/range';
import type { ForeignLoadBalancer } from '../../operator/contract/foreign-load-balancers';
import { readIpGroup } from '../../operator/contract/kinds/ip-group';
import { readService, type ServiceView } from '../../operator/contract/service';
import {
  conditionOf,
  decideService,
  ingressOf,
  outcomeOf,
  planGroups,
  readVipWish,
  spacesOf,
  termsOf,
} from '../../operator/rules/vips';
import type { GroupPlan } from '../../operator/rules/vips/plan-groups';
import { nameOf } from '../../operator/rules/vips/refusals';
import type { VipCondition } from '../../operator/rules/vips/say';
import type {
  AddressUse,
  HeldAddress,
  Offer,
  ServiceDecision,
  ServiceFacts,
  ServiceName,
  Sharer,
  VipGroup,
  VipView,
} from '../../operator/rules/vips/types';

/** A Service as a test describes it. */
export interface AskedService {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly isDying?: boolean;
}

/** A stored Service with its status. */
interface Stored {
  asked: AskedService;
  shown: readonly Address[];
  condition?: VipCondition;
  hasOldFinalizer: boolean;
  isHostNameShown: boolean;
  /** Writes of the status. */
  writes: number;
}

interface Entry {
  readonly group: string;
  readonly holders: readonly Sharer[];
}

const CLASS = 'paas.org/vip';

/** Services, IPGroups and IPs as plain lists: decisions are carried out one at a time, by stepping through addresses. */
export class VipsModel {
  groups: unknown[] = [];
  readonly record = new Map<string, Entry>();
  readonly quarantined = new Map<string, ServiceName>();
  readonly occupied = new Map<string, string>();
  /** Addresses that other Services show, whatever is on record. */
  readonly shownByOthers = new Set<string>();
  readonly namespaces = new Map<string, Readonly<Record<string, string>>>();
  readonly services = new Map<string, Stored>();
  families: readonly Family[] = [4, 6];
  stronger = PrefixSet.EMPTY;
  /** Load balancers whose annotations count. */
  foreign: readonly ForeignLoadBalancer[] = [];
  #planned?: { groups: readonly unknown[]; stronger: PrefixSet; plans: readonly GroupPlan[] } | undefined;

  constructor(groups: readonly unknown[] = []) {
    this.groups = [...groups];
  }

  /** Applies what the plans say until they say nothing more, as the controller of groups does. */
  plan(): readonly GroupPlan[] {
    const known = this.#planned;
    if (known?.groups === this.groups && known.stronger === this.stronger) return known.plans;
    const plans = this.#plan();
    // a change that is held back depends on what is held
    const { groups, stronger } = this;
    this.#planned = plans.every(({ group }) => group.readiness.ok) ? { groups, stronger, plans } : undefined;
    return plans;
  }

  #plan(): readonly GroupPlan[] {
    for (;;) {
      const plans = planGroups(this.groups, {
        strongerSpace: () => this.stronger,
        heldIn: (space) => this.#usesIn(space),
      });
      const due = plans.find(({ apply }) => apply !== undefined);
      if (due === undefined) return plans;
      this.groups = this.groups.map((value) =>
        readIpGroup(value)?.object.metadata.name === due.group.name
          ? { ...(value as object), status: { applied: due.apply } }
          : value,
      );
    }
  }

  group(name: string): VipGroup {
    const found = this.plan().find(({ group }) => group.name === name);
    if (found === undefined) throw new RangeError(`there is no group ${name}`);
    return found.group;
  }

  #usesIn(space: PrefixSet) {
    return [...this.record]
      .map(([text, { group, holders }]) => ({
        address: addressOf(text),
        group,
        holders: holders.map((each) => each.owner),
      }))
      .filter(({ address }) => space.contains(address));
  }

  /** Lists the uses of a group. */
  usesOf(name: string) {
    const everything = new PrefixSetBuilder();
    for (const text of this.record.keys()) everything.add(addressOf(text));
    return this.#usesIn(everything.build()).filter(({ group }) => group === name);
  }

  /** Stores a Service, or changes it, and has it decided. */
  put(asked: AskedService): this {
    const stored = this.services.get(keyOf(asked));
    if (stored === undefined)
      this.services.set(keyOf(asked), {
        asked,
        shown: [],
        hasOldFinalizer: false,
        isHostNameShown: false,
        writes: 0,
      });
    else stored.asked = asked;
    this.reconcile(keyOf(asked));
    return this;
  }

  /** Takes a Service away, and its entries with it. */
  delete(name: string): void {
    const key = `test/${name}`;
    const stored = this.services.get(key);
    if (stored === undefined) return;
    const service = viewOf(stored.asked);
    this.services.delete(key);
    for (const text of [...this.record.keys()]) this.#release(addressOf(text), service);
  }

  stored(name: string): Stored {
    const found = this.services.get(name.includes('/') ? name : `test/${name}`);
    if (found === undefined) throw new RangeError(`there is no Service ${name}`);
    return found;
  }

  ingress(name: string): readonly string[] {
    return this.stored(name).shown.map(String);
  }

  condition(name: string): VipCondition | undefined {
    return this.stored(name).condition;
  }

  /** Names of the Services that hold each address. */
  holders(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.record].map(([text, { holders }]) => [text, holders.map(({ owner }) => nameOf(owner)).join()]),
    );
  }

  view(service: ServiceView): VipView {
    return {
      groups: this.plan().map(({ group }) => group),
      families: this.families,
      namespaceLabels: (namespace) => this.namespaces.get(namespace) ?? {},
      useAt: (address) => this.#useAt(address),
      isShownByOthers: (address) => this.shownByOthers.has(address.toString()),
      sharedBy: (key) =>
        [...this.record]
          .filter(([, { holders }]) => holders.some(({ terms }) => terms?.key === key && key !== ''))
          .map(([text]) => addressOf(text))
          .filter((address) => !this.#isHeldBy(address, service))
          .sort((a, b) => a.compareTo(b)),
    };
  }

  #useAt(address: Address): AddressUse {
    const entry = this.record.get(address.toString());
    if (entry !== undefined) return { kind: 'held', holders: entry.holders };
    const source = this.occupied.get(address.toString());
    if (source !== undefined) return { kind: 'occupied', source };
    const former = this.quarantined.get(address.toString());
    return former === undefined ? { kind: 'free' } : { kind: 'quarantined', former };
  }

  #isHeldBy(address: Address, service: ServiceView): boolean {
    return (this.record.get(address.toString())?.holders ?? []).some((each) => this.#isOf(each, service));
  }

  // Of a Service that was made anew, or of the older operator's record.
  #isOf({ owner }: Sharer, { uid, namespace, name }: ServiceView): boolean {
    if (owner.uid === uid) return true;
    if (owner.namespace !== namespace || owner.name !== name) return false;
    return ![...this.services.values()].some(({ asked }) => uidOf(asked) === owner.uid);
  }

  facts(key: string): ServiceFacts {
    const stored = this.stored(key);
    const service = viewOf(stored.asked);
    const { shown, isHostNameShown, hasOldFinalizer } = stored;
    return {
      service,
      labels: stored.asked.labels ?? {},
      wish: readVipWish(service, this.foreign),
      held: [...this.record].flatMap(([text, entry]) => this.#heldBy(service, addressOf(text), entry)),
      shown,
      isHostNameShown,
      hasOldFinalizer,
      hasCondition: stored.condition !== undefined,
      isServed: stored.condition?.status === 'True',
      isContested: stored.condition?.reason === 'Conflict',
      isOurs: service.type === 'LoadBalancer' && service.loadBalancerClass === CLASS,
    };
  }

  #heldBy(service: ServiceView, address: Address, { group, holders }: Entry): readonly HeldAddress[] {
    const index = holders.findIndex((each) => this.#isOf(each, service));
    const mine = holders[index];
    if (mine === undefined) return [];
    const terms = mine.terms === undefined ? {} : { terms: mine.terms };
    return [
      { address, group, isBoundToUid: mine.owner.uid === service.uid, ...terms, earlier: holders.slice(0, index) },
    ];
  }

  decide(key: string): ServiceDecision {
    const facts = this.facts(key);
    return decideService(facts, this.view(facts.service));
  }

  /** Decides about a Service and carries it out. */
  reconcile(key: string): ServiceDecision {
    const decision = this.decide(key);
    if (decision.act === 'serve') this.#serve(key, decision);
    else this.#leave(key, decision);
    return decision;
  }

  /** Decides about all Services until nothing changes. */
  settle(): void {
    for (let round = 0; round < 5; round++) for (const key of this.services.keys()) this.reconcile(key);
  }

  #leave(key: string, decision: ServiceDecision & { act: 'leave' }): void {
    const stored = this.stored(key);
    if (decision.isIngressCleared) stored.shown = [];
    if (decision.isConditionCleared) delete stored.condition;
    if (decision.areFinalizersCleared) stored.hasOldFinalizer = false;
    for (const { address } of decision.release) this.#release(address, viewOf(stored.asked));
  }

  #serve(key: string, decision: ServiceDecision & { act: 'serve' }): void {
    const stored = this.stored(key);
    const facts = this.facts(key);
    for (const { address } of decision.rebind) this.#bind(address, facts);
    for (const offer of decision.restore) this.#try(offer, facts, 4);
    const filled = decision.slots.map(({ offers, family }) => {
      for (const offer of offers) {
        const got = this.#try(offer, facts, family);
        if (got !== undefined) return { address: got, group: offer.group };
      }
      return undefined;
    });
    const isHalf = decision.isAllOrNone && filled.includes(undefined);
    const given = isHalf ? filled.map(() => undefined) : filled;
    const outcome = outcomeOf(decision, given);
    const lost = isHalf ? filled.map((each) => each?.address) : [];
    const missing = decision.slots.flatMap(({ ifNone }, index) => (filled[index] === undefined ? [ifNone] : []));
    const told = isHalf ? { ...outcome, refusals: [...decision.notes, ...missing] } : outcome;
    this.#write(stored, ingressOf(facts, outcome.addresses), conditionOf(told));
    if (decision.areFinalizersCleared) stored.hasOldFinalizer = false;
    for (const address of [...outcome.release.map((each) => each.address), ...lost])
      if (address !== undefined) this.#release(address, facts.service);
  }

  #write(stored: Stored, shown: readonly Address[], condition: VipCondition): void {
    const before = JSON.stringify([stored.shown, stored.condition]);
    stored.shown = shown;
    stored.condition = condition;
    if (JSON.stringify([shown, condition]) !== before) stored.writes++;
  }

  #try(offer: Offer, facts: ServiceFacts, family: Family): Address | undefined {
    const address = offer.address ?? this.#lowest(offer.group, family);
    if (address === undefined) return undefined;
    const use = this.#useAt(address);
    if (offer.kind === 'take' && use.kind !== 'free' && use.kind !== 'quarantined') return undefined;
    this.quarantined.delete(address.toString());
    this.#bind(address, facts, offer.group);
    return address;
  }

  #lowest(name: string, family: Family): Address | undefined {
    const occupied = new PrefixSetBuilder();
    for (const text of this.occupied.keys()) occupied.add(addressOf(text));
    for (const space of spacesOf(this.group(name), { family, occupied: occupied.build() })) {
      const free = space.ranges().flatMap((range) => this.#firstFree(range) ?? [])[0];
      if (free !== undefined) return free;
    }
    return undefined;
  }

  #firstFree({ first, last }: Range): Address | undefined {
    let address: Address | undefined = first;
    while (address !== undefined && address.compareTo(last) <= 0 && this.#useAt(address).kind !== 'free')
      address = address.next();
    return address !== undefined && address.compareTo(last) <= 0 ? address : undefined;
  }

  #bind(address: Address, { service, wish }: ServiceFacts, group?: string): void {
    const entry = this.record.get(address.toString());
    const key = wish.ok ? wish.sharingKey : '';
    const { namespace, name, uid } = service;
    const mine: Sharer = {
      owner: { namespace, name, uid },
      ...(key === '' ? {} : { terms: termsOf(service, key) }),
    };
    const holders = entry?.holders ?? [];
    const index = holders.findIndex((each) => this.#isOf(each, service));
    this.record.set(address.toString(), {
      group: entry?.group ?? group ?? '',
      holders: index < 0 ? [...holders, mine] : holders.with(index, mine),
    });
  }

  #release(address: Address, service: ServiceView): void {
    const entry = this.record.get(address.toString());
    if (entry === undefined) return;
    const holders = entry.holders.filter((each) => !this.#isOf(each, service) && each.owner.uid !== service.uid);
    if (holders.length > 0) this.record.set(address.toString(), { ...entry, holders });
    else this.record.delete(address.toString());
  }
}

const keyOf = ({ namespace = 'test', name }: AskedService): string => `${namespace}/${name}`;

const uidOf = ({ name, namespace = 'test', uid }: AskedService): string => uid ?? `uid-${namespace}-${name}`;

function viewOf({
  name,
  namespace = 'test',
  uid = uidOf({ name, namespace }),
  annotations = {},
  spec = {},
  isDying = false,
}: AskedService): ServiceView {
  const view = readService({
    metadata: {
      name,
      namespace,
      annotations,
      uid,
      ...(isDying ? { deletionTimestamp: '2026-11-28T01:05:54Z' } : {}),
    },
    spec: { type: 'LoadBalancer', loadBalancerClass: CLASS, ports: [{ port: 80, protocol: 'TCP' }], ...spec },
  });
  if (view === undefined) throw new RangeError(`${name} is no Service`);
  return view;
}
