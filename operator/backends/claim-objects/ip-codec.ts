import { familyBits } from '../../addressing/address';
import { spaceText } from '../../addressing/space-text';
import { groupLabel } from '../../contract/kinds/ip-group';
import { IP, ipName, ipProblems, MAX_HOLDERS, readIp, type IpReading } from '../../contract/kinds/ip';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IP_KEYS, IP_NETWORK, PAAS_GROUP } from '../../contract/paas';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { AddressRecord, Holder, Owner, Place } from '../../ports/claims';
import type { ClaimCodec, ClaimDraft, ClaimWriting } from './claim-codec';
import { DETAILS_KEY, detailsOf, present } from './claim-details';
import { versionOf } from '../../contract/resource-version';

const API_VERSION = `${IP.group}/${IP.version}`;

/**
 * Reads and writes IPs: one object for each address, with all of its holders, those of the older operator included.
 *
 * @returns reads and writes
 */
export function ipCodec(): ClaimCodec {
  return { maxHolders: MAX_HOLDERS, nameOf, read, write, decisionOf: (object) => detailsOf(object).decision };
}

const isWhole = ({ address, length }: Place): boolean => length === undefined || length === familyBits(address.family);

// A prefix is never written; its name is that of no object.
function nameOf(place: Place): string {
  const name = ipName(place.address);
  return isWhole(place) ? name : `${name}-of-${String(place.length)}`;
}

function read(object: JsonMap): AddressRecord | undefined {
  const reading = readIp(object);
  if (reading === undefined) return undefined;
  const { address, group: pool, state, until } = reading;
  const madeMs = momentOf(metadataOf(object)['creationTimestamp']) ?? 0;
  const holders = holdersOf(reading, object, madeMs);
  const rest = {
    network: IP_NETWORK,
    address,
    length: familyBits(address.family),
    pool,
    family: address.family,
    version: versionOf(object),
    takenAtMs: detailsOf(object).takenAtMs ?? madeMs,
  };
  const [former] = holders;
  if (state === 'bound' || former === undefined) return Object.freeze({ ...rest, state: 'held', holders });
  const quarantine = Object.freeze({ untilMs: momentOf(until) ?? Infinity, former });
  return Object.freeze({ ...rest, state: 'quarantined', holders: Object.freeze([]), quarantine });
}

function momentOf(value: unknown): number | undefined {
  const ms = Date.parse(textOf(value));
  return Number.isNaN(ms) ? undefined : ms;
}

function holdersOf({ holders }: IpReading, object: JsonMap, madeMs: number): readonly Holder[] {
  const uid = textOf(metadataOf(object)['uid']);
  const read = holders.map((each): Holder => {
    const { id = uid, since, sharing, purpose } = each;
    return Object.freeze({
      id,
      owner: ownerOf(each),
      state: 'bound',
      ...present('sharing', sharing),
      ...present('purpose', purpose),
      sinceMs: momentOf(since) ?? madeMs,
    });
  });
  return Object.freeze(read.length > 0 ? read : [unreadable(object, madeMs)]);
}

// The address is taken all the same: an object without a holder would be taken over.
function unreadable(object: JsonMap, sinceMs: number): Holder {
  const { name, uid } = metadataOf(object);
  const owner = { apiVersion: API_VERSION, kind: IP.kind, namespace: '', name: textOf(name) };
  return Object.freeze({ id: textOf(uid), owner: ownerOf(owner), state: 'bound', sinceMs });
}

/** API group and version of a holder whose kind alone is known. */
const API_VERSIONS: Readonly<Record<string, string>> = { Service: 'v1', VirtualIP: `${PAAS_GROUP}/v1` };

function ownerOf(of: Partial<Owner> & Pick<Owner, 'kind' | 'name'>): Owner {
  const { kind, name, namespace = '', uid, apiVersion = API_VERSIONS[kind] ?? '' } = of;
  const isKnown = uid !== undefined && uid !== '';
  return Object.freeze({
    cluster: '',
    apiVersion,
    kind,
    namespace,
    namespaceUid: '',
    name,
    ...(isKnown ? { uid } : {}),
  });
}

function write(draft: ClaimDraft, { decision, before }: ClaimWriting): Outcome<JsonMap> {
  const { address, pool, takenAtMs, quarantine } = draft;
  const holders = quarantine === undefined ? draft.holders : [quarantine.former];
  const [oldest] = holders;
  const unfit = oldest === undefined ? 'names no holder' : whyUnfit(draft, holders);
  if (oldest === undefined || unfit !== undefined) {
    const value = spaceText(draft);
    return refuse('claim/invalid', `the claim of "${value}" is an IP, but ${unfit ?? 'names no holder'}`, { value });
  }
  const metadata = metadataOf(before);
  const object = {
    apiVersion: API_VERSION,
    kind: IP.kind,
    metadata: {
      ...present('finalizers', metadata['finalizers']),
      ...present('ownerReferences', metadata['ownerReferences']),
      name: ipName(address),
      labels: labelsOf(mapOf(metadata['labels']), pool),
      annotations: {
        ...mapOf(metadata['annotations']),
        [IP_KEYS.owner]: `${oldest.owner.namespace}/${oldest.owner.name}`,
        [DETAILS_KEY]: JSON.stringify({ decision, takenAtMs }),
      },
    },
    spec: {
      address: address.toString(),
      ...present('ipGroup', pool === '' ? undefined : pool),
      state: quarantine === undefined ? 'bound' : 'quarantined',
      ...present('until', quarantine === undefined ? undefined : new Date(quarantine.untilMs).toISOString()),
      owner: namedOwner(oldest.owner),
      holders: holders.map(writtenHolder),
    },
  };
  const [problem] = ipProblems({ ...object, metadata: { name: object.metadata.name } });
  return problem === undefined ? accept(object) : { ok: false, refusal: problem };
}

function whyUnfit(draft: ClaimDraft, holders: readonly Holder[]): string | undefined {
  if (draft.secret !== undefined) return 'an object of the cluster keeps no secret';
  if (draft.network !== IP_NETWORK) return `all IPs are of network "${IP_NETWORK}"`;
  if (!isWhole(draft)) return 'it is a prefix';
  if (holders.some(({ state }) => state !== 'bound')) return 'its holders can only be bound';
  if (holders.some((each) => each.key !== undefined || each.options !== undefined || each.writtenKeys !== undefined))
    return 'its holders have neither keys nor options';
  return undefined;
}

// The label of a segment mapping says that no group has the address, so it goes with the first one of a group.
function labelsOf(labels: JsonMap, pool: string): JsonMap {
  if (pool === '') return labels;
  const { [IP_KEYS.segmentMapping]: _mapping, ...rest } = labels;
  return { ...rest, [IP_KEYS.group]: groupLabel(pool) };
}

function namedOwner({ kind, namespace, name, uid }: Owner): JsonMap {
  return { kind, ...present('namespace', namespace === '' ? undefined : namespace), name, ...present('uid', uid) };
}

function writtenHolder({ id, owner, sinceMs, sharing, purpose }: Holder): JsonMap {
  return {
    id,
    since: new Date(sinceMs).toISOString(),
    apiVersion: owner.apiVersion,
    ...namedOwner(owner),
    ...present('sharing', sharing === undefined ? undefined : { ...sharing, ports: [...sharing.ports] }),
    ...present('purpose', purpose),
  };
}
