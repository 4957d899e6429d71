import type { Address } from '../../operator/addressing/address';
import type { Prefix } from '../../operator/addressing/prefix';
import { prefixOf } from '../../operator/addressing/prefix';
import { PrefixSet, PrefixSetBuilder } from '../../operator/addressing/prefix-set';
import type { JsonMap } from '../../operator/contract/loose-json';
import { NEPHIO } from '../../operator/contract/nephio';
import type { EntryOwner, NetworkEntry } from '../../operator/contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../operator/contract/networks/table';
import type { Refusal } from '../../operator/errors/outcome';
import {
  decideAllocation,
  decidePrefix,
  decideRelease,
  PlannedTable,
  readAllocation,
  readInstance,
  readPrefix,
  viewOf,
} from '../../operator/rules/networks';
import { reservedIn } from '../../operator/rules/networks/reserved';
import type {
  Accepted,
  AllocationRequest,
  DeclaredRange,
  Granted,
  NamedObject,
  PrefixRequest,
  TableContext,
} from '../../operator/rules/networks/types';

type Labels = Readonly<Record<string, string>>;

/** An IPPrefix of the model, with what could be read of it. */
interface Declared {
  readonly request: PrefixRequest;
  readonly isClosed: boolean;
}

/** Labels of a selector of the instance. */
export const selectNi = (more: Labels = {}, instance = 'vpc-1'): JsonMap => ({
  selector: { matchLabels: { [NEPHIO.networkInstance]: instance, ...more } },
});

/** Spec of an address of a network. */
export const ofNetwork = (network: string, more: Labels = {}): JsonMap => ({
  kind: 'network',
  ...selectNi({ [NEPHIO.networkName]: network, ...more }),
});

/** Label that marks the gateway. */
export const GATEWAY: Labels = { [NEPHIO.gateway]: 'true' };

/** One NetworkInstance with its prefixes and allocations: objects are read, decided and carried out one at a time, without an API server. */
export class NetworksModel {
  readonly table = new PlannedTable();
  readonly declared = new Map<string, Declared>();
  /** Addresses in use without a claim, in words. */
  readonly occupied = new Map<string, string>();
  /** Space of other front doors. */
  stronger = PrefixSet.EMPTY;
  other: NamedObject | undefined;
  lastRefusal: Refusal | undefined;
  /** Every decision in order, to be made over another table as well. */
  readonly decisions: ((table: NetworkTable) => TableVerdict<unknown>)[] = [];
  readonly #sets = new Map<string, PrefixSet>();
  readonly #instance: JsonMap;

  constructor(metadata: JsonMap = {}) {
    this.#instance = { metadata: { namespace: 'default', name: 'vpc-1', uid: 'u-vpc-1', ...metadata } };
  }

  get at() {
    return { instance: readInstance(this.#instance), context: this.#context() };
  }

  // The same set stays the same object, as a door keeps it.
  #kept(name: string, set: PrefixSet): PrefixSet {
    const known = this.#sets.get(name);
    if (known?.equals(set) === true) return known;
    this.#sets.set(name, set);
    return set;
  }

  #of(block: Prefix): readonly Declared[] {
    return [...this.declared.values()].filter(({ request }) => request.block.equals(block));
  }

  #ranges(block: Prefix): readonly DeclaredRange[] {
    return this.#of(block).flatMap(({ request: { range, owner, labels, kind, networkName }, isClosed }) =>
      range === undefined
        ? []
        : [{ name: owner.name, uid: owner.uid ?? '', range, kind, networkName, labels, isClosed }],
    );
  }

  #excluded(block: Prefix): PrefixSet {
    const set = new PrefixSetBuilder().add(this.stronger);
    for (const { request } of this.#of(block)) set.add(request.excluded);
    for (const text of this.occupied.keys()) set.add(prefixOf(text));
    return this.#kept(`excluded ${block.toString()}`, set.build());
  }

  #never(entry: NetworkEntry): PrefixSet {
    const { block, facts } = entry;
    const set = new PrefixSetBuilder().add(this.#excluded(block));
    const { first } = facts?.role === 'subnet' ? reservedIn(block) : {};
    if (first !== undefined) set.add(first);
    for (const { range } of this.#ranges(block)) set.add(range);
    return this.#kept(`never ${block.toString()}`, set.build());
  }

  #isClosed({ block, facts, owner }: NetworkEntry): boolean {
    if (facts?.role !== 'subnet')
      return this.declared.get(owner.name)?.isClosed === true && facts?.role !== 'allocation';
    const all = this.#of(block).filter(({ request }) => request.range === undefined);
    return all.length > 0 && all.every(({ isClosed }) => isClosed);
  }

  #occupantOf(address: Address): string | undefined {
    return [...this.occupied].find(([text]) => prefixOf(text).contains(address))?.[1];
  }

  #usedBy(address: Address): string | undefined {
    return this.#occupantOf(address) ?? (this.stronger.contains(address) ? 'another front door' : undefined);
  }

  #context(): TableContext {
    return {
      isClosed: (entry) => this.#isClosed(entry),
      neverChosenIn: (entry) => this.#never(entry),
      excludedFrom: ({ block }) => this.#excluded(block),
      rangesOf: (block) => this.#ranges(block),
      usedBy: (address) => this.#usedBy(address),
      heldOutside: (address) => this.#usedBy(address),
      takenOutside: (address) => this.#occupantOf(address),
      otherInstance: () => this.other,
    };
  }

  #decided<V>(decide: (table: NetworkTable) => TableVerdict<V>): TableVerdict<V> {
    this.decisions.push(decide);
    return decide(this.table);
  }

  /** Carries a verdict out; the text of what was given, or the code of the refusal. */
  #carriedOut<V>(verdict: TableVerdict<V>, say: (value: V) => string): string {
    this.table.apply(verdict);
    if (verdict.as === 'refusal') return this.#refused(verdict.refusal);
    return say(verdict.as === 'change' ? verdict.answer : verdict.value);
  }

  #refused(refusal: Refusal): string {
    this.lastRefusal = refusal;
    return refusal.code;
  }

  /** Creates or changes an IPPrefix: its status.prefix, or the code of the refusal. */
  prefix(name: string, spec: JsonMap, labels: Labels = {}): string {
    const read = readPrefix(this.#object(name, { networkInstance: 'vpc-1', ...spec }, labels));
    if (!read.ok) return this.#refused(read.refusal);
    const before = this.declared.get(name);
    this.declared.set(name, { request: read.value, isClosed: spec['draining'] === true });
    const verdict = this.#decided((table) => decidePrefix(table, this.at, read.value));
    if (verdict.as !== 'refusal') return this.#carriedOut<Accepted>(verdict, ({ text }) => text);
    if (before === undefined) this.declared.delete(name);
    else this.declared.set(name, before);
    return this.#refused(verdict.refusal);
  }

  #object(name: string, spec: JsonMap, labels: Labels): JsonMap {
    return { metadata: { namespace: 'default', name, uid: `u-${name}`, labels }, spec };
  }

  /** Reads an IPAllocation. */
  request(name: string, spec: JsonMap, labels: Labels = {}): AllocationRequest {
    const read = readAllocation(this.#object(name, spec, labels));
    if (!read.ok) throw new RangeError(read.refusal.message);
    return read.value;
  }

  /** Creates or changes an IPAllocation: its status.prefix with the gateway, or the code of the refusal. */
  allocate(name: string, spec: JsonMap, labels: Labels = {}): string {
    const read = readAllocation(this.#object(name, spec, labels));
    return read.ok ? this.decide(read.value) : this.#refused(read.refusal);
  }

  decide(request: AllocationRequest): string {
    const verdict = this.#decided((table) => decideAllocation(table, this.at, request));
    return this.#carriedOut<Granted>(verdict, ({ text, gateway, superseded }) => {
      if (superseded.length > 0) this.release('IPAllocation', request.owner.name, superseded);
      return gateway === undefined ? text : `${text} gw ${gateway.toString()}`;
    });
  }

  owner(kind: string, name: string): EntryOwner {
    const apiVersion = 'ipam.nephio.org/v1alpha1';
    return { cluster: '', apiVersion, kind, namespace: 'default', namespaceUid: '', name, uid: `u-${name}` };
  }

  /** Deletes an object: empty where it goes, else who uses it. */
  release(kind: string, name: string, only?: readonly Prefix[]): readonly string[] {
    const owner = this.owner(kind, name);
    const verdict = this.table.apply(this.#decided((table) => decideRelease(table, owner, only)));
    if (verdict.as === 'refusal') throw new RangeError(verdict.refusal.message);
    const { users } = verdict.as === 'change' ? verdict.answer : verdict.value;
    if (kind === 'IPPrefix' && users.length === 0) this.declared.delete(name);
    return users.map((user) => `${user.kind} ${user.namespace}/${user.name}`);
  }

  /** Blocks of all entries. */
  blocks(): readonly string[] {
    return this.table.entries().map(({ block }) => block.toString());
  }

  /** Entries as the status of the instance shows them. */
  view(): Readonly<Record<string, Labels>> {
    return viewOf(this.table.entries(), this.at.instance);
  }
}

/** NI vpc-1 with the aggregate 10.0.0.0/8. */
export function f1(): NetworksModel {
  const model = new NetworksModel();
  model.prefix('agg0', { kind: 'aggregate', prefix: '10.0.0.0/8' });
  return model;
}

/** F1 with network net1, of which 10.0.1.1 is the gateway. */
export function f2(): NetworksModel {
  const model = f1();
  model.prefix('net1-p1', { network: 'net1', prefix: '10.0.1.1/24' }, GATEWAY);
  return model;
}

/** NI vpc-1 with the aggregate 2001:db8::/32 and network net6. */
export function f6(): NetworksModel {
  const model = new NetworksModel();
  model.prefix('agg6', { kind: 'aggregate', prefix: '2001:db8::/32' });
  model.prefix('net6-p1', { network: 'net6', prefix: '2001:db8:1:1::1/64' }, GATEWAY);
  return model;
}
