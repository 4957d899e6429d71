/** Small decisions about a network table, for tests of the record: the rules of the door are not needed for these. */
import { addressOf } from '../../operator/addressing/address';
import { prefixOf, type Prefix } from '../../operator/addressing/prefix';
import { PrefixSet, PrefixSetBuilder } from '../../operator/addressing/prefix-set';
import type { EntryDraft, EntryFacts, EntryOwner, NetworkEntry } from '../../operator/contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../operator/contract/networks/table';
import type { Outcome, Refusal } from '../../operator/errors/outcome';

/** A block as text: an address stands for itself. */
export const blockOfText = (text: string): Prefix =>
  prefixOf(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);

/** An IPAllocation of namespace `a`. */
export const allocation = (name: string, uid = `uid of ${name}`): EntryOwner => ({
  cluster: 'c1',
  apiVersion: 'ipam.nephio.org/v1alpha1',
  kind: 'IPAllocation',
  namespace: 'a',
  namespaceUid: 'ns-a',
  name,
  uid,
});

/** An IPPrefix of namespace `a`. */
export const ipPrefix = (name: string): EntryOwner => ({ ...allocation(name), kind: 'IPPrefix' });

/** A draft of one block. */
export function draftOf(block: string, owner: EntryOwner, facts: EntryFacts): EntryDraft {
  return { block: blockOfText(block), facts, labels: {}, owner, door: 'networks' };
}

/** A declared pool. */
export const poolOf = (block: string, name = 'pool'): EntryDraft =>
  draftOf(block, ipPrefix(name), { role: 'prefix', kind: 'pool' });

/** A subnet of network `net1`. */
export const subnetOf = (block: string, owner = 'ni'): EntryDraft =>
  draftOf(
    block,
    { ...allocation(owner), kind: 'NetworkInstance' },
    { role: 'subnet', kind: 'network', networkName: 'net1' },
  );

/** Puts and removes without a question. */
export const writing =
  (put: readonly EntryDraft[], remove: readonly string[] = []) =>
  (): TableVerdict<string> => ({ as: 'change', put, remove: remove.map(blockOfText), answer: 'done' });

/** Refusal of these decisions. */
export const FULL: Refusal = { code: 'pool/exhausted', message: 'nothing is free' };
/** Refusal of a wish for space that another entry has. */
const HELD: Refusal = { code: 'address/held', message: 'another entry is there' };

/** A request for space. */
export interface Request {
  readonly parent: string;
  readonly length?: number;
  readonly without?: PrefixSet;
  readonly skip?: string;
  readonly kind?: 'network' | 'pool';
}

/** Gives an owner space inside of a parent, once. */
export function giving(owner: EntryOwner, { parent, length, without = PrefixSet.EMPTY, skip, kind = 'pool' }: Request) {
  return (table: NetworkTable): TableVerdict<string> => {
    const [mine] = table.ofOwner(owner);
    if (mine !== undefined) return { as: 'answer', value: mine.block.toString() };
    const from = table.at(blockOfText(parent));
    const wanted = length ?? (blockOfText(parent).family === 4 ? 32 : 128);
    if (from === undefined || from.facts?.role === 'allocation' || wanted <= from.block.length) {
      return { as: 'refusal', refusal: FULL, because: [blockOfText(parent)] };
    }
    const passed = skip === undefined ? {} : { skip: addressOf(skip) };
    const block = table.bestFit(from.block, { length: wanted, without, ...passed });
    if (block === undefined) return { as: 'refusal', refusal: FULL, because: [from.block] };
    const facts: EntryFacts = { role: 'allocation', kind, parent: from.block.toString() };
    return { as: 'change', put: [draftOf(block.toString(), owner, facts)], remove: [], answer: block.toString() };
  };
}

/** Gives an owner a block unless it overlaps another entry than a prefix around it. */
export function wishing(owner: EntryOwner, text: string) {
  return (table: NetworkTable): TableVerdict<string> => {
    const block = blockOfText(text);
    const inTheWay: NetworkEntry[] = table.around(block).filter(({ facts }) => facts?.role !== 'prefix');
    const there = table.at(block);
    if (there !== undefined) inTheWay.push(there);
    table.eachInside(block, (entry) => inTheWay.push(entry) < 0);
    const [first] = inTheWay;
    if (first?.owner.name === owner.name) return { as: 'answer', value: text };
    if (first !== undefined) return { as: 'refusal', refusal: HELD, because: [first.block] };
    const facts: EntryFacts = { role: 'allocation', kind: 'pool', isStatic: true };
    return { as: 'change', put: [draftOf(text, owner, facts)], remove: [], answer: text };
  };
}

/** Takes away what an owner has. */
export function leaving(owner: EntryOwner) {
  return (table: NetworkTable): TableVerdict<number> => {
    const remove = table.ofOwner(owner).map(({ block }) => block);
    return { as: 'change', put: [], remove, answer: remove.length };
  };
}

/** Answers of outcomes in their order: the value, or the code of the refusal. */
export const answersOf = (outcomes: readonly Outcome<unknown>[]): readonly unknown[] =>
  outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.refusal.code));

/** A set of single addresses and prefixes. */
export function setOfTexts(...blocks: string[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const block of blocks) builder.add(blockOfText(block));
  return builder.build();
}

/** Blocks of entries as text. */
export const blocksOf = (entries: readonly NetworkEntry[]): readonly string[] =>
  entries.map(({ block }) => block.toString());
