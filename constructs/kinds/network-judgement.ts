import { PrefixSet } from '../../operator/addressing/prefix-set';
import type { Prefix } from '../../operator/addressing/prefix';
import type { NetworkEntry } from '../../operator/contract/networks/entry';
import type { ErrorCode } from '../../operator/errors/catalogue';
import type { Refusal } from '../../operator/errors/outcome';
import { decideAllocation, decidePrefix, PlannedTable } from '../../operator/rules/networks';
import type {
  AllocationRequest,
  At,
  DeclaredRange,
  Instance,
  PrefixRequest,
  TableContext,
} from '../../operator/rules/networks/types';

/** A prefix, or an allocation, as it was read. */
type ReadRequest =
  | { readonly of: 'prefix'; readonly request: PrefixRequest }
  | { readonly of: 'allocation'; readonly request: AllocationRequest };

/** One object of an instance. */
export interface Judged<M> {
  readonly member: M;
  readonly read: ReadRequest;
}

const RANK = { aggregate: 0, pool: 1, loopback: 1, network: 2 } as const;
/** Problems that an object outside of the app may cure. */
const CURABLE: Readonly<Record<ReadRequest['of'], readonly ErrorCode[]>> = {
  prefix: ['prefix/no-network'],
  allocation: ['prefix/no-network', 'prefix/no-aggregate'],
};

// Outer prefixes before inner ones, and ranges behind what they are ranges of: the order in which an app declares them does not matter.
function orderOf({ read }: Judged<unknown>): readonly number[] {
  if (read.of === 'allocation') return [4, 0];
  const { kind, block, range } = read.request;
  return range === undefined ? [RANK[kind], block.length] : [3, block.length];
}

function inOrder(a: Judged<unknown>, b: Judged<unknown>): number {
  const [[rank = 0, length = 0], [otherRank = 0, otherLength = 0]] = [orderOf(a), orderOf(b)];
  return rank - otherRank || length - otherLength;
}

/** Facts of the objects of an app, beside the table. */
class PlannedContext implements TableContext {
  readonly #excluded: Pick<PrefixRequest, 'block' | 'excluded'>[] = [];
  readonly #ranges = new Map<string, DeclaredRange[]>();

  constructor(all: readonly Judged<unknown>[]) {
    for (const { read } of all) if (read.of === 'prefix') this.#add(read.request);
  }

  #add({ block, excluded, range, owner, labels, kind, networkName }: PrefixRequest): void {
    const key = block.toString();
    if (!excluded.isEmpty) this.#excluded.push({ block, excluded });
    if (range === undefined) return;
    const declared = { name: owner.name, uid: '', range, kind, networkName, labels, isClosed: false };
    this.#ranges.set(key, [...(this.#ranges.get(key) ?? []), declared]);
  }

  isClosed(): boolean {
    return false;
  }

  neverChosenIn(entry: NetworkEntry): PrefixSet {
    return this.excludedFrom(entry);
  }

  excludedFrom({ block }: NetworkEntry): PrefixSet {
    const around = this.#excluded.filter((each) => each.block.containsPrefix(block));
    return PrefixSet.of(...around.map(({ excluded }) => excluded)).intersect(PrefixSet.of(block));
  }

  rangesOf(block: Prefix): readonly DeclaredRange[] {
    return this.#ranges.get(block.toString()) ?? [];
  }

  usedBy(): undefined {
    return undefined;
  }

  heldOutside(): undefined {
    return undefined;
  }

  takenOutside(): undefined {
    return undefined;
  }

  otherInstance(): undefined {
    return undefined;
  }
}

/**
 * Judges the objects of one instance against each other, by the rules of the operator.
 *
 * @param instance - that they belong to
 * @param all - in the order of their declaration
 * @returns the refusals, each with the object that was refused; what an object outside of the app may cure is passed over
 */
export function judgeInstance<M>(instance: Instance, all: readonly Judged<M>[]): readonly (readonly [M, Refusal])[] {
  const table = new PlannedTable();
  const at: At = { instance, context: new PlannedContext(all) };
  return all.toSorted(inOrder).flatMap(({ member, read }): readonly (readonly [M, Refusal])[] => {
    const verdict = decide(table, at, read);
    if (verdict?.as !== 'refusal' || CURABLE[read.of].includes(verdict.refusal.code)) return [];
    return [[member, verdict.refusal]];
  });
}

// What is chosen is chosen by the operator.
function decide(table: PlannedTable, at: At, read: ReadRequest) {
  if (read.of === 'prefix') return table.apply<unknown>(decidePrefix(table, at, read.request));
  if (read.request.form === 'dynamic') return undefined;
  return table.apply<unknown>(decideAllocation(table, at, read.request));
}
