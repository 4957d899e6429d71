import { MAX_CLAIM_TEXT, MAX_DECISIONS, MAX_WRITES, type TableDecision } from '../../contract/kinds/address-table';
import { refuse, type Outcome } from '../../errors/outcome';
import type { ClaimWrite } from './claim-write';
import { tableWrite } from './stored-table';

/** Most bytes of the decisions of one table as JSON. etcd takes 1.5 MiB in one request, of which the API server needs some itself. */
export const MAX_TABLE_BYTES = 1024 * 1024;
/** Most bytes of the writes of one decision, so that it fits into every table but a full one. */
const MAX_DECISION_BYTES = MAX_TABLE_BYTES / 2;

const bytesOf = (json: unknown): number => Buffer.byteLength(JSON.stringify(json));

/**
 * Takes as many writes from the front as one decision can hold.
 *
 * @param writes - of claims that a table can hold one by one
 * @returns at least one of them, unless there is none
 */
export function fittingWrites(writes: readonly ClaimWrite[]): readonly ClaimWrite[] {
  let [bytes, count] = [0, 0];
  for (const write of writes.slice(0, MAX_WRITES)) {
    bytes += bytesOf(tableWrite(write));
    if (count > 0 && bytes > MAX_DECISION_BYTES) break;
    count += 1;
  }
  return writes.slice(0, count);
}

/**
 * Counts the decisions that a table has room for.
 *
 * @param open - decisions that are in the table
 * @param made - decisions to add, in their order
 * @returns how many of those from the front fit; at least one where the table is empty
 */
export function fittingDecisions(open: readonly TableDecision[], made: readonly TableDecision[]): number {
  let bytes = open.reduce((sum, each) => sum + bytesOf(each), 0);
  let count = 0;
  for (const each of made.slice(0, Math.max(0, MAX_DECISIONS - open.length))) {
    bytes += bytesOf(each);
    if (bytes > MAX_TABLE_BYTES && open.length + count > 0) break;
    count += 1;
  }
  return count;
}

/**
 * Refuses a decision that no table can hold.
 *
 * @param writes - of the decision
 * @returns refusal `claim/invalid`; undefined for one that a table can hold
 */
export function tooLarge(writes: readonly ClaimWrite[]): Outcome<never> | undefined {
  const entries = writes.map(tableWrite);
  const texts = entries.flatMap(({ after = '', before = '' }) => [after, before]);
  const isSmall = texts.every(({ length }) => length <= MAX_CLAIM_TEXT);
  if (isSmall && writes.length <= MAX_WRITES && bytesOf(entries) <= MAX_DECISION_BYTES) return undefined;
  const most = `at most ${MAX_WRITES} claims of at most ${MAX_CLAIM_TEXT} characters each, ${MAX_DECISION_BYTES / 1024} KiB together`;
  return refuse(
    'claim/invalid',
    `one decision writes ${most}; take labels and annotations off, or ask for less at once`,
  );
}
