import type { ClaimAnswer, ZoneAnswer } from '../../contract/ipam-api/v3/answers';
import type { EgressAddress } from '../../contract/ipam-api/egress-pages';
import type { NetworkEntryAnswer } from '../../contract/ipam-api/networks-pages';
import type { VipAddress } from '../../contract/ipam-api/vips-pages';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import { allPages } from '../arguments/command-parts';
import { claimsOf, type ServiceName } from '../arguments/service-name';
import { claimSentence, endSentences } from './claim-sentences';
import { storedService, type StoredService } from './ask-stored-service';

/** Facts about something that was named. */
export interface Explained {
  readonly sentences: readonly string[];
  readonly claims: readonly ClaimAnswer[];
  /** Zone that has the address; absent where none has it, and for everything else. */
  readonly zone?: string;
  /** Addresses of IPGroups; absent where the operator has no VIPs door. */
  readonly ips?: readonly VipAddress[];
  /** Entries of networks; absent where the operator has no Networks door. */
  readonly entries?: readonly NetworkEntryAnswer[];
  /** Addresses of EgressIPAMs; absent where the operator has no Egress door. */
  readonly egress?: readonly EgressAddress[];
}

/** Where a name is looked for. */
export interface ExplainOn {
  readonly api: ApiCaller;
  /** Only in this cluster; undefined: in all of them. */
  readonly clusterUid: string | undefined;
}

/**
 * Tells the holder of an address, since when, what ends that, and why no other claimant gets it.
 *
 * @param api - the server
 * @param place - network and text of it
 * @returns the holder with the reason, or why there is none
 */
export async function explainAddress(
  api: ApiCaller,
  place: { readonly network: string; readonly address: string },
): Promise<Outcome<Explained>> {
  const told = await api.call('explainAddress', { params: place });
  if (!told.ok) return told;
  const found = await api.call('getAddress', { params: place });
  if (!found.ok) return found;
  const { holders: claims, zone } = found.value;
  const known = await sentencesOf(api, claims);
  if (!known.ok) return known;
  return accept({
    sentences: [...told.value.sentences, ...known.value],
    claims,
    ...(zone === undefined ? {} : { zone }),
  });
}

/**
 * Explains a Service: what it has, and why it waits.
 *
 * @param on - server and cluster
 * @param service - its name
 * @returns what is known; `claim/not-found` for an unknown one
 */
export async function explainService(on: ExplainOn, service: ServiceName): Promise<Outcome<Explained>> {
  const { api, clusterUid } = on;
  const found = await claimsOf(api, service, clusterUid);
  if (!found.ok) return found;
  const stored = await storedService(api, service);
  const here =
    stored !== undefined && (clusterUid === undefined || clusterUid === stored.clusterUid) ? stored : undefined;
  const claims = found.value;
  if (claims.length === 0 && here?.found !== true) return unknownService(on, service, here);
  const known = await sentencesOf(api, claims);
  if (!known.ok) return known;
  const text = `"${service.namespace}/${service.name}"`;
  const nothing = claims.length > 0 ? [] : [`${text} has nothing on record`];
  return accept({ sentences: [...nothing, ...known.value, ...storedSentences(text, here, claims)], claims });
}

function storedSentences(
  text: string,
  here: StoredService | undefined,
  claims: readonly ClaimAnswer[],
): readonly string[] {
  if (here === undefined) return [];
  const { clusterUid, found, sentences } = here;
  if (found) return sentences.length === 0 ? [] : [`${text} is stored in this cluster`, ...sentences];
  const lost = claims.some(({ service, state }) => service.clusterUid === clusterUid && state === 'bound');
  return lost ? [`no Service ${text} is stored in this cluster now, so its claim ends with the next comparison`] : [];
}

function unknownService(
  { clusterUid }: ExplainOn,
  { namespace, name }: ServiceName,
  here: StoredService | undefined,
): Outcome<never> {
  const where = clusterUid === undefined ? '' : ` in cluster "${clusterUid}"`;
  const stored =
    here === undefined
      ? '; whether it waits is told by the operator of its cluster only'
      : ', and it is not stored in this cluster';
  return refuse('claim/not-found', `no Service "${namespace}/${name}" has anything on record${where}${stored}`);
}

/**
 * Explains what has neither the form of an address nor of a Service: a standing claim, or the key of a claim.
 *
 * @param on - server and cluster
 * @param name - as it was given
 * @returns what is known; `claim/not-found` for an unknown one
 */
export async function explainName(on: ExplainOn, name: string): Promise<Outcome<Explained>> {
  const standing = on.clusterUid === undefined ? await standingClaims(on.api, name) : accept([]);
  if (!standing.ok) return standing;
  const keyed = await keyedClaims(on, name);
  if (!keyed.ok) return keyed;
  const claims = [...standing.value, ...keyed.value.claims];
  if (claims.length === 0) {
    const message = `"${name}" is no address, no Service as namespace/name, no standing claim, and no key of a claim of ${keyed.value.where}`;
    return refuse('claim/not-found', message);
  }
  const known = await sentencesOf(on.api, claims);
  return known.ok ? accept({ sentences: known.value, claims }) : known;
}

async function standingClaims(api: ApiCaller, name: string): Promise<Outcome<readonly ClaimAnswer[]>> {
  const found = await allPages((page) => api.call('listClaims', { query: { serviceName: name, ...page } }));
  return found.ok ? accept(found.value.filter(({ service }) => service.clusterUid === '')) : found;
}

async function keyedClaims(
  { api, clusterUid }: ExplainOn,
  key: string,
): Promise<Outcome<{ readonly claims: readonly ClaimAnswer[]; readonly where: string }>> {
  const clusters = clusterUid === undefined ? await allClusters(api) : accept([clusterUid]);
  if (!clusters.ok) return clusters;
  const claims: ClaimAnswer[] = [];
  for (const each of clusters.value) {
    const found = await api.call('getClaim', { params: { clusterUid: each, key } });
    if (found.ok) claims.push(found.value);
    else if (found.refusal.code !== 'claim/not-found') return found;
  }
  const where =
    clusterUid === undefined ? `the ${clusters.value.length} clusters on record` : `cluster "${clusterUid}"`;
  return accept({ claims, where });
}

async function allClusters(api: ApiCaller): Promise<Outcome<readonly string[]>> {
  const clusters = await api.call('listClusters', {});
  return clusters.ok ? accept(clusters.value.entries.map(({ clusterUid }) => clusterUid)) : clusters;
}

async function sentencesOf(api: ApiCaller, claims: readonly ClaimAnswer[]): Promise<Outcome<readonly string[]>> {
  if (claims.length === 0) return accept([]);
  const zones = await api.call('listZones', {});
  if (!zones.ok) return zones;
  const zoneOf = ({ network, zone }: ClaimAnswer): ZoneAnswer | undefined =>
    zones.value.entries.find((each) => each.network === network && each.name === zone);
  return accept(claims.flatMap((claim) => [claimSentence(claim), ...endSentences(claim, zoneOf(claim))]));
}
