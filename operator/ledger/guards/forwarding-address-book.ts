import type { Address } from '../../addressing/address';
import type { Outcome } from '../../errors/outcome';
import type {
  AddressBook,
  BindRequest,
  CheckRequest,
  Claimant,
  Contests,
  ExchangeMove,
  FreedAddress,
  Grant,
  OwnedAddress,
  Preview,
  ReleaseByService,
  ReleaseByUid,
  ReserveRequest,
  RotateRequest,
  SweepCount,
  SweepRequest,
} from '../../ports/address-book';

/** Hands every call on to another book; a guard extends it and overrides what it guards. Safe for parallel calls where the book is. */
export class ForwardingAddressBook implements AddressBook {
  protected readonly book: AddressBook;

  /**
   * Stands before a book.
   *
   * @param book - the one that answers
   */
  constructor(book: AddressBook) {
    this.book = book;
  }

  /** @inheritdoc */
  get contests(): Contests | undefined {
    return this.book.contests;
  }

  // A guard of `reserve` guards this as well, so only one that knows of it hands it on.
  /** @inheritdoc */
  get reserveBoth(): AddressBook['reserveBoth'] {
    return undefined;
  }

  /**
   * Hands {@link reserveBoth} on under a condition.
   *
   * @param isOpen - whether {@link reserve} would hand a request on now
   * @returns the verb, which answers nothing while it would not; undefined where the book has none
   */
  protected bothWhile(isOpen: (request: ReserveRequest) => boolean | Promise<boolean>): AddressBook['reserveBoth'] {
    const { book } = this;
    if (book.reserveBoth === undefined) return undefined;
    return async (requests) => ((await isOpen(requests[0])) ? book.reserveBoth?.(requests) : undefined);
  }

  /** @inheritdoc */
  reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    return this.book.reserve(request);
  }

  /** @inheritdoc */
  preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>> {
    return this.book.preview(request, beside);
  }

  /** @inheritdoc */
  check(request: CheckRequest): Promise<Outcome<Grant>> {
    return this.book.check(request);
  }

  /** @inheritdoc */
  holdings(claimant: Claimant): Promise<readonly Grant[]> {
    return this.book.holdings(claimant);
  }

  /** @inheritdoc */
  undo(grant: Grant & { readonly version?: number }): Promise<void> {
    return this.book.undo(grant);
  }

  /** @inheritdoc */
  bind(request: BindRequest): Promise<Outcome<Grant>> {
    return this.book.bind(request);
  }

  /** @inheritdoc */
  exchange(moves: readonly ExchangeMove[]): Promise<Outcome<readonly Grant[]>> {
    return this.book.exchange(moves);
  }

  /** @inheritdoc */
  releaseByUid(request: ReleaseByUid): Promise<Outcome<{ released: readonly Address[] }>> {
    return this.book.releaseByUid(request);
  }

  /** @inheritdoc */
  releaseByService(request: ReleaseByService): Promise<Outcome<{ address: Address }>> {
    return this.book.releaseByService(request);
  }

  /** @inheritdoc */
  owners(clusterUid: string): Promise<readonly OwnedAddress[]> {
    return this.book.owners(clusterUid);
  }

  /** @inheritdoc */
  unbound(clusterUid: string): Promise<readonly OwnedAddress[]> {
    return this.book.unbound(clusterUid);
  }

  /** @inheritdoc */
  onFreed(listener: (freed: FreedAddress) => void): () => void {
    return this.book.onFreed(listener);
  }

  /** @inheritdoc */
  rotate(request: RotateRequest): Promise<Outcome<Grant>> {
    return this.book.rotate(request);
  }

  /** @inheritdoc */
  sweep(request: SweepRequest): Promise<SweepCount> {
    return this.book.sweep(request);
  }
}
