import { addressFromBigInt, type Address } from '../../operator/addressing/address';
import { PrefixSet } from '../../operator/addressing/prefix-set';
import { EGRESS_KEYS } from '../../operator/contract/egress';
import { compareAge } from '../../operator/rules/by-age';
import { decideNamespace, outcomeOf, planEgress, readNamespace } from '../../operator/rules/egress';
import type {
  EgressOffer,
  EgressPlan,
  EgressPool,
  EgressProblem,
  EgressUse,
  EgressView,
  HeldEgress,
  NamespaceDecision,
} from '../../operator/rules/egress/types';
import { egressIpamObject, egressSpec } from './egress-kind-samples';

/** A namespace as a test describes it. */
export interface StoredNamespace {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  isDying: boolean;
  labels: Readonly<Record<string, string>>;
  readonly annotations: Map<string, string>;
  /** Writes of the annotation. */
  writes: number;
}

interface Claim {
  readonly network: string;
  readonly egressIpam: string;
  readonly address: Address;
  readonly namespace: string;
  readonly uid: string;
  readonly isQuarantined: boolean;
}

/** Carries decisions about namespaces out on a record that is a list, one namespace after the other. */
export class EgressModel {
  readonly namespaces = new Map<string, StoredNamespace>();
  readonly objects = new Map<string, object>();
  readonly occupied = new Map<string, string>();
  readonly problems = new Map<string, EgressProblem>();
  claims: readonly Claim[] = [];
  stronger = PrefixSet.EMPTY;
  isComplete = true;
  #made = 0;

  /** Stores an EgressIPAM. */
  ipam(name: string, spec: object, metadata: object = {}): void {
    const creationTimestamp = `2026-01-01T00:00:${String(this.objects.size).padStart(2, '0')}Z`;
    this.objects.set(name, egressIpamObject(name, spec, { creationTimestamp, ...metadata }));
  }

  /** Stores a namespace; `list` absent: without the annotation. */
  namespace(name: string, egressIpam?: string, list?: string): StoredNamespace {
    const number = String(this.#made++).padStart(5, '0');
    const made: StoredNamespace = {
      name,
      uid: `u-${number}`,
      createdAt: `2026-02-01T00:00:00.${number}Z`,
      isDying: false,
      labels: {},
      annotations: new Map<string, string>(),
      writes: 0,
    };
    this.namespaces.set(name, made);
    if (egressIpam !== undefined) made.annotations.set(EGRESS_KEYS.egressIpam, egressIpam);
    if (list !== undefined) made.annotations.set(EGRESS_KEYS.addresses, list);
    return made;
  }

  /** Changes both annotations of a namespace; undefined takes one off. */
  annotate(name: string, egressIpam: string | undefined, list: string | undefined): void {
    const annotations = this.namespaces.get(name)?.annotations;
    for (const [key, value] of [
      [EGRESS_KEYS.egressIpam, egressIpam],
      [EGRESS_KEYS.addresses, list],
    ] as const) {
      if (value === undefined) annotations?.delete(key);
      else annotations?.set(key, value);
    }
  }

  /** Deletes a namespace; its claims go with it. */
  gone(name: string): void {
    this.namespaces.delete(name);
    this.claims = this.claims.filter(({ namespace }) => namespace !== name);
  }

  /** Deletes an EgressIPAM as the finalizer does: once its namespaces have let go. */
  goneIpam(name: string): void {
    const object = this.objects.get(name) as { readonly metadata: object } | undefined;
    if (object === undefined) return;
    this.objects.set(name, { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-03-01T00:00:00Z' } });
    this.settle();
    this.objects.delete(name);
  }

  /** Ends every quarantine. */
  later(): void {
    this.claims = this.claims.filter(({ isQuarantined }) => !isQuarantined);
  }

  /** Annotation of a namespace; undefined where it has none. */
  list(name: string): string | undefined {
    return this.namespaces.get(name)?.annotations.get(EGRESS_KEYS.addresses);
  }

  /** Reason why a namespace is not served. */
  reason(name: string): string | undefined {
    return this.problems.get(name)?.reason;
  }

  /** Addresses that a namespace holds by the record. */
  held(name: string): readonly string[] {
    return this.claims
      .filter(({ namespace, isQuarantined }) => namespace === name && !isQuarantined)
      .map(({ address }) => address.toString());
  }

  plans(): readonly EgressPlan[] {
    return planEgress([...this.objects.values()], () => this.stronger);
  }

  /** Reconciles every namespace, the oldest first. */
  settle(): void {
    for (const { name } of [...this.namespaces.values()].sort(compareAge)) this.reconcile(name);
  }

  /** Reconciles one namespace. */
  reconcile(name: string): void {
    const stored = this.namespaces.get(name);
    if (stored === undefined) return;
    const namespace = readNamespace({
      metadata: {
        name,
        uid: stored.uid,
        creationTimestamp: stored.createdAt,
        labels: stored.labels,
        annotations: Object.fromEntries(stored.annotations),
        ...(stored.isDying ? { deletionTimestamp: 'now' } : {}),
      },
    });
    const plans = this.plans();
    const plan = plans.find((each) => each.name === namespace.egressIpam);
    const facts = { namespace, held: this.#heldBy(stored) };
    const decision = decideNamespace(facts, this.#viewOf(stored, plans));
    this.#rebind(decision.rebind, stored);
    const filled = plan === undefined ? [] : this.#fill(decision, { stored, plan });
    const outcome = outcomeOf(facts, decision, { filled, plan });
    if (outcome.problem === undefined) this.problems.delete(name);
    else this.problems.set(name, outcome.problem);
    if (outcome.list !== undefined) this.#write(stored, outcome.list);
    for (const each of outcome.release) this.#release(each, plans);
  }

  #write(stored: StoredNamespace, list: string): void {
    stored.writes++;
    if (list === '') stored.annotations.delete(EGRESS_KEYS.addresses);
    else stored.annotations.set(EGRESS_KEYS.addresses, list);
  }

  #heldBy({ name, uid }: StoredNamespace): readonly HeldEgress[] {
    return this.claims
      .filter(({ namespace, isQuarantined }) => namespace === name && !isQuarantined)
      .map(({ address, network, egressIpam, uid: of }) => ({ address, network, egressIpam, isBoundToUid: of === uid }));
  }

  #viewOf({ name }: StoredNamespace, plans: readonly EgressPlan[]): EgressView {
    return {
      plan: (of) => plans.find((each) => each.name === of),
      usesProblem: () => (this.isComplete ? undefined : 'a source cannot be read'),
      useAt: (network, address) => this.#useAt(name, network, address),
      formerOf: (network) =>
        this.claims
          .filter((each) => each.network === network && each.namespace === name && each.isQuarantined)
          .map(({ address }) => address),
    };
  }

  #useAt(name: string, network: string, address: Address): EgressUse {
    const claim = this.claims.find((each) => each.network === network && each.address.equals(address));
    const source = this.occupied.get(address.toString());
    if (claim !== undefined && !claim.isQuarantined) return { kind: 'held', holder: `Namespace ${claim.namespace}` };
    if (source !== undefined) return { kind: 'occupied', source };
    return claim === undefined ? { kind: 'free' } : { kind: 'quarantined', isFormer: claim.namespace === name };
  }

  #rebind(rebind: readonly HeldEgress[], { uid }: StoredNamespace): void {
    const isOne = (claim: Claim): boolean => rebind.some(({ address }) => address.equals(claim.address));
    this.claims = this.claims.map((claim) => (isOne(claim) ? { ...claim, uid } : claim));
  }

  #fill(
    { slots }: NamespaceDecision,
    of: { readonly stored: StoredNamespace; readonly plan: EgressPlan },
  ): readonly (Address | undefined)[] {
    const before = this.claims;
    const filled = slots.map(({ pool, offers, moves }) => {
      if (moves !== undefined) this.claims = this.claims.filter(({ address }) => !address.equals(moves.address));
      for (const offer of offers) {
        const address = this.#take(pool, offer, of);
        if (address !== undefined) return address;
      }
      return undefined;
    });
    if (filled.includes(undefined)) this.claims = before;
    return filled;
  }

  // Found by walking over every address, unlike the product.
  #take(
    pool: EgressPool,
    offer: EgressOffer,
    { stored, plan }: { readonly stored: StoredNamespace; readonly plan: EgressPlan },
  ): Address | undefined {
    const wanted = offer.address === undefined ? allOf(pool) : [offer.address];
    const address = wanted.find((each) => {
      const use = this.#useAt(stored.name, plan.network, each);
      return use.kind === 'free' || (use.kind === 'quarantined' && use.isFormer && offer.isReturn === true);
    });
    if (address === undefined) return undefined;
    const { name: namespace, uid } = stored;
    this.claims = [
      ...this.claims.filter((each) => each.network !== plan.network || !each.address.equals(address)),
      { network: plan.network, egressIpam: plan.name, address, namespace, uid, isQuarantined: false },
    ];
    return address;
  }

  #release(held: HeldEgress, plans: readonly EgressPlan[]): void {
    const quarantineMs = plans.find(({ name }) => name === held.egressIpam)?.quarantineMs ?? 0;
    const isOne = ({ network, address }: Claim): boolean => network === held.network && address.equals(held.address);
    this.claims =
      quarantineMs === 0
        ? this.claims.filter((each) => !isOne(each))
        : this.claims.map((each) => (isOne(each) ? { ...each, isQuarantined: true } : each));
  }
}

/** Every address of a small pool that can be given, the lowest first. */
function allOf({ usable }: EgressPool): readonly Address[] {
  return usable.ranges().flatMap(({ first, count }) => {
    const from = first.toBigInt();
    return Array.from({ length: Number(count) }, (_, index) => addressFromBigInt(first.family, from + BigInt(index)));
  });
}

/** One CIDR of an EgressIPAM. */
export const entry = (CIDR: string, more: object = {}): object => ({ CIDR, labelValue: 'true', ...more });

/** A model with one EgressIPAM `bm` of these CIDRs. */
export function modelWith(...entries: readonly object[]): EgressModel {
  const model = new EgressModel();
  model.ipam('bm', egressSpec(...entries));
  return model;
}

/** Makes namespaces that opt in to `bm`, and serves all. */
export function served(model: EgressModel, ...names: readonly string[]): EgressModel {
  for (const name of names) model.namespace(name, 'bm');
  model.settle();
  return model;
}
