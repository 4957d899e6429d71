import { IpamError } from '../errors/ipam-error';
import { refuse, type Outcome } from '../errors/outcome';
import { ForwardingAddressBook } from '../ledger/guards/forwarding-address-book';
import type {
  AddressBook,
  BindRequest,
  Contests,
  Grant,
  Preview,
  ReleaseByUid,
  ReserveRequest,
  RotateRequest,
  SweepCount,
  SweepRequest,
} from '../ports/address-book';

const STILL_LOOKING = 'still checking whether another cluster uses this identity; retry in a few seconds';

/** Knowledge of other clusters with the identity of this one. */
export interface IdentityGuard {
  /** Identity of this cluster. */
  clusterUid(): Promise<string>;
  /** Where another operator with this identity runs; undefined while none is known to have it. */
  stranger(): string | undefined;
  /** Whether another cluster may be there of which nothing is known yet; only at the start of a process. */
  suspects(): Promise<boolean>;
  /** Whether it is sure that no other cluster has it. */
  alone(): boolean;
}

/** Why something is not done now. */
interface Objection {
  readonly code: 'cluster/identity-shared' | 'store/unavailable';
  readonly message: string;
}

/**
 * Puts a book behind a guard. While another cluster goes by the identity of this one, nothing of the cluster is given, bound or
 * released, since its owner is not known; the same while a process that just started has found a note that may be of another
 * cluster, which would release what is given here. Releases wait until it is sure that no other cluster is there. What other clusters ask for passes.
 *
 * @param book - the ledger
 * @param guard - identity, and the other cluster that has it
 * @returns the book to work with
 */
export function guardedByIdentity(book: AddressBook, guard: IdentityGuard): AddressBook {
  return new GuardedAddressBook(book, guard);
}

class GuardedAddressBook extends ForwardingAddressBook {
  readonly #guard: IdentityGuard;

  constructor(book: AddressBook, guard: IdentityGuard) {
    super(book);
    this.#guard = guard;
  }

  override get contests(): Contests | undefined {
    const { contests } = this.book;
    return contests === undefined
      ? undefined
      : {
          contest: (request) =>
            unless(this.#against(request.claimant.service.clusterUid), () => contests.contest(request)),
          endContests: (request) => contests.endContests(request),
        };
  }

  override get reserveBoth(): AddressBook['reserveBoth'] {
    return this.bothWhile(async ({ claimant }) => (await this.#against(claimant.service.clusterUid)) === undefined);
  }

  override reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    return unless(this.#against(request.claimant.service.clusterUid), () => this.book.reserve(request));
  }

  override preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>> {
    return unless(this.#against(request.claimant.service.clusterUid), () => this.book.preview(request, beside));
  }

  override bind(request: BindRequest): Promise<Outcome<Grant>> {
    return unless(this.#against(request.claimant.service.clusterUid), () => this.book.bind(request));
  }

  override rotate(request: RotateRequest): Promise<Outcome<Grant>> {
    return unless(this.#against(request.claimant.service.clusterUid), () => this.book.rotate(request));
  }

  override releaseByUid(request: ReleaseByUid): ReturnType<AddressBook['releaseByUid']> {
    return unless(this.#againstRelease(request.clusterUid), () => this.book.releaseByUid(request));
  }

  override async sweep(request: SweepRequest): Promise<SweepCount> {
    const found = await this.#againstRelease(request.clusterUid);
    if (found !== undefined) throw new IpamError(found.code, found.message);
    return this.book.sweep(request);
  }

  async #isOther(clusterUid: string | undefined): Promise<boolean> {
    return clusterUid !== undefined && clusterUid !== (await this.#guard.clusterUid());
  }

  async #against(clusterUid: string | undefined): Promise<Objection | undefined> {
    const suspects = await this.#guard.suspects();
    const stranger = this.#guard.stranger();
    if (stranger === undefined && suspects && !(await this.#isOther(clusterUid)))
      throw new IpamError('store/unavailable', STILL_LOOKING);
    if (stranger === undefined || (await this.#isOther(clusterUid))) return undefined;
    const message = `cluster identity "${await this.#guard.clusterUid()}": ${stranger} uses it as well, so it is uncertain which cluster has these addresses; give one of both clusters a --cluster-id of its own, or shut it down; one that is gone for good is ended by "ipam cluster forget"`;
    return { code: 'cluster/identity-shared', message };
  }

  async #againstRelease(clusterUid: string | undefined): Promise<Objection | undefined> {
    const shared = await this.#against(clusterUid);
    if (shared !== undefined || this.#guard.alone() || (await this.#isOther(clusterUid))) return shared;
    return { code: 'store/unavailable', message: STILL_LOOKING };
  }
}

async function unless<T>(
  objection: Promise<Objection | undefined>,
  act: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const found = await objection;
  return found === undefined ? act() : refuse(found.code, found.message);
}
