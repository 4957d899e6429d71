import type { IpamApiV3Parts } from '../../front-doors/ipam-api/index';
import type { Settings } from '../../settings/options';
import type { DoorParts } from '../door';

/**
 * Puts together the parts of version 3 of the IPAM-API, which two doors serve.
 *
 * @param settings - deadline of a request
 * @param parts - ledger, zones, tools
 * @returns the parts; undefined where another operator keeps the claims
 */
export function version3Parts(
  { ipamApiDeadlineSeconds: deadlineSeconds }: Pick<Settings, 'ipamApiDeadlineSeconds'>,
  { claims, registry, book, zones, outside, tools }: DoorParts,
): IpamApiV3Parts | undefined {
  if (claims.kind === 'remote' || registry === undefined) return undefined;
  const { freedLog } = claims;
  return {
    ...tools,
    book,
    registry,
    zones,
    deadlineSeconds,
    ...(outside === undefined ? {} : { outside }),
    ...(freedLog === undefined ? {} : { freedLog }),
  };
}
