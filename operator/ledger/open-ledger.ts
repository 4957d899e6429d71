import type { Registry } from '../ports/registry';
import { contextOf, LocalAddressBook, type LedgerProps } from './local-address-book';
import { LocalRegistry } from './local-registry';

/** Both faces of one ledger. */
export interface Ledger {
  readonly book: LocalAddressBook;
  readonly registry: Registry;
}

/**
 * Builds the address book and the registry over one context, so that both take turns on an address and both tell the waiting ones
 * for a freed one.
 *
 * @param props - record, zones, hasher, clock and limits
 * @returns the two
 */
export function openLedger(props: LedgerProps): Ledger {
  const context = contextOf(props);
  return { book: new LocalAddressBook(props, context), registry: new LocalRegistry(context) };
}
