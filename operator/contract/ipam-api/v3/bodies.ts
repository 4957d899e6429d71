import { Type, type Static } from '@sinclair/typebox';
import { choice } from '../../vocabulary';
import {
  addressText,
  claimant,
  family,
  line,
  list,
  moment,
  options,
  plainSecret,
  record,
  secret,
  sharing,
  storedClaimant,
  writtenKeys,
  zone,
  clusterUid,
} from './pieces';

const AS = ['lease', 'bound'] as const;
const ADOPT = ['announced', 'served', 'takeover'] as const;

const claimMembers = {
  claimant,
  zone,
  family,
  address: Type.Optional(addressText('the wished address; absent: the one held already, else the lowest free one')),
  secret,
  previousSecret: Type.Optional(secret),
  options,
  sharing: Type.Optional(sharing),
  writtenKeys,
  as: choice(
    AS,
    'lease: reserved until bound; bound: owned at once, by the stored Service that serviceUid names where it is given',
  ),
  returns: Type.Optional(
    Type.Literal(true, {
      description:
        'the stored Service holds the address, names another one and is about to name this one again: with as lease, a release that is under way leaves it reserved for a minute at most, until it is bound',
    }),
  ),
  adopt: Type.Optional(
    choice(
      ADOPT,
      'the address, which must be given, is in use already, so neither draining nor quota of the zone nor the limit of reservations stands against it. announced: a stored Service shows it; served: that Service bears the condition of an operator; takeover: nothing of the cluster is on record. An address that is excluded or that no zone has is adopted for operators and administrators only; one that is unusable or of another zone never',
    ),
  ),
};

/** Body of `PUT …/claims/{key}` and `POST …/claims`. */
export const CLAIM_BODY = record(claimMembers, 'the claimed space, its claimant, and the proof');
/** Body of `PATCH …/claims/{key}`. */
export const CLAIM_CHANGE = record(
  {
    claimant: Type.Optional(storedClaimant),
    terms: Type.Optional(
      record(
        { secret: Type.Optional(secret), options, sharing: Type.Optional(sharing), writtenKeys },
        'terms that the stored object has now; a secret in them is the next one',
      ),
    ),
    rotate: Type.Optional(record({ secret, newSecret: secret }, 'the present secret and the one that follows it')),
  },
  'what changes: claimant binds the claim to a stored Service, rotate replaces the secret',
);
/** Body of `POST …/check`. */
export const CHECK_BODY = record(
  { claimant, zone, address: addressText('the address in question') },
  'a claimant and an address',
);
/** Body of `POST …/rotate`. */
export const ROTATE_BODY = record(
  { claimant, zone, address: addressText('the address whose secret changes'), secret, newSecret: secret, options },
  'the present secret and the one that follows it',
);
/** Body of `POST …/exchanges`. */
export const EXCHANGE_BODY = record(
  {
    moves: list(
      record(
        {
          serviceUid: line('UID of the stored Service'),
          network: line('network of both addresses'),
          from: addressText('the address that it has'),
          to: addressText('the address that it is to have, which another move leaves'),
        },
        'one Service of the circle',
      ),
      128,
      'every Service of a circle, each with what it leaves and what it comes to',
    ),
  },
  'Services that wait for the addresses of each other',
);
/** Body of `POST …/release`. */
export const RELEASE_BODY = record(
  {
    zone,
    address: addressText('the address that is given up'),
    namespaceUid: line('UID of the namespace'),
    serviceName: line('name of the Service'),
    secret: plainSecret,
    options,
  },
  'a claim by identity and secret',
);
/** Body of `PUT …/report`. */
export const REPORT_BODY = record(
  {
    name: Type.Optional(line('name that the cluster gives itself')),
    ageMilliseconds: Type.Integer({
      minimum: 0,
      maximum: 86_400_000,
      description: 'time since the list was begun; two clocks need not agree',
    }),
    services: Type.Optional(
      list(
        record(
          {
            namespace: line('name of the namespace'),
            name: line('name of the Service'),
            uid: line('UID of the Service'),
            reservation: Type.Optional(line('reservation id that the object carries')),
            addresses: list(addressText('an address'), 64, 'addresses that the stored object names'),
          },
          'one stored Service',
        ),
        200_000,
        'every Service of the cluster; one that is missing counts as gone. Absent: the answer tells whether the list is needed',
      ),
    ),
  },
  'complete list of the live Services of a cluster',
);
/** Body of `POST /v3/plan`. */
export const PLAN_BODY = record({ clusterUid, ...claimMembers }, 'a claim that is only tried');
/** Body of `PUT /v3/standing-claims/{name}`. */
export const STANDING_BODY = record(
  {
    zone,
    family,
    address: Type.Optional(addressText('the wished address; absent: the lowest free one')),
    secret: plainSecret,
    purpose: line('what it is for', 0),
  },
  'an address that its name keeps until it is given up',
);
/** Body of `POST …/addresses/{address}/release`. */
export const HOLDER_BODY = record({ holderId: line('id of the holder that ends') }, 'one holder of the address');
/** Body of `POST …/addresses/{address}/secret`. */
export const SECRET_BODY = record({ secret: plainSecret }, 'the secret that owns the address from now on');
/** Body of `POST /v3/import`. */
export const IMPORT_BODY = record(
  {
    dryRun: Type.Boolean({ description: 'true: only tells what would become of each' }),
    claims: list(
      record(
        {
          zone,
          address: addressText('the address'),
          secret: plainSecret,
          services: list(
            record(
              {
                clusterUid,
                namespaceUid: line('UID of the namespace'),
                serviceName: line('name of the Service'),
                options,
                expiresAt: Type.Optional(moment('end of the retention; absent while the claim lives')),
              },
              'one service on the address',
            ),
            1_000,
            'holder of the address',
          ),
        },
        'one address of another system',
      ),
      1_000,
      'addresses that shall be on record as they were there',
    ),
  },
  'addresses of another system',
);

/** Checked body of {@link CLAIM_BODY}. */
export type ClaimBody = Static<typeof CLAIM_BODY>;
/** Checked body of {@link REPORT_BODY}. */
export type ReportBody = Static<typeof REPORT_BODY>;
/** Checked body of {@link IMPORT_BODY}. */
export type ImportBody = Static<typeof IMPORT_BODY>;
/** The claimant, on the wire. */
export type WireClaimant = Static<typeof claimant>;
/** Options on the wire. */
export type WireOptions = Static<typeof options>;
/** Sharing terms on the wire. */
export type WireSharing = Static<typeof sharing>;
