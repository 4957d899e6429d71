import type { JsonMap } from '../contract/loose-json';
import type { Outcome } from '../errors/outcome';

/** One row: what was meant, before it was done elsewhere. */
export interface IntentRow {
  /** 1 to 200 characters of `a-z`, `0-9`, `.` and `-`. */
  readonly id: string;
  /** Chosen by the writer; grows with each change of the row. */
  readonly version: number;
  /** JSON with secrets in it: never to be logged. */
  readonly body: JsonMap;
}

/** Told after each change that is durable; `row` is absent when it was removed. */
export type IntentListener = (id: string, row: IntentRow | undefined) => void;

/**
 * A small durable table that several processes write, guarded row by row. What the operator does in another system stands here
 * first, so that a process that dies in between leaves a trace of what it may have done.
 *
 * Safe for parallel calls. After `close()` every call throws `store/closed`.
 */
export interface IntentRows {
  /**
   * Writes a row in one piece.
   *
   * @param row - with its new version
   * @param before - version that the row must have now; absent: there must be none
   * @returns refusal `store/conflict` when another process was faster; then the copy behind `watch` is up to date
   * @throws IpamError `store/unavailable` when the place is away or full; the row may have been written then
   */
  put(row: IntentRow, before?: number): Promise<Outcome<void>>;
  /**
   * Removes a row in one piece. A row that is gone already is success.
   *
   * @param id - of the row
   * @param before - version that it must have now
   * @returns refusal `store/conflict` when it has another one
   */
  remove(id: string, before: number): Promise<Outcome<void>>;
  /**
   * Tells every row that is known, and then each change, of any process, in the order of the place. What this process wrote is
   * told before its call returns.
   *
   * @returns the function that stops it
   */
  watch(listener: IntentListener): () => void;
  /** Reason why the copy may be old; absent while all is well. */
  problem(): string | undefined;
  /** Ends watching. Idempotent. */
  close(): Promise<void>;
}
