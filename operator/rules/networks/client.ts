import { OBJECT_NAME } from '../../contract/object-name';
import { isLabel } from '../../contract/label-selector';
import type { JsonMap } from '../../contract/loose-json';
import type { AllocRequest, AllocSpec } from '../../contract/networks/alloc/messages';
import { clientKey } from '../../contract/networks/client-key';
import type { EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import { ipAllocationProblems } from '../../contract/kinds/ip-allocation';
import { NEPHIO } from '../../contract/nephio';
import { accept, refuse, type Outcome, type Refusal } from '../../errors/outcome';
import { placeOf } from './grant';
import type { KnownEntry } from './owners';
import { readAllocation } from './read-allocation';
import { API_VERSION } from './read-object';
import type { AllocationRequest, Granted } from './types';

/** Kind of the owner of what a client of the gRPC API was given; it is no object. */
const CLIENT_KIND = 'Allocation';

/** Client of the gRPC API by the namespace and the name of its request. */
export interface ClientName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Names the holder that a client of the gRPC API is; the namespace UID is for the caller to add.
 *
 * @param client - as its requests name it
 * @returns the holder; it has no UID
 */
export function clientOwner({ namespace, name }: ClientName): EntryOwner {
  return { cluster: '', namespaceUid: '', apiVersion: API_VERSION, kind: CLIENT_KIND, namespace, name };
}

/**
 * Finds the client that holds or uses an entry.
 *
 * @param entry - on record
 * @returns the client; undefined where objects have it alone
 */
export function clientOf({ owner, user }: NetworkEntry): EntryOwner | undefined {
  return [owner, user].find((each) => each?.kind === CLIENT_KIND);
}

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u;

function invalid(field: string, value: string, why: string): Outcome<never> {
  return refuse('request/invalid', `${field}: "${value}" ${why}`, { field, value });
}

/**
 * Reads namespace and name of a call.
 *
 * @param of - any message with both
 * @returns both; or `request/invalid`
 */
export function readClientName({ namespace, name }: ClientName): Outcome<ClientName> {
  if (!DNS_LABEL.test(namespace)) return invalid('namespace', namespace, 'is not the name of a namespace');
  if (!OBJECT_NAME.test(name)) {
    return invalid('name', name, 'must be a DNS name of at most 253 characters (a-z, 0-9, - and .)');
  }
  return accept({ namespace, name });
}

function selectorOf({ selector, network, matchExpressions }: AllocSpec): Outcome<JsonMap> {
  const named = selector[NEPHIO.networkName];
  if (network !== '' && named !== undefined && named !== network) {
    const message = `spec.network: "${network}" contradicts the label ${NEPHIO.networkName} of spec.selector, "${named}"; leave one of them out`;
    return refuse('selector/invalid', message, { field: 'spec.network', value: network });
  }
  return accept({
    matchLabels: { ...selector, ...(network === '' ? {} : { [NEPHIO.networkName]: network }) },
    ...(matchExpressions.length === 0 ? {} : { matchExpressions: matchExpressions.map(expressionOf) }),
  });
}

const expressionOf = ({ key, operator, values }: AllocSpec['matchExpressions'][number]): JsonMap => ({
  key,
  operator,
  ...(values.length === 0 ? {} : { values }),
});

// The object that an author would have stored for the same.
function objectOf(
  { namespace, name, labels }: Omit<AllocRequest, 'kind'>,
  { prefixkind, prefix, prefixLength, addressFamily }: AllocSpec,
  selector: JsonMap,
): JsonMap {
  return {
    apiVersion: API_VERSION,
    kind: 'IPAllocation',
    metadata: { namespace, name, labels },
    spec: {
      kind: prefixkind,
      selector,
      ...(prefix === '' ? {} : { prefix }),
      ...(prefixLength === 0 ? {} : { prefixLength }),
      ...(addressFamily === '' ? {} : { addressFamily }),
    },
  };
}

/**
 * Reads a call for an address or a prefix as the IPAllocation that asks for the same would be read.
 *
 * @param message - as the client sent it
 * @returns the request; or the first thing that is wrong
 */
export function readCall(message: Omit<AllocRequest, 'kind'>): Outcome<AllocationRequest> {
  const named = readClientName(message);
  if (!named.ok) return named;
  const { spec } = message;
  if (spec === null) return refuse('request/invalid', 'spec: is missing', { field: 'spec' });
  const wrong = Object.entries(message.labels).find(([key, value]) => !isLabel(key, value));
  if (wrong !== undefined) return invalid('labels', wrong.join('='), 'is not a label that an object could have');
  const selector = selectorOf(spec);
  if (!selector.ok) return selector;
  const object = objectOf(message, spec, selector.value);
  const read = readAllocation(object);
  if (!read.ok) return read;
  const [problem] = ipAllocationProblems(object);
  if (problem !== undefined) return { ok: false, refusal: problem };
  return accept({ ...read.value, owner: clientOwner(named.value), key: clientKey(named.value), door: 'grpc' });
}

// not inside of a quoted value
const OBJECT_PATHS = [
  [/(?<!")\bspec\.kind\b/gu, 'spec.prefixkind'],
  [/(?<!")\bmetadata\.labels\b/gu, 'labels'],
] as const;

const asSent = (text: string): string =>
  OBJECT_PATHS.reduce((changed, [path, sent]) => changed.replace(path, sent), text);

/**
 * Names the fields of a refusal as the messages of a client have them, not as an IPAllocation has.
 *
 * @param refusal - of a request that was read as an IPAllocation
 * @returns the same, with the fields of the message
 */
export function refusalOfCall(refusal: Refusal): Outcome<never> {
  const { code, message, field, ...details } = refusal;
  return refuse(code, asSent(message), { ...details, ...(field === undefined ? {} : { field: asSent(field) }) });
}

/** Text, gateway and parent of what a client holds or uses. */
export type GivenToClient = Omit<Granted, 'superseded'>;

/**
 * Tells what was given with an entry.
 *
 * @param table - of the network
 * @param entry - that a client holds or uses
 * @returns the same that the answer to its request says
 */
export function tellGiven(table: NetworkTable, entry: KnownEntry): GivenToClient {
  const place = placeOf(table, entry);
  const { block, parent } = place;
  const isWished = entry.facts.kind === 'network' && entry.facts.isStatic === true && parent !== undefined;
  return { ...place, text: isWished ? `${block.first.toString()}/${String(parent.length)}` : block.toString() };
}
