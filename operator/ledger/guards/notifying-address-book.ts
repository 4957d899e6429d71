import type { Outcome } from '../../errors/outcome';
import type { AddressBook, BindRequest, FreedAddress, Grant, ReserveRequest } from '../../ports/address-book';
import type { ClaimChange } from '../../ports/claims';
import { ForwardingAddressBook } from './forwarding-address-book';

/** Is told which address changed, and how. */
export type TellChange = (
  kind: ClaimChange['kind'],
  address: Pick<FreedAddress, 'network' | 'zone' | 'address'>,
) => void;

/** Tells what this process changes through a book whose record cannot be watched. Safe for parallel calls. */
export class NotifyingAddressBook extends ForwardingAddressBook {
  readonly #tell: TellChange;

  /**
   * Listens to a book.
   *
   * @param book - the one that answers
   * @param tell - is told each change, once it is durable
   */
  constructor(book: AddressBook, tell: TellChange) {
    super(book);
    this.#tell = tell;
  }

  /** @inheritdoc */
  override async reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    const grant = await this.book.reserve(request);
    if (grant.ok && grant.value.created) this.#tell('taken', grant.value);
    return grant;
  }

  /** @inheritdoc */
  override async bind(request: BindRequest): Promise<Outcome<Grant>> {
    const grant = await this.book.bind(request);
    if (grant.ok) this.#tell('changed', grant.value);
    return grant;
  }

  /** @inheritdoc */
  override async undo(grant: Grant & { readonly version?: number }): Promise<void> {
    await this.book.undo(grant);
    this.#tell('freed', grant);
  }

  // an address that ends tells its zone only here
  /** @inheritdoc */
  override onFreed(listener: (freed: FreedAddress) => void): () => void {
    return this.book.onFreed((freed) => {
      this.#tell('freed', freed);
      listener(freed);
    });
  }
}
