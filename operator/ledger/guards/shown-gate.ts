import type { Address } from '../../addressing/address';
import { sourceOf } from '../../contract/occupied-source';
import { SERVICE } from '../../contract/service-identity';
import { refuse, type Outcome } from '../../errors/outcome';
import type { AddressBook, Claimant, Grant, Preview, ReserveRequest } from '../../ports/address-book';
import type { Showing } from '../occupied/shown-index';
import { ForwardingAddressBook } from './forwarding-address-book';

/** Tells what of the own cluster shows an address in the network of a zone, the weightiest first. */
export type ShownHere = (address: Address, zone: string) => readonly Showing[];

/**
 * Keeps addresses that the own cluster shows from being taken out of a record that may know nothing of them: such a wish is refused, and
 * what the record gives all the same is given back.
 *
 * @param book - of any record
 * @param shownHere - what the cluster shows where the record may not have it
 * @returns the book for all that take
 */
export function withoutShown(book: AddressBook, shownHere: ShownHere): AddressBook {
  return new WithoutShown(book, shownHere);
}

class WithoutShown extends ForwardingAddressBook {
  readonly #shownHere: ShownHere;

  constructor(book: AddressBook, shownHere: ShownHere) {
    super(book);
    this.#shownHere = shownHere;
  }

  override async reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    const granted = await this.book.reserve(request);
    // what was held before stays, and what is in use for the object itself is no news
    if (!granted.ok || !granted.value.created || request.adopt !== undefined) return granted;
    const showing = this.#againstGrant(granted.value, request);
    if (showing === undefined) return granted;
    await this.book.undo(granted.value);
    return refused(request, granted.value, showing);
  }

  // What is in the way is told by the two calls that follow.
  override get reserveBoth(): AddressBook['reserveBoth'] {
    const { book } = this;
    if (book.reserveBoth === undefined) return undefined;
    return async (requests) => {
      const granted = await book.reserveBoth?.(requests);
      if (granted?.some((each) => this.#againstGrant(each, requests[0]) !== undefined) !== true) return granted;
      for (const each of granted) await book.undo(each);
      return undefined;
    };
  }

  override async preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>> {
    const found = await this.book.preview(request, beside);
    if (!found.ok || request.adopt !== undefined) return found;
    const { address, zone } = found.value;
    if (address === undefined) return found;
    const showing = this.#against({ address, zone }, request.claimant, []);
    if (showing === undefined) return found;
    const held = await this.book.holdings(request.claimant);
    return held.some((each) => each.address.equals(address)) ? found : refused(request, { address, zone }, showing);
  }

  #againstGrant(grant: Grant, { claimant }: Pick<ReserveRequest, 'claimant'>): Showing | undefined {
    return this.#against(grant, claimant, grant.sharedWith);
  }

  // Services of ours that share it show it as well.
  #against(
    { address, zone }: Pick<Grant, 'address' | 'zone'>,
    claimant: Claimant,
    sharedWith: readonly string[],
  ): Showing | undefined {
    const { namespace, service } = claimant;
    const own = sourceOf({ kind: SERVICE.kind, namespace, name: service.serviceName });
    return this.#shownHere(address, zone).find(
      ({ kind, source }) => kind !== 'externalIPs' && source !== own && (kind !== 'ingress' || sharedWith.length === 0),
    );
  }
}

function refused(
  { wish }: ReserveRequest,
  { address, zone }: Pick<Grant, 'address' | 'zone'>,
  { source, block }: Showing,
): Outcome<never> {
  const value = address.toString();
  const cure =
    wish === undefined
      ? `the record did not know that, so it was given back; where that lasts, exclude ${block?.toString() ?? 'it'} from zone "${zone}" where the claims are kept`
      : 'wish for another one';
  return refuse('address/held', `address "${value}" is in use by ${source} of this cluster; ${cure}`, { value });
}
