import { randomUUID } from 'node:crypto';

import type { Prefix } from '../../addressing/prefix';
import type { EntryDraft, EntryOwner } from '../../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import { accept, type Outcome } from '../../errors/outcome';
import type { AddressRecord, Holder } from '../../ports/claims';
import { present } from './claim-details';
import type { ClaimCodec, ClaimDraft } from './claim-codec';
import type { ClaimVerb, Decided } from './claim-verb';
import type { ClaimView } from './claim-view';
import { over, type ClaimWrite } from './claim-write';
import { newHolder } from './new-holder';
import { TableView } from './table-view';

/** Result of a decision that was carried out, or what it threw. */
export type Concluded<V> =
  { readonly as: 'answer'; readonly value: V } | { readonly as: 'thrown'; readonly thrown: unknown };

/** A decision about the table of one network. */
export interface TableCall<V> {
  readonly network: string;
  readonly decide: (table: NetworkTable) => TableVerdict<V>;
}

/**
 * Makes the verb that decides about the table of a network.
 *
 * @param codec - of the claims
 * @param call - network and decision
 * @returns decides the call; what the decision throws is its answer, so that it ends no other call
 */
export function tableVerb<V>(codec: ClaimCodec, call: TableCall<V>): ClaimVerb<Concluded<V>> {
  return {
    decide: (view, mark) => {
      try {
        return decided({ codec, view, mark, network: call.network }, ...read(view, call));
      } catch (thrown) {
        return { as: 'answer', value: { as: 'thrown', thrown } };
      }
    },
  };
}

// The verdict, and a claim that it saw and that is under way.
function read<V>(
  view: ClaimView,
  { network, decide }: TableCall<V>,
): readonly [verdict: TableVerdict<V>, restsOn: string | undefined] {
  let restsOn: string | undefined;
  const verdict = view.inSpace(network, (space) =>
    decide(
      new TableView({
        network,
        space,
        nowMs: view.nowMs,
        find: (wanted) => view.all(wanted),
        isUnderWay: (record) => view.underWay(record) !== undefined,
        seen: (record) => {
          restsOn ??= view.underWay(record);
        },
      }),
    ),
  );
  return [verdict, restsOn];
}

/** Parts of the writes of a decision. */
interface Writing {
  readonly codec: ClaimCodec;
  readonly view: ClaimView;
  readonly mark: string;
  readonly network: string;
}

function decided<V>(to: Writing, verdict: TableVerdict<V>, restsOn: string | undefined): Decided<Concluded<V>> {
  if (restsOn !== undefined) return { as: 'depends', name: restsOn };
  if (verdict.as === 'answer') return { as: 'answer', value: { as: 'answer', value: verdict.value } };
  return verdict.as === 'change' ? change(to, verdict) : refusal(to, verdict);
}

function refusal({ view, ...to }: Writing, verdict: TableVerdict<never> & { readonly as: 'refusal' }): Decided<never> {
  // a decision of this batch that cannot be carried out leaves more space than it seems
  const written = view.writtenSoon();
  if (written !== undefined) return { as: 'depends', name: written };
  const because = verdict.because.map((block) => nameOf(to, block));
  const leaving = because.find((name) => view.isLeaving(name));
  if (leaving !== undefined) return { as: 'depends', name: leaving };
  return { as: 'refusal', outcome: { ok: false, refusal: verdict.refusal }, because };
}

function nameOf({ codec, network }: Pick<Writing, 'codec' | 'network'>, { first, length }: Prefix): string {
  return codec.nameOf({ network, address: first, length });
}

function change<V>(to: Writing, verdict: TableVerdict<V> & { readonly as: 'change' }): Decided<Concluded<V>> {
  const { view } = to;
  // A space is written before what lies in it, and goes after that: a reader in between finds no entry without its parent.
  const put = [...verdict.put].sort((a, b) => a.block.length - b.block.length);
  const kept = new Set(put.map(({ block }) => nameOf(to, block)));
  const remove = [...verdict.remove]
    .sort((a, b) => b.length - a.length)
    .map((block) => nameOf(to, block))
    .filter((name) => !kept.has(name));
  const busy = [...kept, ...remove].find((name) => view.deciding(name) !== undefined);
  if (busy !== undefined) return { as: 'depends', name: busy };
  const writes: ClaimWrite[] = [];
  for (const draft of put) {
    const outcome = writeOf(to, draft);
    if (!outcome.ok) return { as: 'refusal', outcome, because: [] };
    writes.push(outcome.value);
  }
  for (const name of new Set(remove)) {
    const stored = view.stored(name);
    if (stored !== undefined) writes.push({ name, ...over(stored) });
  }
  const value = { as: 'answer', value: verdict.answer } as const;
  return writes.length === 0 ? { as: 'answer', value } : { as: 'writes', writes, answer: () => value };
}

function writeOf({ codec, view, mark, network }: Writing, draft: EntryDraft): Outcome<ClaimWrite> {
  const name = nameOf({ codec, network }, draft.block);
  const stored = view.stored(name);
  const claim = claimOf(draft, { network, nowMs: view.nowMs, before: stored?.record });
  const after = codec.write(claim, { decision: mark, ...present('before', stored?.object) });
  return after.ok ? accept({ name, after: after.value, ...over(stored) }) : after;
}

/** Claim that a draft goes over. */
interface Before {
  readonly network: string;
  readonly nowMs: number;
  readonly before: AddressRecord | undefined;
}

function claimOf(draft: EntryDraft, { network, nowMs, before }: Before): ClaimDraft {
  const { block, facts, labels, door } = draft;
  const [holder, user] = before?.holders ?? [];
  const isSame = before !== undefined && holder !== undefined && isSameObject(holder.owner, draft.owner);
  const users = draft.user === undefined ? [] : [holderOf(draft.user, user, nowMs)];
  return {
    network,
    address: block.first,
    length: block.length,
    family: block.family,
    pool: facts.parent ?? '',
    state: 'held',
    holders: [{ ...holderOf(draft.owner, holder, nowMs), ...present('key', draft.key) }, ...users],
    takenAtMs: isSame ? before.takenAtMs : nowMs,
    door,
    entry: facts,
    labels,
  };
}

function holderOf(owner: EntryOwner, before: Holder | undefined, nowMs: number): Holder {
  const isSame = before !== undefined && isSameObject(before.owner, owner);
  const since = isSame ? { id: before.id, sinceMs: before.sinceMs } : { id: randomUUID(), sinceMs: nowMs };
  return newHolder({ owner, state: 'bound' }, { ...since, nowMs });
}

const isSameObject = (a: EntryOwner, b: EntryOwner): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
