import type { Address } from '../../../addressing/address';
import { NO_OPTIONS } from '../../../contract/claim-options';
import { serviceIdentity } from '../../../contract/service-identity';
import { accept, refuse, type Outcome, type Refusal } from '../../../errors/outcome';
import { chosenKeyOf } from '../../../ledger/records/claim-key';
import { outdatedProblem, unexpected } from '../../../ledger/records/expect-version';
import { grantOf } from '../../../ledger/records/grant';
import type { Claimant, Expectation, Grant } from '../../../ports/address-book';
import type { AddressRecord, Holder } from '../../../ports/claims';
import type { Handlers, IpamApiV3Parts, V3Answer, V3Call } from './parts';
import {
  addressAt,
  claimAnswer,
  claimantOf,
  grantAnswer,
  namesForClient,
  placeOf,
  present,
  reserveRequest,
  standing,
} from './wire';

type GrantBody = ReturnType<typeof grantAnswer>;

/** Handlers of the claims of a cluster, one by one. */
export const CLAIM_HANDLERS: Handlers<
  | 'putClaim'
  | 'postClaim'
  | 'getClaim'
  | 'patchClaim'
  | 'deleteClaim'
  | 'checkClaim'
  | 'rotateSecret'
  | 'releaseByService'
> = {
  putClaim: async (parts, { params, body, client, expects = {} }) => {
    const request = reserveRequest(params.clusterUid, body, client);
    if (!request.ok) return request;
    const { service, serviceUid, reservation } = request.value.claimant;
    if (reservation !== undefined) return refuseClaimant('reservation', 'the key stands in its place; leave it out');
    if (service.serviceName === '' && serviceUid === undefined) {
      return refuseClaimant('serviceName', 'empty, and serviceUid is absent; give one of them');
    }
    return granted(await parts.book.reserve({ ...request.value, key: params.key, expects }), params);
  },
  postClaim: async (parts, { params, body, client }) => {
    const request = reserveRequest(params.clusterUid, body, client);
    return request.ok ? granted(await parts.book.reserve(request.value), params) : request;
  },
  getClaim: async (parts, { params, client }) => {
    const found = await locate(parts, params);
    if (!found.ok) return found;
    const { record, holder } = found.value;
    const headers = { etag: `"${record.version}"` };
    return accept({
      body: claimAnswer(record, holder, { nowMs: parts.clock.nowMs(), mayName: namesForClient(client) }),
      headers,
    });
  },
  patchClaim: async (parts, call) => {
    const { claimant, terms, rotate } = call.body;
    if (rotate !== undefined && (claimant !== undefined || terms !== undefined)) {
      return refuse('api/malformed', 'rotate: stands alone; change the secret by terms.secret when you bind', {
        field: 'rotate',
      });
    }
    if (rotate !== undefined) return rotateClaim(parts, call, rotate);
    if (claimant === undefined && terms === undefined) {
      return refuse('api/malformed', 'the body changes nothing; give claimant, terms or rotate');
    }
    return bindClaim(parts, call);
  },
  deleteClaim: async (parts, call) => {
    const found = await locateUnchanged(parts, call);
    if (!found.ok) return gone(found.refusal);
    const { undo, state } = call.query;
    const { holder, version: read } = found.value;
    if (state !== undefined && state !== holder.state) return accept({ body: { released: [] } });
    const version = present({ version: read });
    return undo === true ? undoClaim(parts, found.value, version) : releaseClaim(parts, found.value, version);
  },
  checkClaim: async (parts, { params, body }) => {
    const address = addressAt(body.address, 'address');
    if (!address.ok) return address;
    const claimant = claimantOf(params.clusterUid, body.claimant);
    return shown(await parts.book.check({ claimant, zone: body.zone, address: address.value }));
  },
  rotateSecret: async (parts, { params, body }) => {
    const address = addressAt(body.address, 'address');
    if (!address.ok) return address;
    const { zone, secret, newSecret, options } = body;
    const claimant = claimantOf(params.clusterUid, body.claimant);
    const { family } = address.value;
    return shown(
      await parts.book.rotate({ zone, family, address: address.value, claimant, secret, newSecret, options }),
    );
  },
  releaseByService: async (parts, { params, body }) => {
    const address = addressAt(body.address, 'address');
    if (!address.ok) return address;
    const { zone, namespaceUid, serviceName, secret, options } = body;
    const service = { clusterUid: params.clusterUid, namespaceUid, serviceName };
    const { family } = address.value;
    const released = await parts.book.releaseByService({
      zone,
      family,
      address: address.value,
      service,
      secret,
      options,
    });
    return released.ok ? accept({ body: { address: released.value.address.toString() } }) : released;
  },
};

/** One claim of the cluster of a path. */
interface Found {
  readonly record: AddressRecord;
  readonly holder: Holder;
}

interface ClaimPath {
  readonly clusterUid: string;
  readonly key: string;
}

function refuseClaimant(member: string, what: string): Outcome<never> {
  return refuse('api/malformed', `claimant.${member}: ${what}`, { field: `claimant.${member}` });
}

function granted(
  outcome: Outcome<Grant>,
  { clusterUid }: { readonly clusterUid: string },
): Outcome<V3Answer<GrantBody>> {
  if (!outcome.ok) return outcome;
  const body = grantAnswer(outcome.value);
  const path = `/v3/clusters/${encodeURIComponent(clusterUid)}/claims/${encodeURIComponent(body.key)}`;
  const headers = body.created ? { location: path } : { 'content-location': path };
  return accept({ status: body.created ? 201 : 200, body, headers });
}

function shown(outcome: Outcome<Grant>): Outcome<V3Answer<GrantBody>> {
  return outcome.ok ? accept({ body: grantAnswer(outcome.value) }) : outcome;
}

// Claims of other clusters are not told from those that do not exist.
async function locate({ registry }: IpamApiV3Parts, { clusterUid, key }: ClaimPath): Promise<Outcome<Found>> {
  const place = placeOf(key);
  if (place?.ok === false) return place;
  const record =
    place === undefined
      ? await registry.keyed(clusterUid, key)
      : await registry.claim(place.value.network, place.value.address);
  const claims = record === undefined || record.state !== 'held' ? [] : standing(record);
  const holder = claims.find((each) =>
    place === undefined ? keyOf(each, clusterUid) === key : each.id === place.value.holderId,
  );
  if (record !== undefined && holder?.owner.cluster === clusterUid) return accept({ record, holder });
  return refuse('claim/not-found', 'the cluster has no claim with this key', { field: 'key', value: key });
}

function keyOf(holder: Holder, clusterUid: string): string | undefined {
  return chosenKeyOf(clusterUid, holder.key);
}

/** A claim, and the version that the write must find where the caller set a condition. */
type Unchanged = Found & { readonly version?: number };

async function locateUnchanged(
  parts: IpamApiV3Parts,
  { params, expects }: Pick<V3Call<'deleteClaim'>, 'params' | 'expects'>,
): Promise<Outcome<Unchanged>> {
  const found = await locate(parts, params);
  if (!found.ok || !isConditional(expects)) return found;
  const { record } = found.value;
  // early, so that a refusal tells nothing else; what counts is the comparison beside the write
  return unexpected(record, expects) ?? accept({ ...found.value, version: record.version });
}

// `If-Match: *` asks no more than that there is a claim.
function isConditional({ match, noneMatch }: Expectation = {}): boolean {
  return Array.isArray(match) || noneMatch !== undefined;
}

async function bindClaim(parts: IpamApiV3Parts, call: V3Call<'patchClaim'>): Promise<Outcome<V3Answer<GrantBody>>> {
  const { params, body } = call;
  const found = await locateForBind(parts, call);
  if (!found.ok) return found;
  const { grant, holder, version } = found.value;
  const claimant =
    body.claimant === undefined
      ? holder && ownerOf(holder)
      : { ...claimantOf(params.clusterUid, body.claimant), serviceUid: body.claimant.serviceUid };
  if (claimant === undefined) {
    return refuse('api/malformed', 'claimant: missing; the claim has no stored Service yet whose terms could change', {
      field: 'claimant',
    });
  }
  return shown(
    await parts.book.bind({
      claimant,
      grant,
      ...present({ version }),
      ...(body.terms === undefined ? {} : { terms: termsOf(body.terms) }),
    }),
  );
}

function termsOf(terms: NonNullable<V3Call<'patchClaim'>['body']['terms']>) {
  const { secret, options, sharing, writtenKeys } = terms;
  return {
    options,
    writtenKeys,
    ...(secret === undefined ? {} : { secret }),
    ...(sharing === undefined ? {} : { sharing }),
  };
}

function claimantIn({ owner }: Holder): Claimant {
  const { namespace, uid } = owner;
  return { service: serviceIdentity(owner), namespace, ...(uid === undefined ? {} : { serviceUid: uid }) };
}

function ownerOf(holder: Holder): (Claimant & { serviceUid: string }) | undefined {
  const { serviceUid, ...claimant } = claimantIn(holder);
  return serviceUid === undefined ? undefined : { ...claimant, serviceUid };
}

type BindPlace = { readonly grant: Grant; readonly holder?: Holder; readonly version?: number };

// The place in a key of ours says all that a bind needs, and a holder that is gone may have a successor.
async function locateForBind(parts: IpamApiV3Parts, call: V3Call<'patchClaim'>): Promise<Outcome<BindPlace>> {
  const place = placeOf(call.params.key);
  if (place?.ok === false) return place;
  if (place === undefined || isConditional(call.expects) || call.body.claimant === undefined) {
    const found = await locateUnchanged(parts, call);
    if (!found.ok) return found;
    const { holder, version } = found.value;
    const grant = { ...grantOf(found.value, false), ...present({ state: call.query.state }) };
    return accept({ grant, holder, ...present({ version }) });
  }
  const { network, address, holderId } = place.value;
  const { state = 'bound' } = call.query;
  const rest = { zone: '', state, writtenKeys: [], created: false, sharedWith: [] };
  return accept({ grant: { network, address, holderId, family: address.family, ...rest } });
}

async function rotateClaim(
  parts: IpamApiV3Parts,
  call: V3Call<'patchClaim'>,
  secrets: NonNullable<V3Call<'patchClaim'>['body']['rotate']>,
): Promise<Outcome<V3Answer<GrantBody>>> {
  const found = await locateUnchanged(parts, call);
  if (!found.ok) return found;
  const { record, holder, ...version } = found.value;
  const { pool: zone, family, address } = record;
  const { options = NO_OPTIONS } = holder;
  const claimant = claimantIn(holder);
  return shown(await parts.book.rotate({ zone, family, address, claimant, ...secrets, options, ...version }));
}

function gone(refusal: Refusal): Outcome<V3Answer<{ released: string[] }>> {
  return refusal.code === 'claim/not-found' ? accept({ body: { released: [] } }) : { ok: false, refusal };
}

type Version = { readonly version?: number };

async function undoClaim(
  parts: IpamApiV3Parts,
  { record, holder }: Found,
  version: Version,
): Promise<Outcome<V3Answer<{ released: string[] }>>> {
  await parts.book.undo({ ...grantOf({ record, holder }, true), ...version });
  const left = await parts.registry.claim(record.network, record.address);
  if (left?.holders.some(({ id }) => id === holder.id) !== true)
    return accept({ body: { released: texts([record.address]) } });
  return outdatedProblem(left, version.version) ?? accept({ body: { released: [] } });
}

async function releaseClaim(
  parts: IpamApiV3Parts,
  { record, holder }: Found,
  version: Version,
): Promise<Outcome<V3Answer<{ released: string[] }>>> {
  const { network, address } = record;
  const released = await parts.registry.release({ network, address, holderId: holder.id, retain: true, ...version });
  return released.ok ? accept({ body: { released: texts([address]) } }) : gone(released.refusal);
}

/**
 * Writes addresses.
 *
 * @param addresses - any
 * @returns their texts
 */
export function texts(addresses: readonly Address[]): string[] {
  return addresses.map((address) => address.toString());
}
