import { parsePrefix, type Prefix } from '../../addressing/prefix';
import type { EntryDraft, NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import { gatewayOf } from './gateway';
import { isWritten, type KnownEntry } from './owners';
import type { AllocationRequest, Granted } from './types';

/** Grant of a request, and the one that it had before. */
export interface Grant {
  readonly draft: EntryDraft;
  /** Text of the status; of the block by default. */
  readonly text?: string;
  /** Entries of the same request, of which all but the new one go later. */
  readonly held: readonly NetworkEntry[];
}

/**
 * Writes the entry of a request.
 *
 * @param request - as it was read
 * @param place - the block that is given, with the entry and the range that it is given from
 * @returns what is to be stored
 */
export function draftFor(
  request: AllocationRequest,
  {
    block,
    parent,
    range,
  }: { readonly block: Prefix; readonly parent?: NetworkEntry | undefined; readonly range?: string },
): EntryDraft {
  const { kind, labels, owner, door, key, digest } = request;
  const networkName = kind === 'network' ? parent?.facts?.networkName : undefined;
  return {
    block,
    labels,
    owner,
    door,
    ...(key === undefined ? {} : { key }),
    facts: {
      role: 'allocation',
      kind,
      request: digest,
      ...(networkName === undefined ? {} : { networkName }),
      ...(request.form === 'static' ? { isStatic: true } : {}),
      ...(parent === undefined ? {} : { parent: parent.block.toString() }),
      ...(range === undefined ? {} : { range }),
    },
  };
}

function parentBlock(table: NetworkTable, { block, facts }: Pick<EntryDraft, 'block' | 'facts'>): Prefix | undefined {
  const nearest = table.around(block).at(-1);
  if (nearest !== undefined) return nearest.block;
  const parsed = facts.parent === undefined ? undefined : parsePrefix(facts.parent);
  return parsed?.ok === true ? parsed.value : undefined;
}

/**
 * Tells what an entry gives to its holder or user.
 *
 * @param table - of the network
 * @param entry - stored, or as it is to be stored
 * @returns block, gateway and parent
 */
export function placeOf(
  table: NetworkTable,
  entry: Pick<EntryDraft, 'block' | 'facts'>,
): Pick<Granted, 'block' | 'gateway' | 'parent'> {
  const parent = parentBlock(table, entry);
  const gateway = entry.facts.kind === 'network' && parent !== undefined ? gatewayOf(table, parent) : undefined;
  return {
    block: entry.block,
    ...(gateway === undefined ? {} : { gateway }),
    ...(parent === undefined ? {} : { parent }),
  };
}

/**
 * Answers a request.
 *
 * @param table - of the network
 * @param answered - the entry as it is to be, and what the request had before
 * @returns the verdict, without a write where the entry is so already
 */
export function granted(table: NetworkTable, answered: Grant): TableVerdict<Granted> {
  const { draft, text, held } = answered;
  const answer: Granted = {
    ...placeOf(table, draft),
    text: text ?? draft.block.toString(),
    superseded: held.map(({ block }) => block).filter((block) => !block.equals(draft.block)),
  };
  const stored = table.at(draft.block);
  if (stored !== undefined && isWritten(stored, draft)) return { as: 'answer', value: answer };
  return { as: 'change', put: [draft], remove: [], answer };
}

/**
 * Answers a request with a recorded host, of which the IPPrefix stays the holder.
 *
 * @param table - of the network
 * @param host - entry of the host
 * @param asked - the request, and what it had before
 * @returns the verdict
 */
export function bound(
  table: NetworkTable,
  host: KnownEntry,
  { request, held }: { readonly request: AllocationRequest; readonly held: readonly NetworkEntry[] },
): TableVerdict<Granted> {
  const { block, labels, owner, door, facts } = host;
  const draft = { block, labels, owner, door, user: request.owner, facts: { ...facts, request: request.digest } };
  return granted(table, { draft, held });
}
