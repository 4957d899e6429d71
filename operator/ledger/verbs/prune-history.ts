import type { LedgerContext } from '../records/ledger-context';

/** Spans that one statement deletes: it must not hold a store for long. */
const BATCH = 500;
/** Statements of one sweep; what is left goes with the next ones. */
const BATCHES = 100;

/**
 * Forgets what ended longer ago than the history shall reach back, and the oldest rows of namespaces that have too many.
 *
 * @param context - the ledger's parts
 */
export async function pruneHistory(context: LedgerContext): Promise<void> {
  const { historyMs: endedForMs, historyRowsPerNamespace: perNamespace, history } = context;
  if (history === undefined) return;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    if ((await history.prune({ endedForMs, perNamespace, limit: BATCH })) < BATCH) return;
  }
}
