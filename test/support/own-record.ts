import type { LedgerRecord } from '../../operator/ledger/records/ledger-context';
import type { ForeignAddresses } from '../../operator/ports/foreign-addresses';
import type { OwnStore } from '../../operator/ports/store';

/**
 * Takes a store of ours as the record.
 *
 * @param store - keeps everything
 * @param foreign - an outside source beside it, if there is one
 * @returns the parts of the store that the ledger works with
 */
export function ownRecord(store: OwnStore, foreign?: ForeignAddresses): LedgerRecord {
  const revision = store.revision === undefined ? {} : { revision: { revision: store.revision.bind(store) } };
  const parts = { claims: store, exchanges: store, counts: store, history: store, reports: store, ...revision };
  return foreign === undefined ? parts : { ...parts, foreign };
}
