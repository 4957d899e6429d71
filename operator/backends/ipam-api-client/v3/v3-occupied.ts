import { addressOf } from '../../../addressing/address';
import type { AnswerBody } from '../../../contract/ipam-api/v3/operations';
import { MAX_SHOWN } from '../../../contract/ipam-api/v3/shown-schemas';
import { serviceOwner } from '../../../contract/service-identity';
import { valueOf } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';
import type { Logger } from '../../../ports/logger';
import type {
  MetClaim,
  OccupiedAddress,
  OccupiedAddresses,
  OccupiedChange,
  OccupiedQuery,
} from '../../../ports/occupied-addresses';
import type { V3Client } from './v3-client';
import { Gathered } from './v3-gathered';
import { orLacking } from './v3-lacking';

/** Parts of {@link RemoteOccupied}. */
export interface RemoteOccupiedProps {
  readonly client: V3Client;
  /** UID of the namespace `kube-system` of the cluster that this operator serves. */
  readonly clusterUid: string;
  readonly logger: Logger;
}

/**
 * Addresses that the own cluster shows without a claim, on record at an IPAM-API elsewhere, so that other clusters are not given them. Whether the server
 * has a place for it is to be asked first: one of before has none, and refuses what is read of it with `api/not-found`. One that does not
 * take this client for an operator has a place and takes nothing for it. What is beyond the limit of the client is put there as avoided, as far
 * as there is room for that. The log tells of both.
 *
 * Safe for parallel calls; every verb may be sent twice. Of other clusters nothing is listed.
 */
export class RemoteOccupied implements OccupiedAddresses {
  readonly #props: RemoteOccupiedProps;
  readonly #changes: Gathered<OccupiedChange, boolean>;
  readonly #refused = new Set<string>();
  #lacking: string | undefined;
  /** True from a refused call until everything is compared again: a server that lacks the operations is not asked with each change. */
  #rests = false;

  /**
   * Asks nothing yet.
   *
   * @param props - client, cluster, logger
   */
  constructor(props: RemoteOccupiedProps) {
    this.#props = props;
    this.#changes = new Gathered((changes) => this.#writeAll(changes), MAX_SHOWN);
  }

  /**
   * Asks whether the server has a place for what clusters show.
   *
   * @returns this; undefined where the server has none
   * @throws IpamError as a call does
   */
  async whenServed(): Promise<OccupiedAddresses | undefined> {
    const { clusterUid } = this.#props;
    const answer = await this.#served(this.#client.call('listComplete', { params: { clusterUid } }));
    this.#rests = answer === undefined;
    return answer === undefined ? undefined : this;
  }

  /** @inheritdoc */
  write(change: OccupiedChange): Promise<boolean> {
    return this.#changes.add(change);
  }

  /** @inheritdoc */
  async list(query: OccupiedQuery): Promise<readonly OccupiedAddress[]> {
    const cluster = query.by === 'cluster' ? query.cluster : this.#props.clusterUid;
    const { entries } = valueOf(await this.#client.call('listUses', { params: { clusterUid: cluster } }));
    const uses = entries.map(({ address, ...use }) => ({
      cluster,
      ...use,
      address: addressOf(address),
    }));
    if (query.by === 'cluster') return uses;
    return uses.filter(({ network, address }) => network === query.network && address.equals(query.address));
  }

  /** @inheritdoc */
  async complete(report: { readonly cluster: string; readonly networks: readonly string[] }): Promise<void> {
    const { cluster: clusterUid, networks } = report;
    const body = { networks: [...networks] };
    await this.#served(this.#client.call('completeUses', { params: { clusterUid }, body }));
  }

  /** @inheritdoc */
  async completeSince(clusterUid: string): Promise<ReadonlyMap<string, number>> {
    const { entries } = valueOf(await this.#client.call('listComplete', { params: { clusterUid } }));
    return new Map(entries.map(({ network, since }) => [network, Date.parse(since)]));
  }

  /** @inheritdoc */
  async met(clusterUid: string): Promise<readonly MetClaim[]> {
    const { entries } = valueOf(await this.#client.call('listMet', { params: { clusterUid } }));
    return entries.map(({ network, address, zone: pool, service, shownBy }) => {
      const { namespace, serviceUid, ...identity } = service;
      const holder = serviceOwner({ service: identity, namespace, serviceUid });
      const use = { cluster: shownBy.clusterUid, source: shownBy.source };
      return { network, address: addressOf(address), pool, holder, use };
    });
  }

  /** @inheritdoc */
  async forget(clusterUid: string): Promise<number> {
    return valueOf(await this.#client.call('forgetUses', { params: { clusterUid } })).addresses;
  }

  get #client(): V3Client {
    return this.#props.client;
  }

  async #writeAll(changes: readonly OccupiedChange[]): Promise<readonly boolean[]> {
    const written = new Set<OccupiedChange>();
    for (const clusterUid of new Set(changes.map(({ cluster }) => cluster))) {
      const own = changes.filter(({ cluster }) => cluster === clusterUid);
      for (const each of await this.#writeFor(clusterUid, own)) written.add(each);
    }
    return changes.map((each) => written.has(each));
  }

  // Those that the record has so now.
  async #writeFor(clusterUid: string, changes: readonly OccupiedChange[]): Promise<readonly OccupiedChange[]> {
    if (this.#rests) return [];
    // under a limit what is never given out goes first
    const order = changes.toSorted((a, b) => rankOf(a) - rankOf(b));
    const answer = await this.#change(clusterUid, order);
    if (answer === undefined) return [];
    this.#tellRefused(changes, answer.refused);
    if (changes.some(({ use }) => use !== undefined)) this.#tellLacking(undefined);
    const refused = new Set(answer.refused.map(keyOf));
    await this.#avoid(
      clusterUid,
      order.filter((each) => refused.has(keyOf(each))),
    );
    return changes.filter((each) => !refused.has(keyOf(each)));
  }

  // What has no room as occupied has some as avoided, which is counted by itself: then it is at least given out last.
  async #avoid(clusterUid: string, beyond: readonly OccupiedChange[]): Promise<void> {
    const avoided = beyond.flatMap(({ use, ...place }) =>
      use?.weight === 'occupied' ? [{ ...place, use: { ...use, weight: 'avoided' as const } }] : [],
    );
    if (avoided.length > 0) await this.#change(clusterUid, avoided);
  }

  #change(clusterUid: string, changes: readonly OccupiedChange[]): Promise<AnswerBody<'changeUses'> | undefined> {
    const body = {
      changes: changes.map(({ network, address, use }) => ({
        network,
        address: address.toString(),
        ...(use === undefined ? {} : { use: { source: use.source, weight: use.weight } }),
      })),
    };
    return this.#served(this.#client.call('changeUses', { params: { clusterUid }, body }));
  }

  // Each address once: they are tried again with every comparison.
  #tellRefused(
    changes: readonly OccupiedChange[],
    refused: readonly { readonly network: string; readonly address: string; readonly detail: string }[],
  ): void {
    const beyond = refused.map(keyOf);
    const [news] = refused.filter((each) => !this.#refused.has(keyOf(each)));
    for (const change of changes) this.#refused.delete(keyOf(change));
    for (const key of beyond) this.#refused.add(key);
    if (news === undefined) return;
    const { detail: problem } = news;
    this.#props.logger.warn(
      'addresses that this cluster shows are not on record at the IPAM-API as in use, which gives them to other clusters last of all',
      { addresses: refused.length, problem },
    );
  }

  async #served<V>(call: Promise<Outcome<V>>): Promise<V | undefined> {
    const answer = await orLacking(call);
    if (answer.kind === 'answered') return valueOf(answer.outcome);
    this.#rests = true;
    this.#tellLacking(answer.reason);
    return undefined;
  }

  #tellLacking(lacking: string | undefined): void {
    const before = this.#lacking;
    this.#lacking = lacking;
    if (lacking === before) return;
    const { logger } = this.#props;
    if (lacking === undefined) logger.info('the IPAM-API keeps what this cluster shows without a claim');
    else {
      logger.warn(
        'what this cluster shows without a claim is not on record: the IPAM-API may give it to other clusters',
        { problem: lacking },
      );
    }
  }
}

function keyOf({ network, address }: { readonly network: string; readonly address: unknown }): string {
  return `${network} ${String(address)}`;
}

function rankOf({ use }: OccupiedChange): number {
  return use === undefined ? 0 : use.weight === 'occupied' ? 1 : 2;
}
