import type { Address } from '../../addressing/address';
import type { ErrorCode } from '../../errors/catalogue';
import { refuse, type Outcome } from '../../errors/outcome';
import type {
  AddressBook,
  Claimant,
  Grant,
  Preview,
  ReleaseByService,
  ReserveRequest,
  RotateRequest,
} from '../../ports/address-book';
import type { Clock } from '../../ports/clock';
import { ForwardingAddressBook } from './forwarding-address-book';

/** Wrong secrets for one address that are answered at once. */
const FREE_TRIES = 10;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Without a wrong secret for so long, all is forgotten. */
const FORGET_MS = 600_000;
/** Most addresses that are kept in mind; the one that was tried longest ago goes first. */
const MOST_ADDRESSES = 10_000;

/** An address for which wrong secrets were shown. */
interface Tried {
  readonly times: number;
  readonly lastMs: number;
  readonly untilMs: number;
}

/** Claim for which a secret is shown. */
interface Shown {
  /** Object that goes on while it holds the address; absent: none does. */
  readonly claimant?: Claimant;
  readonly zone: string;
  readonly address: Address;
  /** True: no secret of the cluster's own, so an address that is held is one that the secret does not prove. */
  readonly isCustom?: boolean;
}

/**
 * Answers no guess of a secret for a while after wrong ones: the pause is one of the address and grows with each further wrong secret. An
 * object that holds the address goes on, but for rotations and releases over the IPAM-API, which anyone may send in its name. Each process
 * counts for itself.
 *
 * @param book - the record
 * @param clock - whose time counts
 * @returns the book for all that show secrets
 */
export function withPausedSecrets(book: AddressBook, clock: Pick<Clock, 'nowMs'>): AddressBook {
  return new PausedSecrets(book, clock);
}

class PausedSecrets extends ForwardingAddressBook {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #tried = new Map<string, Tried>();

  constructor(book: AddressBook, clock: Pick<Clock, 'nowMs'>) {
    super(book);
    this.#clock = clock;
  }

  override get reserveBoth(): AddressBook['reserveBoth'] {
    const { book } = this;
    if (book.reserveBoth === undefined) return undefined;
    return async (requests) =>
      requests.some((each) => this.#pauseOf(shownBy(each)) > 0) ? undefined : book.reserveBoth?.(requests);
  }

  override reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    return this.#guarded(shownBy(request), () => this.book.reserve(request));
  }

  override preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>> {
    return this.#guarded(shownBy(request), () => this.book.preview(request, beside));
  }

  override rotate(request: RotateRequest): Promise<Outcome<Grant>> {
    const { zone, address } = request;
    return this.#guarded({ zone, address }, () => this.book.rotate(request));
  }

  override releaseByService(request: ReleaseByService): Promise<Outcome<{ address: Address }>> {
    const { zone, address } = request;
    return this.#guarded({ zone, address }, () => this.book.releaseByService(request));
  }

  async #guarded<V>(shown: Shown | undefined, work: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
    if (shown === undefined) return work();
    const pauseMs = this.#pauseOf(shown);
    if (pauseMs > 0 && !(await this.#holds(shown))) return refusePaused(shown.address, pauseMs);
    const outcome = await work();
    if (!outcome.ok && isWrong(outcome.refusal.code, shown)) this.#note(shown);
    return outcome;
  }

  async #holds({ claimant, zone, address }: Shown): Promise<boolean> {
    return claimant !== undefined && (await this.book.check({ claimant, zone, address })).ok;
  }

  #pauseOf(shown: Shown | undefined): number {
    const tried = shown && this.#tried.get(keyOf(shown));
    return tried === undefined ? 0 : tried.untilMs - this.#clock.nowMs();
  }

  #note(shown: Shown): void {
    const key = keyOf(shown);
    const nowMs = this.#clock.nowMs();
    const before = this.#tried.get(key);
    const times = before === undefined || nowMs - before.lastMs >= FORGET_MS ? 1 : before.times + 1;
    const over = times - FREE_TRIES;
    const pauseMs = over < 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(over, 10));
    // a map keeps the order of its writes
    this.#tried.delete(key);
    this.#tried.set(key, { times, lastMs: nowMs, untilMs: nowMs + pauseMs });
    const [oldest] = this.#tried.keys();
    if (this.#tried.size > MOST_ADDRESSES && oldest !== undefined) this.#tried.delete(oldest);
  }
}

// Without an address no secret can be tried: the zone gives what the object has, or a free one.
function shownBy({ claimant, zone, wish, secret }: ReserveRequest): Shown | undefined {
  return wish === undefined ? undefined : { claimant, zone, address: wish, isCustom: secret.scope === 'shared' };
}

// An object that would share is told of the holder, and not that its secret is wrong.
function isWrong(code: ErrorCode, { isCustom = false }: Shown): boolean {
  return code === 'secret/wrong' || (isCustom && code === 'address/held');
}

function keyOf({ zone, address }: Shown): string {
  return `${zone} ${address.toString()}`;
}

function refusePaused(address: Address, pauseMs: number): Outcome<never> {
  const value = address.toString();
  const retryAfterSeconds = Math.ceil(pauseMs / 1_000);
  const message = `too many wrong secrets were shown for address "${value}"; try again in ${retryAfterSeconds} s`;
  return refuse('api/rate-limit', message, { value, retryAfterSeconds });
}
