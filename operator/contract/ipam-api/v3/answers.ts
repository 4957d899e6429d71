import { Type, type Static } from '@sinclair/typebox';
import { choice } from '../../vocabulary';
import {
  addressText,
  amount,
  anyKey,
  claimState,
  clusterUid,
  family,
  holderState,
  line,
  list,
  moment,
  network,
  options,
  record,
  writtenKeys,
  zone,
} from './pieces';
import { MANY, pageOf } from './pages';

const place = { network, zone, family, address: addressText('the address, in the form of RFC 5952') };
/** Whose claim it is. */
export const service = record(
  {
    clusterUid: line('UID of the namespace kube-system of the cluster; empty for a standing claim', 0),
    namespaceUid: line('UID of the namespace; empty for a standing claim', 0),
    namespace: line('name of the namespace; empty where only its UID is known', 0),
    serviceName: line('name of the Service, or of the standing claim; empty while it has none', 0),
    serviceUid: Type.Optional(line('UID of the stored Service; absent until it is bound')),
  },
  'whose claim it is',
);
const others = list(
  Type.String({ description: 'namespace and name, or the identity triple' }),
  MANY,
  'other holders of the address',
);

/** Claim of a caller: answer to every change of it. */
export const GRANT = record(
  {
    key: anyKey,
    ...place,
    state: holderState,
    holderId: line('id of the holder on its address'),
    writtenKeys,
    created: Type.Boolean({ description: 'true when this very call made the claim' }),
    sharedWith: others,
  },
  'one claim as its owner sees it',
);
const stale = Type.Boolean({
  description: 'true: a lease that ran out, of a cluster that has not reported since',
});
/** A claim on record. */
export const CLAIM = record(
  {
    key: anyKey,
    ...place,
    state: claimState,
    holderId: line('id of the holder on its address'),
    service,
    options,
    writtenKeys,
    since: moment('when the holder came'),
    until: Type.Optional(moment('end of the lease, the retention or the quarantine')),
    stale,
    sharedWith: others,
    version: Type.Integer({ minimum: 0, description: 'grows with each change of the address' }),
  },
  'one claim on record',
);
/** Page of claims. */
export const CLAIMS = pageOf(CLAIM, 'claims, lowest address first within a network');
/** Claims of a claimant. */
export const HOLDINGS = record(
  { entries: list(GRANT, MANY, 'its claims, lowest address first') },
  'everything that one claimant holds',
);
/** Addresses that a release gave up. */
export const RELEASED = record(
  { released: list(addressText('an address'), MANY, 'lowest first') },
  'what was given up',
);
/** The one address that a release gave up. */
export const RELEASED_ONE = record({ address: addressText('the address') }, 'what was given up');
/** Answer to a report. */
export const REPORTED = record(
  {
    released: Type.Integer({ minimum: 0, description: 'leases that ended' }),
    bound: Type.Integer({ minimum: 0, description: 'leases that were bound to their Service' }),
    listNeeded: Type.Boolean({ description: 'true: a lease ran out, so nothing was compared; send the list' }),
  },
  'what the comparison changed',
);
/** Result of a clean-up. */
export const CLEANUP = record(
  {
    dryRun: Type.Boolean({ description: 'true: nothing was changed' }),
    entries: list(
      record(
        {
          network,
          zone,
          address: addressText('the address'),
          service,
          verdict: choice(
            ['released', 'retained', 'denied', 'joined'],
            'released: ends now; retained: its retention begins; denied: denyExternalCleanup protects it; joined: others stay',
          ),
          until: Type.Optional(moment('end of the retention')),
        },
        'one claim of the cluster',
      ),
      MANY,
      'every claim of the cluster',
    ),
  },
  'what becomes of the claims of a cluster',
);
/** Clusters with claims or reports. */
export const CLUSTERS = record(
  {
    entries: list(
      record(
        {
          clusterUid,
          name: line('name that the cluster gave itself; empty where it gave none', 0),
          claims: Type.Integer({ minimum: 0, description: 'claims of the cluster' }),
          reportedAt: Type.Optional(moment('last complete report of its Services; absent where there was none')),
        },
        'one cluster',
      ),
      MANY,
      'by UID',
    ),
  },
  'clusters with claims or reports',
);
const UNCOUNTED = 'where the record does not count them: absent if the query asks for contested ones, else 0';
const usage = record(
  {
    family,
    capacity: amount('addresses that the zone may give'),
    reserved: amount('reserved'),
    bound: amount('bound'),
    retained: Type.Optional(amount(`retained; ${UNCOUNTED}`)),
    quarantined: Type.Optional(amount(`quarantined; ${UNCOUNTED}`)),
    contested: Type.Optional(
      amount(
        'shown by Services to which the record does not grant them; only where the query asks for it and the record counts them',
      ),
    ),
    outside: amount('held or quarantined, though the zone would not give them any more'),
    foreign: amount(
      'inside of the zone, but in use without a claim: a cluster shows them, or an outside source has them for others',
    ),
    free: amount('free now'),
  },
  'exact numbers of one family',
);
/** One zone with its numbers. */
export const ZONE = record(
  {
    name: zone,
    network,
    present: Type.Boolean({ description: 'false: gone from the document, but claims hold addresses of it' }),
    prefixes: list(Type.String({ description: 'CIDR' }), MANY, 'what it may give'),
    excluded: list(Type.String({ description: 'address or range' }), MANY, 'what it never gives'),
    namespaces: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        description: 'label selector of the namespaces that may use it',
      }),
    ),
    quarantineSeconds: Type.Integer({
      minimum: 0,
      description: 'time for which only the former holder may have an address',
    }),
    quota: Type.Optional(Type.Integer({ minimum: 0, description: 'most held addresses, both families together' })),
    draining: Type.Boolean({ description: 'true: gives nothing new' }),
    usage: list(usage, 2, 'by family'),
  },
  'one zone',
);
/** Zones with their numbers. */
export const ZONES = record(
  {
    defaultZone: Type.Optional(zone),
    entries: list(ZONE, MANY, 'by network and name'),
  },
  'every zone, also one that is gone but has holders',
);
/** Page of services. */
export const SERVICES = pageOf(
  record(
    { service, ...place, state: claimState, until: Type.Optional(moment('end of the state')), stale },
    'one service on one address',
  ),
  'services by address',
);
/** One address. */
export const ADDRESS = record(
  {
    network,
    address: addressText('the address'),
    zone: Type.Optional(zone),
    state: choice(
      ['free', 'held', 'quarantined', 'foreign', 'unmanaged'],
      'foreign: a cluster shows the address without a claim, or an outside source has it for another owner; unmanaged: no zone holds the address',
    ),
    shownBy: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'by what a cluster shows the address without a claim' }),
    ),
    holders: list(CLAIM, MANY, 'its holders, oldest first'),
    quarantinedUntil: Type.Optional(moment('when any claimant may have it')),
  },
  'what is known of one address',
);
/** Page of the history of an address. */
export const HISTORY = pageOf(
  record(
    {
      zone,
      service,
      state: claimState,
      from: moment('begin'),
      until: Type.Optional(moment('end; absent while it lasts')),
    },
    'one span of time',
  ),
  'former holders of the address, newest first',
);
/** Why an address is as it is. */
export const EXPLANATION = record(
  {
    network,
    address: addressText('the address'),
    sentences: list(Type.String({ description: 'one sentence' }), 100, 'in the order in which they matter'),
  },
  'why the address can be had or not',
);
/** Address that a reservation would get. */
export const PLANNED = record(
  {
    zone,
    family,
    address: addressText('the address'),
    kind: choice(
      ['kept', 'returned', 'new', 'joined'],
      'kept: held already; returned: comes back to its former holder; new: free; joined: shared',
    ),
  },
  'what the claim would get now',
);
/** A standing claim. */
export const STANDING = record(
  { name: line('its name'), ...place, purpose: line('what it is for', 0), since: moment('when it was made') },
  'an address that its name keeps',
);
/** End of a release by an administrator. */
export const HOLDER_RELEASED = record(
  {
    quarantinedUntil: Type.Optional(
      moment('when any claimant may have the address; absent: others hold it, or it is free now'),
    ),
  },
  'the holder is gone',
);
/** A secret that was kept recoverable. */
export const REVEALED_SECRET = record(
  { secret: Type.String({ description: 'the secret; keep it out of logs and caches' }) },
  'the secret that owns an address',
);
const difference = record(
  {
    kind: choice(
      ['orphan', 'missing', 'foreign'],
      'orphan: an entry of ours without a claim; missing: a claim without its entry; foreign: the source has the address for another owner',
    ),
    network,
    zone,
    address: addressText('the address'),
    outside: Type.String({ description: 'what the source has or answers, in one sentence' }),
    holders: list(
      record(
        {
          clusterUid: line('UID of the namespace kube-system of the cluster; empty for a standing claim', 0),
          namespace: line('name of the namespace; empty where only its UID is known', 0),
          serviceName: line('name of the Service, or of the standing claim', 0),
          state: holderState,
        },
        'one holder',
      ),
      MANY,
      'holders of the address on record; none for an orphan',
    ),
    since: moment('when it was seen first, as far as this is known'),
    next: choice(['create', 'remove'], 'create: our entry is made; remove: our entry is removed'),
    nextAt: moment('when that is tried next, as of the comparison'),
  },
  'one difference',
);
/** Differences to the outside source. */
export const DIFFERENCES = record(
  {
    source: line('name of the outside source'),
    comparedAt: Type.Optional(moment('newest comparison; absent before the first one')),
    total: Type.Integer({ minimum: 0, description: 'how many differences there were' }),
    entries: list(difference, 1_000, 'the first 1,000 of them'),
    unread: list(zone, MANY, 'zones that could not be compared, since the source did not answer'),
  },
  'how the outside source and the record differ',
);
/** Results of an import. */
export const IMPORTED = record(
  {
    entries: list(
      record(
        {
          zone,
          address: addressText('the address'),
          verdict: choice(['imported', 'same', 'refused'], 'same: it was on record already'),
          problem: Type.Optional(Type.String({ description: 'why not' })),
        },
        'one address',
      ),
      1_000,
      'in the order of the request',
    ),
  },
  'what became of each address',
);
/**
 * One event of the stream of a cluster.
 *
 * @public a component of the document
 */
export const FREED_EVENT = record(
  {
    ...place,
    freeAt: moment('when any claimant may have the address'),
    freeInMilliseconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'the same as a duration, which needs no clock; absent from older servers',
      }),
    ),
  },
  'an address that its last holder left',
);
/** Answer of {@link GRANT}. */
export type GrantAnswer = Static<typeof GRANT>;
/** Answer of {@link CLAIM}. */
export type ClaimAnswer = Static<typeof CLAIM>;
/** Answer of {@link ZONE}. */
export type ZoneAnswer = Static<typeof ZONE>;
/** One event of the stream of a cluster. */
export type FreedEvent = Static<typeof FREED_EVENT>;
