import type { IpamApiV3Parts } from '../front-doors/ipam-api/index';
import { newNames } from '../identity/new-names';
import { SharedUses } from '../ledger/occupied/shared-uses';
import { followUnused } from '../ledger/occupied/unused-addresses';
import type { DoorParts } from './door';
import { renameRecord } from './renamed-cluster';

/**
 * Puts together the parts of version 3 of the IPAM-API, which two doors serve.
 *
 * @param parts - ledger, zones, tools
 * @param deadlineSeconds - of a request
 * @returns the parts; undefined where another operator keeps the claims
 */
export function version3Parts(
  { claims, registry, book, zones, outside, tools }: DoorParts,
  deadlineSeconds: number,
): IpamApiV3Parts | undefined {
  if (claims.kind === 'remote' || registry === undefined) return undefined;
  const { freedLog, occupied: uses, store, notes, reports } = claims;
  const { clock } = tools;
  return {
    ...tools,
    book,
    registry,
    zones,
    deadlineSeconds,
    ...(outside === undefined ? {} : { outside }),
    ...(freedLog === undefined ? {} : { freedLog }),
    ...(notes === undefined || reports === undefined
      ? {}
      : { newNames: newNames(renameRecord(notes, reports), clock) }),
    ...(uses === undefined
      ? {}
      : {
          shown: new SharedUses({ uses, book, registry, zones }),
          onUnused: (listener) => followUnused({ claims: store, zones, clock }, listener),
        }),
  };
}
