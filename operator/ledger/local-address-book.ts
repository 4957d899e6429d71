import type { Address } from '../addressing/address';
import { DAY_MS } from '../contract/durations';
import { withBoundedTerms } from '../contract/sharing-terms';
import type { Outcome } from '../errors/outcome';
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
} from '../ports/address-book';
import type { Clock } from '../ports/clock';
import type { SecretHasher } from '../ports/secret-hasher';
import type { ZoneSource } from '../ports/zone-source';
import { AddressTurns } from './records/address-turns';
import { bind } from './verbs/bind';
import { check, holdings } from './verbs/check';
import { exchange } from './verbs/exchange';
import { contest, endContests } from './verbs/contest';
import { FreedListeners } from './records/freed-listeners';
import { LastOwners } from './records/last-owners';
import {
  DEFAULT_HISTORY_DAYS,
  DEFAULT_HISTORY_ROWS_PER_NAMESPACE,
  DEFAULT_LEASE_SECONDS,
  DEFAULT_MAX_RESERVED_IN_NAMESPACE,
  type LedgerContext,
  type LedgerRecord,
} from './records/ledger-context';
import { owners, unbound } from './views/owners';
import { releaseByService } from './verbs/release-by-service';
import { releaseByUid } from './verbs/release-by-uid';
import { reserve, reserveBoth } from './verbs/reserve';
import { rotate } from './verbs/rotate';
import { sweep } from './verbs/sweep';
import { undo } from './verbs/undo';
import { preview } from './views/preview';

/** Parts of the ledger. */
export interface LedgerProps {
  readonly record: LedgerRecord;
  readonly zones: ZoneSource;
  readonly hasher: SecretHasher;
  readonly clock: Clock;
  /** Length of a lease in seconds; 300 by default. */
  readonly leaseSeconds?: number;
  /** Most unbound reservations of one namespace; 64 by default. */
  readonly maxReservedInNamespace?: number;
  /** How far back the history reaches, in days; 365 by default. */
  readonly historyDays?: number;
  /** Most rows of history of one namespace, the newest ones; 10,000 by default. */
  readonly historyRowsPerNamespace?: number;
}

/**
 * Puts the parts of a ledger together.
 *
 * @param props - record, zones, hasher, clock and limits
 * @returns what every verb works with
 */
export function contextOf(props: LedgerProps): LedgerContext {
  const { record, zones, hasher, clock, leaseSeconds = DEFAULT_LEASE_SECONDS } = props;
  const { maxReservedInNamespace = DEFAULT_MAX_RESERVED_IN_NAMESPACE, historyDays = DEFAULT_HISTORY_DAYS } = props;
  const { historyRowsPerNamespace = DEFAULT_HISTORY_ROWS_PER_NAMESPACE } = props;
  const shared = { turns: new AddressTurns(), freed: new FreedListeners(), lastOwners: new LastOwners() };
  const takeovers = new Map<string, number>();
  const limits = {
    leaseMs: leaseSeconds * 1000,
    maxReservedInNamespace,
    historyMs: historyDays * DAY_MS,
    historyRowsPerNamespace,
  };
  return { ...record, zones, hasher, clock, ...shared, takeovers, ...limits };
}

/**
 * The address book over a store of this installation. Each verb loads, decides purely, and commits by one atomic verb of
 * the store; when another write was faster it begins again.
 *
 * Safe for parallel calls, and for several processes on one store. Holds no state but the order in which this process
 * changes an address, and the listeners: it needs no start and no end.
 */
export class LocalAddressBook implements AddressBook {
  /** @inheritdoc */
  readonly contests: Contests = {
    contest: (request) => contest(this.#context, request),
    endContests: (request) => endContests(this.#context, request),
  };
  readonly #context: LedgerContext;

  /**
   * Builds the book.
   *
   * @param props - record, zones, hasher, clock and limits
   * @param context - what it shares with the registry of the same ledger; see `openLedger`
   */
  constructor(props: LedgerProps, context: LedgerContext = contextOf(props)) {
    this.#context = context;
  }

  /** @inheritdoc */
  reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    return reserve(this.#context, withBoundedTerms(request));
  }

  /** @inheritdoc */
  reserveBoth([first, second]: readonly [ReserveRequest, ReserveRequest]): Promise<readonly Grant[] | undefined> {
    return reserveBoth(this.#context, [withBoundedTerms(first), withBoundedTerms(second)]);
  }

  /** @inheritdoc */
  preview(request: ReserveRequest, beside: readonly ReserveRequest[] = []): Promise<Outcome<Preview>> {
    return preview(this.#context, request, beside);
  }

  /** @inheritdoc */
  check(request: CheckRequest): Promise<Outcome<Grant>> {
    return check(this.#context, request);
  }

  /** @inheritdoc */
  holdings(claimant: Claimant): Promise<readonly Grant[]> {
    return holdings(this.#context, claimant);
  }

  /** @inheritdoc */
  undo(grant: Grant & { readonly version?: number }): Promise<void> {
    return undo(this.#context, grant);
  }

  /** @inheritdoc */
  bind(request: BindRequest): Promise<Outcome<Grant>> {
    const { terms } = request;
    return bind(this.#context, terms === undefined ? request : { ...request, terms: withBoundedTerms(terms) });
  }

  /** @inheritdoc */
  exchange(moves: readonly ExchangeMove[]): Promise<Outcome<readonly Grant[]>> {
    return exchange(this.#context, moves);
  }

  /** @inheritdoc */
  releaseByUid(request: ReleaseByUid): Promise<Outcome<{ released: readonly Address[] }>> {
    return releaseByUid(this.#context, request);
  }

  /** @inheritdoc */
  releaseByService(request: ReleaseByService): Promise<Outcome<{ address: Address }>> {
    return releaseByService(this.#context, request);
  }

  /** @inheritdoc */
  owners(clusterUid: string): Promise<readonly OwnedAddress[]> {
    return owners(this.#context, clusterUid);
  }

  /** @inheritdoc */
  unbound(clusterUid: string): Promise<readonly OwnedAddress[]> {
    return unbound(this.#context, clusterUid);
  }

  /** @inheritdoc */
  onFreed(listener: (freed: FreedAddress) => void): () => void {
    return this.#context.freed.add(listener);
  }

  /** @inheritdoc */
  rotate(request: RotateRequest): Promise<Outcome<Grant>> {
    return rotate(this.#context, request);
  }

  /** @inheritdoc */
  sweep(request: SweepRequest): Promise<SweepCount> {
    return sweep(this.#context, request);
  }
}
