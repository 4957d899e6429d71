import { addressOf, familyBits } from '../../../addressing/address';
import { MAX_SHOWN, type LookedUp } from '../../../contract/ipam-api/v3/shown-schemas';
import { serviceOwner } from '../../../contract/service-identity';
import { IpamError, valueOf } from '../../../errors/ipam-error';
import type { AddressRecord, Holder, Place } from '../../../ports/claims';
import type { Clock } from '../../../ports/clock';
import type { V3Client } from './v3-client';
import { Gathered } from './v3-gathered';
import { orLacking } from './v3-lacking';

/** How long a server that does not tell is not asked again: it may be replaced. */
const REST_MS = 60_000;

/** Parts of {@link OwnClaims}. */
export interface OwnClaimsProps {
  readonly client: V3Client;
  readonly clusterUid: string;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Reads what the own cluster has at addresses, many of them by one call; of other clusters nothing is told. Safe for parallel calls. */
export class OwnClaims {
  readonly #props: OwnClaimsProps;
  #restsUntilMs = 0;
  readonly #places: Gathered<Place, AddressRecord | undefined>;

  /**
   * Asks nothing yet.
   *
   * @param props - client, cluster, clock
   */
  constructor(props: OwnClaimsProps) {
    this.#props = props;
    this.#places = new Gathered((places) => this.#lookUp(places), MAX_SHOWN);
  }

  /**
   * Reads one address.
   *
   * @param place - network and address
   * @returns the holders of the own cluster, or its Service that left the address a moment ago; undefined where the cluster has nothing
   *   there
   * @throws IpamError `store/not-ready` where the server does not tell: the next call may reach a newer one; else as a call does
   */
  get(place: Place): Promise<AddressRecord | undefined> {
    return this.#places.add(place);
  }

  async #lookUp(places: readonly Place[]): Promise<readonly (AddressRecord | undefined)[]> {
    const { client, clusterUid, clock } = this.#props;
    if (clock.nowMs() < this.#restsUntilMs) throw untold();
    const body = { places: places.map(({ network, address }) => ({ network, address: address.toString() })) };
    const answer = await orLacking(client.call('lookupClaims', { params: { clusterUid }, body }));
    const nowMs = clock.nowMs();
    if (answer.kind === 'lacking') {
      this.#restsUntilMs = nowMs + REST_MS;
      throw untold();
    }
    const { entries } = valueOf(answer.outcome);
    const found = new Map(entries.map((entry) => [`${entry.network} ${entry.address}`, recordOf(entry, nowMs)]));
    return places.map(({ network, address }) => found.get(`${network} ${address.toString()}`));
  }
}

// Not the same as nothing: what the cluster has by claims would be taken for foreign.
function untold(): IpamError {
  return new IpamError('store/not-ready', 'the IPAM-API does not tell what this cluster has at an address');
}

// Moments are written by the own clock: the server tells durations.
function recordOf({ network, zone: pool, address: text, holders, former }: LookedUp, nowMs: number): AddressRecord {
  const address = addressOf(text);
  const place = { network, pool, address, length: familyBits(address.family), family: address.family };
  const rest = { holders: holders.map(holderOf), version: 0, takenAtMs: 0 };
  if (former === undefined) return { ...place, state: 'held', ...rest };
  const { service, leftMilliseconds } = former;
  const quarantine = { untilMs: nowMs + leftMilliseconds, former: holderOf({ service, state: 'bound' }) };
  return { ...place, state: 'quarantined', ...rest, quarantine };
}

function holderOf({ service, state }: LookedUp['holders'][number]): Holder {
  const { namespace, serviceUid, ...identity } = service;
  return { id: '', state, sinceMs: 0, owner: serviceOwner({ service: identity, namespace, serviceUid }) };
}
