import type { Address } from '../addressing/address';
import { IpamError } from '../errors/ipam-error';
import type { Outcome } from '../errors/outcome';
import type { ReserveRequest } from '../ports/address-book';
import type { AddressRecord, SecretProof } from '../ports/claim-store';
import type {
  ClaimFilter,
  CleanupEntry,
  ClusterSummary,
  HistoryEntry,
  ImportedClaim,
  ImportResult,
  Page,
  PageRequest,
  Planned,
  Registry,
  StandingClaim,
  ZoneUsage,
} from '../ports/registry';
import type { LedgerContext } from './ledger-context';

function unbuilt(): Promise<never> {
  return Promise.reject(new IpamError('internal', 'this verb of the registry is not built yet'));
}

/**
 * The record as people and programs ask for it, over the same parts as the address book; made by `openLedger`.
 *
 * Safe for parallel calls; holds nothing but what the ledger shares.
 */
export class LocalRegistry implements Registry {
  private readonly context: LedgerContext;

  /**
   * Builds the registry.
   *
   * @param context - the ledger's parts
   */
  constructor(context: LedgerContext) {
    this.context = context;
  }

  /** @inheritdoc */
  zones(): Promise<readonly ZoneUsage[]> {
    return unbuilt();
  }

  /** @inheritdoc */
  claims(_filter: ClaimFilter, _page: PageRequest): Promise<Page<AddressRecord>> {
    return unbuilt();
  }

  /** @inheritdoc */
  claim(network: string, address: Address): Promise<AddressRecord | undefined> {
    return this.context.store.get(network, address, this.context.clock.nowMs());
  }

  /** @inheritdoc */
  history(_network: string, _address: Address, _page: PageRequest): Promise<Page<HistoryEntry>> {
    return unbuilt();
  }

  /** @inheritdoc */
  plan(_request: ReserveRequest): Promise<Outcome<Planned>> {
    return unbuilt();
  }

  /** @inheritdoc */
  release(_request: {
    readonly network: string;
    readonly address: Address;
    readonly holderId: string;
  }): Promise<Outcome<{ readonly quarantinedUntilMs?: number }>> {
    return unbuilt();
  }

  /** @inheritdoc */
  replaceSecret(_request: {
    readonly network: string;
    readonly address: Address;
    readonly secret: string;
  }): Promise<Outcome<SecretProof>> {
    return unbuilt();
  }

  /** @inheritdoc */
  clearCluster(_request: { readonly clusterUid: string; readonly dryRun: boolean }): Promise<readonly CleanupEntry[]> {
    return unbuilt();
  }

  /** @inheritdoc */
  clusters(): Promise<readonly ClusterSummary[]> {
    return unbuilt();
  }

  /** @inheritdoc */
  putStanding(_claim: StandingClaim): Promise<Outcome<AddressRecord>> {
    return unbuilt();
  }

  /** @inheritdoc */
  endStanding(_name: string): Promise<Outcome<{ readonly address: Address }>> {
    return unbuilt();
  }

  /** @inheritdoc */
  importClaim(_claim: ImportedClaim, _dryRun: boolean): Promise<ImportResult> {
    return unbuilt();
  }
}
