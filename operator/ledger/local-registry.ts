import type { Address } from '../addressing/address';
import { withBoundedTerms } from '../contract/sharing-terms';
import { accept, refuse, type Outcome } from '../errors/outcome';
import type { ReserveRequest } from '../ports/address-book';
import type { AddressRecord, SecretProof } from '../ports/claims';
import type { OccupiedAddress } from '../ports/occupied-addresses';
import type { ForeignAnswer } from '../ports/foreign-addresses';
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
import { callersKey } from './records/claim-key';
import { clearCluster } from './verbs/clear-cluster';
import { countZones } from './views/count-zones';
import { importClaim } from './verbs/import-claim';
import type { LedgerContext } from './records/ledger-context';
import { listClaims, listHistory } from './views/list-claims';
import { planClaim } from './views/plan-claim';
import { releaseHolder } from './verbs/release-holder';
import { replaceSecret } from './verbs/replace-secret';
import { revealSecret } from './views/reveal-secret';
import { endStanding, findStanding, putStanding } from './verbs/standing';

/**
 * The record as people and programs ask for it, over the same parts as the address book; made by `openLedger`.
 *
 * Safe for parallel calls; holds nothing but what the ledger shares.
 */
export class LocalRegistry implements Registry {
  readonly #context: LedgerContext;

  /**
   * Builds the registry.
   *
   * @param context - the ledger's parts
   */
  constructor(context: LedgerContext) {
    this.#context = context;
  }

  /** @inheritdoc */
  zones(): Promise<readonly ZoneUsage[]> {
    return countZones(this.#context);
  }

  /** @inheritdoc */
  claims(filter: ClaimFilter, page: PageRequest): Promise<Page<AddressRecord>> {
    return listClaims(this.#context, filter, page);
  }

  /** @inheritdoc */
  claim(network: string, address: Address): Promise<AddressRecord | undefined> {
    return this.#context.claims.get({ network, address });
  }

  /** @inheritdoc */
  async foreign({
    zone: pool,
    ...at
  }: {
    readonly network: string;
    readonly zone: string;
    readonly address: Address;
  }): Promise<ForeignAnswer | undefined> {
    return this.#context.foreign?.foreignAt({ pool, ...at });
  }

  /** @inheritdoc */
  async uses(at: { readonly network: string; readonly address: Address }): Promise<readonly OccupiedAddress[]> {
    return (await this.#context.occupied?.list({ by: 'address', ...at })) ?? [];
  }

  /** @inheritdoc */
  async keyed(clusterUid: string, key: string): Promise<AddressRecord | undefined> {
    const query = { by: 'key', key: callersKey(clusterUid, key) } as const;
    return (await this.#context.claims.list(query))[0];
  }

  /** @inheritdoc */
  async reported({ clusterUid, name = '' }: { readonly clusterUid: string; readonly name?: string }): Promise<void> {
    await this.#context.reports?.reportCluster({ cluster: clusterUid, name });
  }

  /** @inheritdoc */
  revealSecret(network: string, address: Address): Promise<Outcome<{ readonly secret: string }>> {
    return revealSecret(this.#context, network, address);
  }

  /** @inheritdoc */
  history(network: string, address: Address, page: PageRequest): Promise<Outcome<Page<HistoryEntry>>> {
    return listHistory(this.#context, { network, address }, page);
  }

  /** @inheritdoc */
  plan(request: ReserveRequest): Promise<Outcome<Planned>> {
    return planClaim(this.#context, withBoundedTerms(request));
  }

  /** @inheritdoc */
  release(request: {
    readonly network: string;
    readonly address: Address;
    readonly holderId: string;
    readonly retain?: boolean;
    readonly version?: number;
  }): Promise<Outcome<{ readonly quarantinedUntilMs?: number }>> {
    return releaseHolder(this.#context, request);
  }

  /** @inheritdoc */
  replaceSecret(request: {
    readonly network: string;
    readonly address: Address;
    readonly secret: string;
  }): Promise<Outcome<SecretProof>> {
    return replaceSecret(this.#context, request);
  }

  /** @inheritdoc */
  clearCluster(request: { readonly clusterUid: string; readonly dryRun: boolean }): Promise<readonly CleanupEntry[]> {
    return clearCluster(this.#context, request);
  }

  /** @inheritdoc */
  async clusters(): Promise<Outcome<readonly ClusterSummary[]>> {
    const { reports } = this.#context;
    if (reports === undefined) return refuse('store/no-reports', 'the record keeps no reports of clusters');
    const known = await reports.clusters();
    return accept(known.map(({ cluster: clusterUid, ...rest }) => ({ clusterUid, ...rest })));
  }

  /** @inheritdoc */
  putStanding(claim: StandingClaim): Promise<Outcome<AddressRecord>> {
    return putStanding(this.#context, claim);
  }

  /** @inheritdoc */
  standing(name: string): Promise<AddressRecord | undefined> {
    return findStanding(this.#context, name);
  }

  /** @inheritdoc */
  endStanding(name: string): Promise<Outcome<{ readonly address: Address }>> {
    return endStanding(this.#context, name);
  }

  /** @inheritdoc */
  importClaim(claim: ImportedClaim, dryRun: boolean): Promise<ImportResult> {
    return importClaim(this.#context, claim, dryRun);
  }
}
