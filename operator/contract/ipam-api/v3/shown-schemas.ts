import { Type, type Static } from '@sinclair/typebox';
import { choice, ONE_LINE } from '../../vocabulary';
import { service } from './answers';
import { addressText, clusterUid, family, list, moment, network, record, storedClaimant, zone } from './pieces';
import { MANY, next } from './pages';

/** Most changes, places or networks of one call. */
export const MAX_SHOWN = 1_000;
const at = { network, address: addressText('the address') };
const source = Type.String({
  minLength: 1,
  maxLength: 330,
  ...ONE_LINE,
  description: 'kind, namespace and name of the object, for example Node/worker-1 or Service/web/shop',
});
const weight = choice(
  ['occupied', 'avoided'],
  'occupied: never given out, and refused as a wish; avoided: given out last, since users of the cluster write it at will',
);
const use = { source, weight };

/** Body of `POST …/contests`. */
export const CONTEST_BODY = record(
  { claimant: storedClaimant, zone, address: addressText('what the status of the Service shows') },
  'an address that a stored Service shows although the record does not grant it',
);
/** Answer of `POST …/contests`. */
export const CONTESTED = record(
  {
    contested: Type.Boolean({ description: 'false: the record grants the address to the Service' }),
    network,
  },
  'what became of it',
);
/** Page of what the Services of a cluster contest. */
export const CONTESTS = record(
  {
    entries: list(
      record(
        { network, zone, family, address: addressText('the address'), service, since: moment('when it was noted') },
        'one address',
      ),
      MANY,
      'lowest address first within a network',
    ),
    next,
  },
  'addresses that Services show although the record does not grant them',
);
/** Body of `PATCH …/uses`. */
export const USES_BODY = record(
  {
    changes: list(
      record(
        {
          ...at,
          use: Type.Optional(record(use, 'by what the cluster shows the address; absent: by nothing any more')),
        },
        'one difference',
      ),
      MAX_SHOWN,
      'differences, each address once',
    ),
  },
  'what the cluster shows without a claim, as far as it changed',
);
/** Answer of `PATCH …/uses`. */
export const USES_CHANGED = record(
  {
    refused: list(
      record(
        {
          ...at,
          code: Type.String({ description: 'code for programs, for example cluster/quota' }),
          detail: Type.String({ description: 'one sentence: which limit stands in the way' }),
        },
        'one address',
      ),
      MAX_SHOWN,
      'what is not on record; everything else is',
    ),
  },
  'what became of the differences',
);
/** Addresses that a cluster shows without a claim. */
export const USES = record(
  { entries: list(record({ ...at, ...use }, 'one address'), MANY, 'lowest address first') },
  'what the cluster shows without a claim, as far as it is on record',
);
/** Answer of `DELETE …/uses`. */
export const USES_FORGOTTEN = record(
  { addresses: Type.Integer({ minimum: 0, description: 'how many addresses the cluster showed' }) },
  'what was forgotten',
);
/** Body of `PUT …/uses/complete`. */
export const COMPLETE_BODY = record(
  { networks: list(network, MAX_SHOWN, 'networks of which everything that the cluster shows is on record') },
  'that nothing is missing',
);
/** Networks in which nothing that a cluster shows is missing. */
export const COMPLETE = record(
  {
    entries: list(record({ network, since: moment('since when') }, 'one network'), MANY, 'in no particular order'),
  },
  'networks in which everything that the cluster shows is on record',
);
/** Claims of a cluster at whose addresses something else is shown. */
export const MET = record(
  {
    entries: list(
      record(
        {
          ...at,
          zone,
          service,
          shownBy: record({ clusterUid, source }, 'what shows the address, and in which cluster'),
        },
        'one claim',
      ),
      MANY,
      'in no particular order',
    ),
  },
  'claims at whose addresses a cluster shows something else than their holder',
);
/** Body of `POST …/lookup`. */
export const LOOKUP_BODY = record(
  { places: list(record(at, 'one address'), MAX_SHOWN, 'addresses in question') },
  'which addresses the cluster asks about',
);
/** Claims and uses of one cluster at addresses. */
export const LOOKED_UP = record(
  {
    entries: list(
      record(
        {
          ...at,
          zone,
          holders: list(
            record(
              {
                service,
                state: choice(
                  ['reserved', 'bound', 'retained', 'contested'],
                  'contested: the Service shows the address, and the record does not grant it',
                ),
              },
              'one holder',
            ),
            MANY,
            'holders of the cluster',
          ),
          former: Type.Optional(
            record(
              {
                service,
                leftMilliseconds: Type.Integer({ minimum: 0, description: 'how long only it may have the address' }),
              },
              'the Service of the cluster that left the address into quarantine',
            ),
          ),
        },
        'one address',
      ),
      MAX_SHOWN,
      'addresses at which the cluster has something; the others are left out',
    ),
  },
  'what the cluster itself has at addresses',
);

/** One entry of {@link LOOKED_UP}. */
export type LookedUp = Static<typeof LOOKED_UP>['entries'][number];
