import type { ClaimStore } from './claim-store';

/**
 * What the rest of the operator reads of a record beside the address book: numbers, the claims of a zone, whether it serves. A
 * store of ours is one; a record that another operator keeps shows itself in this form, too.
 */
export type RecordView = Pick<ClaimStore, 'list' | 'tally' | 'watch' | 'usage' | 'clusters' | 'note' | 'ping'>;
