import type {
  MetClaim,
  OccupiedAddress,
  OccupiedAddresses,
  OccupiedChange,
  OccupiedQuery,
} from '../../../ports/occupied-addresses';
import { toColumn } from '../shared/address-column';
import { metClaims, occupiedOf } from '../shared/occupied-tables';
import { wireUse, type UsesRequest, type UsesResults } from './occupied-wire';

/** Asks the worker thread. */
type AskUses = <R extends UsesRequest>(request: R) => Promise<UsesResults[R['verb']]>;

/** {@link OccupiedAddresses} in the file of the SQLite store, written in the transactions of the claims. */
export class SqliteOccupied implements OccupiedAddresses {
  readonly #ask: AskUses;
  readonly #nowMs: () => number;

  /**
   * Asks the worker of an open store.
   *
   * @param ask - sends a request
   * @param nowMs - the store's clock
   */
  constructor(ask: AskUses, nowMs: () => number) {
    this.#ask = ask;
    this.#nowMs = nowMs;
  }

  /** @inheritdoc */
  async write(change: OccupiedChange): Promise<boolean> {
    return this.#ask(wireUse(change, this.#nowMs()));
  }

  /** @inheritdoc */
  async list(query: OccupiedQuery): Promise<readonly OccupiedAddress[]> {
    const request =
      query.by === 'cluster'
        ? ({ statement: 'ofCluster', values: [query.cluster] } as const)
        : ({ statement: 'ofAddress', values: [query.network, toColumn(query.address)] } as const);
    return (await this.#ask({ verb: 'uses', ...request })).map(occupiedOf);
  }

  /** @inheritdoc */
  async complete({ cluster, networks }: { readonly cluster: string; readonly networks: readonly string[] }) {
    await this.#ask({ verb: 'completeUses', cluster, networks: [...networks], nowMs: this.#nowMs() });
  }

  /** @inheritdoc */
  async completeSince(cluster: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#ask({ verb: 'uses', statement: 'completeSince', values: [cluster] });
    return new Map(rows.map(([network, since]) => [network as string, since as number]));
  }

  /** @inheritdoc */
  async met(cluster: string): Promise<readonly MetClaim[]> {
    return metClaims(await this.#ask({ verb: 'uses', statement: 'met', values: [] }), cluster);
  }

  /** @inheritdoc */
  async forget(cluster: string): Promise<number> {
    return this.#ask({ verb: 'forgetUses', cluster, nowMs: this.#nowMs() });
  }
}
