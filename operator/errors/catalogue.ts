/** How a caller treats a failure: give up, try again with growing pauses, or try again after a told number of seconds. */
export type RetryClass = 'never' | 'backoff' | 'after';

/** One failure as every protocol needs to know it. */
export interface CatalogueRow {
  readonly retry: RetryClass;
  /** HTTP status of the IPAM-API and of an admission verdict. */
  readonly http: number;
  /** Bounded word for conditions, events and metrics (Kubernetes reason, CamelCase). */
  readonly reason: string;
  /** One sentence for the error table of the documentation. */
  readonly summary: string;
  /** Status of gRPC where it is not the usual one of `http`. */
  readonly grpc?: number;
}

const row = (
  retry: RetryClass,
  http: number,
  [reason, summary, grpc]: readonly [string, string, grpc?: number],
): CatalogueRow => ({ retry, http, reason, summary, ...(grpc === undefined ? {} : { grpc }) });

/** Every failure that the product knows, once; protocols read their mapping from here (style rule 10). */
export const CATALOGUE = {
  'address/malformed': row('never', 400, ['InvalidAddress', 'the text is not one IP address']),
  'address/unusable': row('never', 400, ['InvalidAddress', 'the address cannot be assigned (loopback, multicast, …)']),
  'address/wrong-family': row('never', 400, ['WrongFamily', 'the address is of another family than asked for']),
  'address/outside-zone': row('never', 422, ['OutsideZone', 'the address lies in no prefix of the zone']),
  'address/excluded': row('never', 422, ['Excluded', 'the zone never gives this address', 9]),
  'address/held': row('never', 409, ['AddressHeld', 'another claim holds the address']),
  'address/in-use': row('backoff', 409, ['AddressInUse', 'a Service of the same namespace and secret has the address']),
  'address/contested': row('never', 409, [
    'AddressContested',
    'a Service shows an address that the record does not grant',
  ]),
  'address/foreign': row('never', 409, ['AddressForeign', 'the outside source has the address for another owner']),
  'address/quarantined': row('after', 409, ['Quarantined', 'the address was released a moment ago']),
  'address/reserved': row('never', 422, [
    'AddressReserved',
    'the first and the last address of a subnet are not given out',
  ]),
  'outside/none': row('never', 404, ['NoOutsideSource', 'no outside source is set beside the record']),
  'prefix/malformed': row('never', 400, ['InvalidPrefix', 'the text is not one prefix in CIDR notation']),
  'prefix/host-bits-set': row('never', 400, ['InvalidPrefix', 'bits after the prefix length are set']),
  'prefix/not-a-host': row('never', 400, ['InvalidPrefix', 'only a single address (/32 or /128) can be claimed']),
  'prefix/invalid': row('never', 400, ['InvalidPrefix', 'kind, prefix and range of an IPPrefix contradict each other']),
  'prefix/host-length': row('never', 422, ['HostLength', 'a prefix of this kind holds more than one address']),
  'prefix/no-network-name': row('never', 422, ['NoNetworkName', 'a prefix of kind network names no network']),
  'prefix/parent-kind': row('backoff', 422, [
    'WrongParent',
    'a prefix of this kind cannot lie in the one around it',
    9,
  ]),
  'prefix/has-children': row('backoff', 422, ['HasChildren', 'prefixes lie inside that this kind cannot hold', 9]),
  'prefix/no-aggregate': row('backoff', 422, ['NoAggregate', 'the prefix lies in no aggregate', 9]),
  'prefix/in-use': row('backoff', 409, ['PrefixInUse', 'another object holds the prefix or uses it', 6]),
  'prefix/other-network': row('backoff', 409, ['OtherNetwork', 'the subnet belongs to another network', 6]),
  'prefix/name-taken': row('backoff', 409, ['NetworkNameTaken', 'the network has another subnet of this family', 6]),
  'prefix/second-gateway': row('backoff', 409, ['SecondGateway', 'the subnet has another gateway', 6]),
  'prefix/overlap': row('backoff', 409, ['PrefixOverlap', 'another prefix or range has some of these addresses', 6]),
  'prefix/no-network': row('backoff', 422, ['NoNetwork', 'no prefix declares what the request lies in', 5]),
  'range/malformed': row('never', 400, ['InvalidRange', 'the text is not a range of two addresses']),
  'range/reversed': row('never', 400, ['InvalidRange', 'the range ends before it starts']),
  'range/mixed-families': row('never', 400, ['InvalidRange', 'a range has both ends in one family']),
  'addressing/out-of-range': row('never', 500, ['Internal', 'a caller left the interval of a function']),
  'pool/exhausted': row('backoff', 503, ['PoolExhausted', 'the zone has no free address of this family', 8]),
  'pool/not-ready': row('backoff', 409, ['PoolNotReady', 'the pool of a claim is not there, or gives it nothing', 9]),
  'pool/unpublished': row('backoff', 503, ['PoolUnpublished', 'the MetalLB pool does not hold the address yet']),
  'pool/owned': row('backoff', 409, ['PoolOwned', 'another owner has the MetalLB pool of the zone']),
  'pool/overlap': row('backoff', 409, ['PoolOverlap', 'another MetalLB pool holds the address']),
  'pool/in-use': row('never', 422, ['PoolInUse', 'Services use addresses that a change takes out of a MetalLB pool']),
  'instance/not-found': row('backoff', 404, ['InstanceNotFound', 'no NetworkInstance of the namespace has this name']),
  'instance/terminating': row('backoff', 409, ['InstanceTerminating', 'the NetworkInstance is being deleted']),
  'instance/missing': row('never', 400, ['InstanceMissing', 'the request names no NetworkInstance']),
  'instance/in-use': row('backoff', 409, ['InstanceInUse', 'prefixes and allocations are left in the NetworkInstance']),
  'instance/invalid': row('never', 422, ['InvalidInstance', 'the NetworkInstance does not fit its schema']),
  'label/reserved': row('never', 422, ['ReservedLabel', 'the system itself sets this label']),
  'label/too-many': row('never', 422, ['TooManyLabels', 'more or longer labels than an entry can have']),
  'selector/invalid': row('never', 422, ['InvalidSelector', 'the selector is missing or contradicts the request']),
  'selector/no-network': row('never', 422, ['NoNetworkSelected', 'a request of kind network selects no network']),
  'selector/no-candidate': row('backoff', 422, ['NoCandidate', 'no prefix matches the selector', 5]),
  'selector/no-shorter-parent': row('backoff', 422, [
    'NoShorterParent',
    'matching prefixes are as small as the request',
    9,
  ]),
  'selector/bound': row('backoff', 409, ['AddressBound', 'another request uses the selected address', 6]),
  'request/invalid': row('never', 422, ['InvalidRequest', 'the IPAllocation contradicts itself or its schema']),
  'request/length': row('never', 422, ['InvalidLength', 'the family has no such prefix length']),
  'request/length-not-allowed': row('never', 422, ['LengthNotAllowed', 'this request takes no prefix length']),
  'request/length-differs': row('never', 422, ['LengthDiffers', 'the subnet of the address has another length']),
  'request/aggregate-dynamic': row('never', 422, ['AggregateIsStatic', 'an aggregate is given by its prefix alone']),
  'request/changed': row('never', 409, ['RequestChanged', 'the name was given something else before', 6]),
  'package/no-kptfile': row('never', 404, ['NoKptfile', 'no Kptfile stands at the top of the package']),
  'package/published': row('never', 409, ['PackagePublished', 'a published package is never changed']),
  'package/malformed': row('never', 422, ['MalformedPackage', 'a file of the package cannot be read']),
  'package/other': row('never', 409, ['OtherPackage', 'the allocation was taken for another package']),
  'zone/unknown': row('never', 400, ['UnknownZone', 'no zone has this name']),
  'zone/no-family': row('never', 422, ['ZoneWithoutFamily', 'the zone has no prefix of this family']),
  'zone/draining': row('never', 422, ['ZoneDraining', 'the zone gives nothing new']),
  'zone/forbidden': row('never', 403, ['ZoneForbidden', 'the zone is not open to this namespace']),
  'zone/quota': row('backoff', 429, ['ZoneQuota', 'the quota of the zone is used up']),
  'zone/invalid': row('never', 422, ['InvalidZones', 'the zone document is not valid']),
  'zone/overlap': row('never', 422, ['ZonesOverlap', 'two zones of one network share addresses']),
  'wish/malformed': row('never', 422, ['InvalidWish', 'an annotation has a value that is not allowed']),
  'wish/contradiction': row('never', 422, ['WishesContradict', 'two wishes of one object disagree']),
  'wish/family': row('never', 422, ['FamilyConflict', 'addresses and families of the object disagree']),
  'wish/immutable': row('never', 422, ['Immutable', 'this change is not possible on a stored object']),
  'sharing/refused': row('never', 409, ['SharingRefused', 'the address cannot be shared with its holder']),
  // Pulumi goes on with a preview after 403 alone, and the program that it shows may make the Secret too
  'secret/missing': row('never', 403, ['SecretMissing', 'the Secret does not exist']),
  'secret/invalid': row('never', 422, ['SecretInvalid', 'type, key or length of the Secret is not allowed']),
  'secret/wrong': row('never', 403, ['SecretWrong', 'the secret does not own the address']),
  'secret/shared': row('never', 409, ['SecretShared', 'the secret of a shared address cannot be rotated']),
  'secret/not-recoverable': row('never', 409, ['SecretNotRecoverable', 'the secret is kept as a hash only']),
  'reservation/limit': row('backoff', 429, ['TooManyReservations', 'the namespace has too many unbound reservations']),
  'reservation/missing': row('never', 409, ['ReservationMissing', 'the address is not reserved for this object']),
  'claim/not-found': row('never', 404, ['NotFound', 'no such claim']),
  'claim/in-use': row('backoff', 409, ['ClaimInUse', 'others lie in what the client of the gRPC API was given']),
  'claim/key-used': row('never', 409, ['KeyUsed', 'the key of the claim names another wish']),
  'claim/nameless': row('backoff', 503, ['NotStoredYet', 'the address comes once the object is stored and has a name']),
  'claim/invalid': row('never', 422, ['InvalidClaim', 'the claim object contradicts itself or its schema']),
  'group/invalid': row('never', 422, ['InvalidGroup', 'the IPGroup contradicts itself or its schema']),
  'egress/invalid': row('never', 422, ['InvalidEgressIPAM', 'the EgressIPAM contradicts itself or its schema']),
  'egress/overlap': row('never', 422, [
    'EgressOverlap',
    'CIDRs of an EgressIPAM belong to another one, or to Pods or Services of the cluster',
  ]),
  'egress/in-use': row('never', 422, ['EgressInUse', 'a change of an EgressIPAM takes addresses of Namespaces away']),
  'egress/list': row('never', 422, ['InvalidEgressList', 'a Namespace lists egress addresses that it cannot have']),
  'egress/forbidden': row('never', 403, ['EgressForbidden', 'the user has no right to use the EgressIPAM']),
  'ip/invalid': row('never', 422, ['InvalidIP', 'the IP object contradicts itself or its schema']),
  'service/not-ours': row('never', 422, ['NotOurs', 'the object became a LoadBalancer behind our back']),
  'service/dying': row('never', 422, ['BeingDeleted', 'a Service that is being deleted asks for a new address']),
  'namespace/not-found': row('backoff', 503, ['NamespaceMissing', 'the namespace cannot be read yet']),
  'store/unavailable': row('backoff', 503, ['StoreUnavailable', 'the store cannot be reached']),
  'store/not-ready': row('backoff', 503, ['StoreNotReady', 'what is in use is not all on record yet']),
  'store/deadline': row('backoff', 503, ['Deadline', 'the own deadline of the request ended']),
  'store/conflict': row('backoff', 409, ['Conflict', 'another writer changed the record at the same time']),
  'store/closed': row('never', 503, ['StoreClosed', 'the store was closed']),
  'store/locked': row('never', 503, ['StoreLocked', 'another process holds the store']),
  'store/no-file': row('never', 409, ['NoFile', 'the store is no file, and has backups of its own']),
  'store/keys': row('never', 503, ['KeysMissing', 'the key of the stored secrets is missing or another one']),
  'store/lost': row('never', 503, ['StoreLost', 'the store is new, but an earlier one was in use here']),
  'store/moved': row('never', 503, ['StoreMoved', 'the claims of this store are in another one']),
  'store/no-zones': row('never', 409, ['NoZones', 'the operator keeps no record of zones']),
  'store/no-exchange': row('never', 409, ['NoExchange', 'the store cannot exchange addresses in one step']),
  'store/no-contests': row('never', 409, ['NoContests', 'the store has no place for contested addresses']),
  'store/no-history': row('never', 409, ['NoHistory', 'the store keeps nothing of what ended']),
  'store/no-reports': row('never', 409, ['NoReports', 'the store keeps no reports of clusters']),
  'store/no-preview': row('never', 409, ['NoPreview', 'the store tells what it gives only when it gives it']),
  'store/schema': row('never', 500, ['StoreSchema', 'the store was written by a newer version']),
  'cluster/unavailable': row('backoff', 503, ['ClusterUnavailable', 'the API server cannot be reached']),
  'cluster/identity-shared': row('backoff', 409, ['IdentityShared', 'two clusters go by one identity']),
  'cluster/known': row('never', 409, ['ClusterKnown', 'the new name of the cluster has claims of its own']),
  'cluster/renamed': row('never', 409, ['ClusterRenamed', 'the record knows this cluster by another name']),
  'cluster/refused': row('backoff', 502, ['ClusterRefused', 'a rule of the cluster stands against a write of ours']),
  'cloud/unavailable': row('backoff', 503, ['CloudUnavailable', 'the API of the cloud cannot be reached']),
  'cloud/throttled': row('after', 503, ['CloudThrottled', 'the API of the cloud refuses calls, as there are too many']),
  'cloud/login': row('backoff', 502, ['CloudLogin', 'the login of the cloud is missing, or is not taken']),
  'cloud/in-use': row('backoff', 409, ['CloudAddressInUse', 'another machine of the cloud has the address']),
  'cloud/refused': row('backoff', 502, ['CloudRefused', 'the cloud refuses a change, or a read']),
  'api/malformed': row('never', 400, ['BadRequest', 'the body is not what the operation takes']),
  'api/too-large': row('never', 413, ['TooLarge', 'the body is larger than the limit']),
  'api/busy': row('backoff', 503, ['Busy', 'other requests fill what is set aside for them']),
  'api/not-found': row('never', 404, ['NotFound', 'no such path']),
  'api/method-not-allowed': row('never', 405, ['MethodNotAllowed', 'the path does not take this method']),
  'api/unsupported-media-type': row('never', 415, ['UnsupportedMediaType', 'the body is not JSON']),
  'api/timeout': row('backoff', 408, ['RequestTimeout', 'the request did not arrive in time']),
  'api/headers-too-large': row('never', 431, ['HeadersTooLarge', 'the header of the request is larger than the limit']),
  'api/anonymous': row('never', 401, ['Anonymous', 'the operation takes no caller without a login']),
  'api/unauthenticated': row('never', 401, ['Unauthenticated', 'token or certificate are missing or unknown']),
  'api/forbidden': row('never', 403, ['Forbidden', 'the client may not do this']),
  'api/rate-limit': row('after', 429, ['RateLimit', 'the client calls more often than it may']),
  'api/too-many-streams': row('after', 429, ['TooManyStreams', 'the client has as many event streams as it may']),
  'api/streams-full': row('after', 503, ['StreamsFull', 'as many event streams are open as the server serves']),
  'api/outdated': row('never', 412, ['Outdated', 'the claim has changed since the caller read it']),
  'cluster/quota': row('backoff', 429, ['ClusterQuota', 'the quota of the cluster is used up']),
  'namespace/quota': row('backoff', 429, ['NamespaceQuota', 'the quota of the namespace is used up']),
  'settings/invalid': row('never', 500, ['InvalidSettings', 'flags or environment are not valid']),
  'certificate/invalid': row('never', 500, ['InvalidCertificate', 'certificate and key cannot be used']),
  internal: row('backoff', 500, ['Internal', 'a fault of the program']),
} as const satisfies Record<string, CatalogueRow>;

/** Code of one failure, for example `pool/exhausted`. */
export type ErrorCode = keyof typeof CATALOGUE;

/**
 * Tells the codes of this version from every other text.
 *
 * @param text - any text, such as the code of an answer of a newer version
 * @returns true for a code of the catalogue
 */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CATALOGUE, text);
}

/**
 * Looks up what is known of a code.
 *
 * @param code - one of {@link ErrorCode}
 * @returns retry class, HTTP status, reason and summary
 */
export function catalogueRow(code: ErrorCode): CatalogueRow {
  return CATALOGUE[code];
}
