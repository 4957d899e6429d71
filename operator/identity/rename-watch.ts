import { renamesOf, renamedText } from '../contract/renamed-note';
import { IpamError } from '../errors/ipam-error';
import type { Outcome } from '../errors/outcome';
import { ForwardingAddressBook } from '../ledger/guards/forwarding-address-book';
import type {
  AddressBook,
  BindRequest,
  Contests,
  ExchangeMove,
  Grant,
  Preview,
  ReserveRequest,
} from '../ports/address-book';
import type { Clock } from '../ports/clock';
import type { ClusterReports } from '../ports/cluster-reports';
import type { Logger } from '../ports/logger';
import type { Notes } from '../ports/notes';
import type { OccupiedAddresses } from '../ports/occupied-addresses';

/** Pause between two looks. */
const LOOK_MS = 5_000;

/** Record that tells of renames. */
export type RenameRecord = Notes & Pick<ClusterReports, 'clusters'>;

/**
 * Finds what the record calls a cluster that was renamed.
 *
 * @param record - notes, and the clusters that are known
 * @param cluster - identity of before
 * @returns the identity that has its claims now; undefined where it was not renamed, or that one is gone as well
 * @throws IpamError of the store
 */
export async function newNameOf(record: RenameRecord, cluster: string): Promise<string | undefined> {
  const known = new Set((await record.clusters()).map((each) => each.cluster));
  const renames = renamesOf(cluster, (name) => known.has(name));
  let step = renames.next();
  while (step.done !== true) step = renames.next(await record.note({ name: step.value }));
  return step.value;
}

/** Parts of a {@link RenameWatch}. */
export interface RenameWatchProps {
  readonly record: RenameRecord;
  readonly cluster: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Looks whether the cluster of this process was renamed on record while it runs: from then on nothing is given, bound or put on record
 * under the old identity, and the process is to end. Safe for parallel calls; ends by `close`.
 */
export class RenameWatch {
  readonly #props: RenameWatchProps;
  #problem: string | undefined;
  #stop: () => void = () => undefined;
  #closed = false;

  /**
   * Begins to look.
   *
   * @param props - record, own identity, clock, logger
   */
  constructor(props: RenameWatchProps) {
    this.#props = props;
    this.#later();
  }

  /**
   * Tells whether the cluster was renamed.
   *
   * @returns why nothing is done for it any more; undefined where it has its identity
   */
  problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Puts a book behind the watch; what other clusters ask for passes.
   *
   * @param book - the ledger
   * @returns the book to work with
   */
  guardBook(book: AddressBook): AddressBook {
    return new RenamedBook(book, (cluster) => {
      this.#refuse(cluster);
    });
  }

  /**
   * Puts what clusters show behind the watch.
   *
   * @param uses - the record
   * @returns the record to work with
   */
  guardUses(uses: OccupiedAddresses): OccupiedAddresses {
    return {
      write: async (change) => {
        this.#refuse(change.cluster);
        return uses.write(change);
      },
      complete: async (report) => {
        this.#refuse(report.cluster);
        await uses.complete(report);
      },
      list: (query) => uses.list(query),
      completeSince: (cluster) => uses.completeSince(cluster),
      met: (cluster) => uses.met(cluster),
      forget: (cluster) => uses.forget(cluster),
    };
  }

  /** Looks no more. */
  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #refuse(cluster: string): void {
    if (this.#problem !== undefined && cluster === this.#props.cluster) {
      throw new IpamError('cluster/renamed', this.#problem);
    }
  }

  #later(): void {
    this.#stop = this.#props.clock.after(LOOK_MS, () => {
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    const { record, cluster, logger } = this.#props;
    try {
      const name = await newNameOf(record, cluster);
      const problem = name === undefined ? undefined : renamedText(cluster, name);
      if (problem !== undefined && this.#problem === undefined) {
        logger.error('this cluster was renamed on record; nothing is done for it under its old identity', { problem });
      }
      this.#problem = problem;
    } catch {
      // the store is away: looked at again
    }
    if (!this.#closed) this.#later();
  }
}

type RefuseFor = (cluster: string) => void;

class RenamedBook extends ForwardingAddressBook {
  readonly #refuse: RefuseFor;

  constructor(book: AddressBook, refuse: RefuseFor) {
    super(book);
    this.#refuse = refuse;
  }

  override get contests(): Contests | undefined {
    const { contests } = this.book;
    return (
      contests && {
        contest: async (request) => {
          this.#refuse(request.claimant.service.clusterUid);
          return contests.contest(request);
        },
        endContests: (request) => contests.endContests(request),
      }
    );
  }

  override get reserveBoth(): AddressBook['reserveBoth'] {
    return this.bothWhile(({ claimant }) => {
      this.#refuse(claimant.service.clusterUid);
      return true;
    });
  }

  override async reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    this.#refuse(request.claimant.service.clusterUid);
    return this.book.reserve(request);
  }

  override async preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>> {
    this.#refuse(request.claimant.service.clusterUid);
    return this.book.preview(request, beside);
  }

  override async bind(request: BindRequest): Promise<Outcome<Grant>> {
    this.#refuse(request.claimant.service.clusterUid);
    return this.book.bind(request);
  }

  override async exchange(moves: readonly ExchangeMove[]): Promise<Outcome<readonly Grant[]>> {
    for (const { clusterUid } of moves) this.#refuse(clusterUid);
    return this.book.exchange(moves);
  }
}
