import { addressOf, type Address } from '../../../addressing/address';
import { DAY_MS } from '../../../contract/durations';
import type { AnswerBody } from '../../../contract/ipam-api/v3/operations';
import { MAX_PAGE } from '../../../contract/ipam-api/v3/pieces';
import { SERVICE } from '../../../contract/service-identity';
import { handleOf } from '../../../contract/ipam-api/v3/pieces';
import { isIpamError, valueOf } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type {
  AddressBook,
  BindTerms,
  Claimant,
  Contests,
  ExchangeMove,
  FreedAddress,
  Grant,
  OwnedAddress,
  Preview,
  ReleaseByService,
  ReserveRequest,
  RotateRequest,
  SweepCount,
  SweepRequest,
} from '../../../ports/address-book';
import type { Clock } from '../../../ports/clock';
import type { Logger } from '../../../ports/logger';
import type { V3Client } from './v3-client';
import { listContests, RemoteContests, type OnContested, type WireContest } from './v3-contests';
import { orLacking } from './v3-lacking';
import { FreedStream } from './v3-freed-stream';
import { grantOf, wireClaim, wireClaimant, wireOptions, wireTerms } from './v3-wire';

/** A list of all Services may be long, and the server compares each. */
const REPORT_MS = 60_000;

/** Parts of a {@link RemoteAddressBook}. */
export interface RemoteBookProps {
  readonly client: V3Client;
  /** UID of the namespace `kube-system` of the cluster that this operator serves. */
  readonly clusterUid: string;
  /** Name that the cluster gives itself, for people. */
  readonly clusterName?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Is told what this operator contests, which changes the record. */
  readonly onContested?: OnContested;
}

/**
 * The address book that an IPAM-API elsewhere keeps, over its version 3. Every verb may be sent twice, so that a lost answer
 * loses and doubles nothing; what a crash leaves reserved ends by its lease.
 *
 * Safe for parallel calls. `close` ends the stream of freed addresses.
 */
export class RemoteAddressBook implements AddressBook {
  /** @inheritdoc */
  readonly contests: Contests;
  readonly #props: RemoteBookProps;
  readonly #freed: FreedStream;

  /**
   * Opens nothing yet.
   *
   * @param props - client, cluster, clock, logger
   */
  constructor(props: RemoteBookProps) {
    this.#props = props;
    this.#freed = new FreedStream(props);
    this.contests = new RemoteContests(props.client, props.onContested ?? (() => undefined));
  }

  /** @inheritdoc */
  async reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    try {
      return await this.#reserve(request);
    } catch (thrown) {
      // an older server takes no body with this member, and goes on without what it asks for
      const { returns, ...asBefore } = request;
      if (returns === undefined || !isIpamError(thrown) || thrown.code !== 'api/malformed') throw thrown;
      return this.#reserve(asBefore);
    }
  }

  /** @inheritdoc */
  async preview({ returns: _, ...request }: ReserveRequest): Promise<Outcome<Preview>> {
    const { clusterUid } = request.claimant.service;
    const planned = await this.#client.call('planClaim', { body: { clusterUid, ...wireClaim(request) } });
    if (!planned.ok) return planned;
    const { zone, address, kind } = planned.value;
    const certain = kind === 'kept' || request.wish !== undefined;
    return accept({ zone, family: request.family, address: addressOf(address), certain });
  }

  /** @inheritdoc */
  async check({
    claimant,
    zone,
    address,
  }: {
    claimant: Claimant;
    zone: string;
    address: Address;
  }): Promise<Outcome<Grant>> {
    const { clusterUid } = claimant.service;
    const body = { claimant: wireClaimant(claimant), zone, address: address.toString() };
    return grantedBy(await this.#client.call('checkClaim', { params: { clusterUid }, body }));
  }

  /** @inheritdoc */
  async holdings(claimant: Claimant): Promise<readonly Grant[]> {
    const { clusterUid } = claimant.service;
    const { serviceUid, reservation, ...names } = wireClaimant(claimant);
    // such a claimant could not be recognised again, so it holds nothing
    if (serviceUid === undefined && reservation === undefined && names.serviceName === '') return [];
    const query = {
      ...Object.fromEntries(Object.entries(names).filter(([, text]) => text !== '')),
      ...(serviceUid === undefined ? {} : { serviceUid }),
      ...(reservation === undefined ? {} : { reservation }),
    };
    const listed = await this.#client.call('listHoldings', { params: { clusterUid }, query });
    return valueOf(listed).entries.map(grantOf);
  }

  /** @inheritdoc */
  async undo(grant: Grant): Promise<void> {
    if (!grant.created) return;
    const params = { clusterUid: this.#clusterOf(grant), key: handleOf(grant) };
    valueOf(await this.#client.call('deleteClaim', { params, query: { undo: true, state: grant.state } }));
  }

  /** @inheritdoc */
  async bind(request: {
    claimant: Claimant & { serviceUid: string };
    grant: Grant;
    terms?: BindTerms;
  }): Promise<Outcome<Grant>> {
    const { claimant, grant, terms } = request;
    const params = { clusterUid: claimant.service.clusterUid, key: handleOf(grant) };
    const owner = { ...wireClaimant(claimant), serviceUid: claimant.serviceUid };
    const body = { claimant: owner, ...(terms === undefined ? {} : { terms: wireTerms(terms) }) };
    return grantedBy(await this.#client.call('patchClaim', { params, query: { state: grant.state }, body }));
  }

  /** @inheritdoc */
  async exchange(moves: readonly ExchangeMove[]): Promise<Outcome<readonly Grant[]>> {
    const clusterUid = moves[0]?.clusterUid ?? this.#props.clusterUid;
    const body = {
      moves: moves.map(({ serviceUid, network, from, to }) => ({
        serviceUid,
        network,
        from: from.toString(),
        to: to.toString(),
      })),
    };
    const exchanged = await orLacking(this.#client.call('exchangeClaims', { params: { clusterUid }, body }));
    if (exchanged.kind === 'lacking') return refuse('store/no-exchange', exchanged.reason);
    const { outcome } = exchanged;
    return outcome.ok ? accept(outcome.value.entries.map(grantOf)) : outcome;
  }

  /** @inheritdoc */
  async releaseByUid(request: {
    serviceUid: string;
    clusterUid?: string;
    keep?: readonly Address[];
  }): Promise<Outcome<{ released: readonly Address[] }>> {
    const { serviceUid, clusterUid = this.#props.clusterUid, keep = [] } = request;
    const query = { serviceUid, ...(keep.length === 0 ? {} : { keep: keep.map(String) }) };
    const released = await this.#client.call('releaseServiceClaims', { params: { clusterUid }, query });
    return released.ok ? accept({ released: released.value.released.map(addressOf) }) : released;
  }

  /** @inheritdoc */
  async releaseByService(request: ReleaseByService): Promise<Outcome<{ address: Address }>> {
    const { zone, address, service, secret, options } = request;
    const { clusterUid, namespaceUid, serviceName } = service;
    const body = {
      zone,
      address: address.toString(),
      namespaceUid,
      serviceName,
      secret,
      options: wireOptions(options),
    };
    const released = await this.#client.call('releaseByService', { params: { clusterUid }, body });
    return released.ok ? accept({ address: addressOf(released.value.address) }) : released;
  }

  /** @inheritdoc */
  async owners(clusterUid: string): Promise<readonly OwnedAddress[]> {
    const claims = await this.#claims(clusterUid, {});
    const contested = (await listContests(this.#client, clusterUid)).map(contestedIn);
    if (contested.length === 0) return claims;
    return [...claims, ...contested].sort((a, b) => a.address.compareTo(b.address));
  }

  /** @inheritdoc */
  async unbound(clusterUid: string): Promise<readonly OwnedAddress[]> {
    const found = await this.#claims(clusterUid, { state: 'reserved' });
    // an address with a reservation is listed with its other holders
    return found.filter(({ state }) => state === 'reserved');
  }

  /** @inheritdoc */
  onFreed(listener: (freed: FreedAddress) => void): () => void {
    return this.#freed.add(listener);
  }

  /** @inheritdoc */
  async rotate(request: RotateRequest): Promise<Outcome<Grant>> {
    const { zone, address, claimant, secret, newSecret, options } = request;
    const { clusterUid } = claimant.service;
    const asker = wireClaimant(claimant);
    const body = {
      claimant: asker,
      zone,
      address: address.toString(),
      secret,
      newSecret,
      options: wireOptions(options),
    };
    return grantedBy(await this.#client.call('rotateSecret', { params: { clusterUid }, body }));
  }

  /** @inheritdoc */
  async sweep(request: SweepRequest): Promise<SweepCount> {
    const asked = await this.#report(request);
    // a report names Services alone, and without them it would end the leases of all of them
    const kind = request.live.find(
      ({ apiVersion, kind: name }) => apiVersion === SERVICE.apiVersion && name === SERVICE.kind,
    );
    if (!asked.listNeeded || kind === undefined) return { released: asked.released, bound: asked.bound };
    const services = (await kind.objects()).map(({ addresses, ...service }) => ({
      ...service,
      addresses: addresses.map(String),
    }));
    const { released, bound } = await this.#report({ ...request, services });
    return { released, bound };
  }

  /** Ends the stream of freed addresses. */
  close(): void {
    this.#freed.close();
  }

  async #reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    const { clusterUid } = request.claimant.service;
    const body = wireClaim(request);
    const { key } = request;
    return grantedBy(
      key === undefined
        ? await this.#client.call('postClaim', { params: { clusterUid }, body })
        : await this.#client.call('putClaim', { params: { clusterUid, key }, body }),
    );
  }

  get #client(): V3Client {
    return this.#props.client;
  }

  async #claims(clusterUid: string, filter: { readonly state?: 'reserved' }): Promise<readonly OwnedAddress[]> {
    const owners: OwnedAddress[] = [];
    let after: { readonly after?: string } = {};
    for (;;) {
      const query = { limit: MAX_PAGE, ...filter, ...after };
      const page = valueOf(await this.#client.call('listClusterClaims', { params: { clusterUid }, query }));
      owners.push(...page.entries.flatMap(ownersIn));
      if (page.next === undefined) return owners;
      after = { after: page.next };
    }
  }

  // A grant tells no cluster; all that this operator asks for are its own.
  #clusterOf(_grant: Grant): string {
    return this.#props.clusterUid;
  }

  // The age is told instead of the time, since two clocks need not agree; each try tells it anew.
  async #report(request: {
    readonly clusterUid: string;
    readonly startedMs: number;
    readonly services?: readonly {
      readonly namespace: string;
      readonly name: string;
      readonly uid: string;
      readonly addresses: string[];
    }[];
  }): Promise<AnswerBody<'putReport'>> {
    const { clusterName: name, clock } = this.#props;
    const { clusterUid, startedMs, services } = request;
    const body = () => ({
      ...(name === undefined ? {} : { name }),
      ageMilliseconds: Math.min(DAY_MS, Math.max(0, clock.nowMs() - startedMs)),
      ...(services === undefined ? {} : { services: [...services] }),
    });
    return valueOf(await this.#client.call('putReport', { params: { clusterUid }, body }, REPORT_MS));
  }
}

function grantedBy(outcome: Outcome<Parameters<typeof grantOf>[0]>): Outcome<Grant> {
  return outcome.ok ? accept(grantOf(outcome.value)) : outcome;
}

function contestedIn({ network, zone, address, service }: WireContest): OwnedAddress {
  const { serviceUid, namespace, serviceName: name } = service;
  const uid = serviceUid === undefined ? {} : { serviceUid };
  return { network, zone, address: addressOf(address), state: 'contested', ...uid, namespace, name };
}

function ownersIn(claim: AnswerBody<'listClusterClaims'>['entries'][number]): readonly OwnedAddress[] {
  const { network, zone, address, state, service } = claim;
  if (state !== 'reserved' && state !== 'bound') return [];
  const { serviceUid, namespace, serviceName: name } = service;
  const uid = serviceUid === undefined ? {} : { serviceUid };
  return [{ network, zone, address: addressOf(address), state, ...uid, namespace, name }];
}
