import { addressOf, familyBits, type Address } from '../../../addressing/address';
import type { AnswerBody } from '../../../contract/ipam-api/v3/operations';
import { MAX_PAGE } from '../../../contract/ipam-api/v3/pieces';
import { NO_OPTIONS } from '../../../contract/claim-options';
import { serviceOwner } from '../../../contract/service-identity';
import { isIpamError, valueOf } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';
import type { PoolTally, PoolUsage } from '../../../ports/claim-counts';
import type { AddressRecord, ClaimChange, Holder } from '../../../ports/claims';
import type { Clock } from '../../../ports/clock';
import type { PoolQuery, RecordView } from '../../../ports/store';
import type { V3Client } from './v3-client';
import { listContests, type WireContest } from './v3-contests';

type Page = AnswerBody<'listClusterClaims'>;
type WireClaim = Pick<
  Page['entries'][number],
  'network' | 'zone' | 'address' | 'service' | 'holderId' | 'options' | 'writtenKeys' | 'since'
> & { readonly state: Page['entries'][number]['state'] | 'contested' };

/** How old the numbers of the zones may be: several readers ask at one scrape. */
const FRESH_MS = 10_000;
/** How long a server that counts no contested addresses is not asked for them: it may be replaced. */
const PLAIN_MS = 600_000;
/** A probe of the kubelet waits no longer than a second. */
const PING_MS = 700;

/** An address as a book tells of it. */
interface ChangedAddress {
  readonly network: string;
  readonly zone: string;
  readonly address: Address;
}

/** Parts of a {@link V3RecordView}. */
export interface V3RecordViewProps {
  readonly client: V3Client;
  /** UID of the namespace `kube-system` of the cluster that this operator serves. */
  readonly clusterUid: string;
  readonly clock: Clock;
}

/**
 * The record as version 3 of an IPAM-API elsewhere shows it to a cluster: the numbers of all zones, and its own claims. Of other
 * clusters it tells nothing, and proofs of ownership stay there.
 */
export class V3RecordView implements RecordView {
  readonly #props: V3RecordViewProps;
  readonly #listeners = new Set<(change: ClaimChange) => void>();
  #plainUntilMs = 0;
  #numbers: { readonly atMs: number; readonly rows: readonly PoolUsage[] } | undefined;

  /**
   * Reads nothing yet.
   *
   * @param props - client, cluster, clock
   */
  constructor(props: V3RecordViewProps) {
    this.#props = props;
  }

  /** @inheritdoc */
  async list({ network, pool }: PoolQuery): Promise<readonly AddressRecord[]> {
    const records = new Map<string, AddressRecord>();
    const contests = await listContests(this.#props.client, this.#props.clusterUid);
    for (const claim of [...(await this.#claims()), ...contests.map(claimOf)]) {
      if (claim.network !== network || claim.zone !== pool) continue;
      const key = `${claim.network} ${claim.address}`;
      const known = records.get(key);
      records.set(
        key,
        known === undefined ? recordOf(claim) : { ...known, holders: [...known.holders, ...holders(claim)] },
      );
    }
    return [...records.values()];
  }

  /** @inheritdoc */
  async tally(): Promise<readonly PoolTally[]> {
    return (await this.usage()).map(
      ({ network, pool, family, reserved, bound, retained = 0, contested = 0, quarantined }) => ({
        network,
        pool,
        family,
        ...(quarantined === undefined ? {} : { quarantined }),
        held: reserved + bound + retained + contested,
      }),
    );
  }

  /**
   * Counts what the server counts, by its own zones. While the server is away the last numbers stay, so that the other metrics
   * can still be read.
   *
   * @returns one row for each zone and family
   */
  async usage(): Promise<readonly PoolUsage[]> {
    const nowMs = this.#props.clock.nowMs();
    if (this.#numbers !== undefined && nowMs - this.#numbers.atMs < FRESH_MS) return this.#numbers.rows;
    try {
      const { entries } = valueOf(await this.#zones());
      this.#numbers = { atMs: nowMs, rows: entries.flatMap(usageRows) };
    } catch (thrown) {
      if (!isIpamError(thrown) || thrown.code !== 'store/unavailable') throw thrown;
    }
    return this.#numbers?.rows ?? [];
  }

  /** @inheritdoc */
  watch(listener: (change: ClaimChange) => void): () => void {
    const own = (change: ClaimChange): void => {
      listener(change);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** @inheritdoc */
  async ping(): Promise<void> {
    const { client, clusterUid } = this.#props;
    const query = { limit: 1 };
    valueOf(await client.call('listClusterClaims', { params: { clusterUid }, query }, PING_MS));
  }

  /**
   * Tells the listeners of a change that this process made.
   *
   * @param kind - what became of the address
   * @param at - the address, and its zone
   */
  tell(kind: ClaimChange['kind'], { network, zone, address }: ChangedAddress): void {
    const length = familyBits(address.family);
    for (const listener of [...this.#listeners]) listener({ kind, network, pool: zone, address, length });
  }

  // A server of before refuses what it does not know in a query, and has no such number.
  async #zones(): Promise<Outcome<AnswerBody<'listZones'>>> {
    const { client, clock } = this.#props;
    if (clock.nowMs() < this.#plainUntilMs) return client.call('listZones', {});
    try {
      return await client.call('listZones', { query: { contested: true } });
    } catch (thrown) {
      if (!isIpamError(thrown) || thrown.code !== 'api/malformed') throw thrown;
      this.#plainUntilMs = clock.nowMs() + PLAIN_MS;
      return client.call('listZones', {});
    }
  }

  async #claims(): Promise<readonly WireClaim[]> {
    const { client, clusterUid } = this.#props;
    const claims: WireClaim[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const query: { limit: number; after?: string } = { limit: MAX_PAGE, ...(after === '' ? {} : { after }) };
      const page: Page = valueOf(await client.call('listClusterClaims', { params: { clusterUid }, query }));
      claims.push(...page.entries);
      after = page.next;
    }
    return claims;
  }
}

// The address stays announced, so a pool goes on holding it.
function claimOf({ network, zone, address, service, since }: WireContest): WireClaim {
  return {
    network,
    zone,
    address,
    service,
    since,
    state: 'contested',
    holderId: '',
    options: NO_OPTIONS,
    writtenKeys: [],
  };
}

function recordOf(claim: WireClaim): AddressRecord {
  const { network, zone, state, since } = claim;
  const address = addressOf(claim.address);
  return {
    network,
    pool: zone,
    address,
    length: familyBits(address.family),
    family: address.family,
    state: state === 'quarantined' ? 'quarantined' : 'held',
    holders: holders(claim),
    version: 0,
    takenAtMs: Date.parse(since),
  };
}

function holders({ state, service, holderId: id, options, writtenKeys, since }: WireClaim): readonly Holder[] {
  if (state === 'quarantined') return [];
  const { namespace, serviceUid } = service;
  const owner = serviceOwner({ service, namespace, serviceUid });
  return [{ id, state, options, writtenKeys, owner, sinceMs: Date.parse(since) }];
}

function usageRows({ network, name: zone, usage }: AnswerBody<'listZones'>['entries'][number]): readonly PoolUsage[] {
  return usage.map(({ family, capacity, free, retained, quarantined, contested, ...counts }) => {
    const [reserved, bound, outside] = [Number(counts.reserved), Number(counts.bound), Number(counts.outside)];
    const place = { network, pool: zone, family: family === 'ipv4' ? (4 as const) : (6 as const) };
    const occupied = Number(BigInt(capacity) - BigInt(free));
    const told = {
      ...(retained === undefined ? {} : { retained: Number(retained) }),
      ...(quarantined === undefined ? {} : { quarantined: Number(quarantined) }),
      ...(contested === undefined ? {} : { contested: Number(contested) }),
    };
    return { ...place, reserved, bound, ...told, outside, occupied };
  });
}
