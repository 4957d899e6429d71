import { addressOf } from '../../../addressing/address';
import { spaceText } from '../../../addressing/space-text';
import { IpamError } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';
import {
  refuseExhausted,
  refuseForeign,
  refuseHeld,
  refuseKeyInUse,
  refuseOutdated,
  refuseQuarantined,
  refuseQuota,
  refuseReservation,
  refuseShare,
  refuseUnclaimed,
} from '../../../errors/store-refusals';
import type { TakeRequest, Want } from '../../../ports/claims';
import type { PostgresWrite, WireFull, WireObstacle, WireRefusal } from './postgres-wire';

interface RefusedWant {
  readonly request: TakeRequest;
  readonly want: Want;
}

function refuseFull({ request, want }: RefusedWant, { quarantined, firstMs, nowMs }: WireFull): Outcome<never> {
  const { family, length } = want;
  const first =
    firstMs === null
      ? {}
      : { firstFreeAt: new Date(firstMs).toISOString(), firstFreeInSeconds: Math.ceil((firstMs - nowMs) / 1000) };
  const asked = { pool: request.pool, family, ...(length === undefined ? {} : { length }) };
  return refuseExhausted({ ...asked, askedBy: request.holder.owner.kind, quarantined, ...first });
}

function refuseObstacle({ request, want }: RefusedWant, refused: WireObstacle): Outcome<never> {
  const { address = addressOf(refused.address), length } = want;
  const { holder, cluster, source, untilMs, nowMs } = refused;
  const own = { address: addressOf(refused.address), ...(refused.length === null ? {} : { length: refused.length }) };
  const place = {
    wanted: spaceText({ address, ...(length === undefined ? {} : { length }) }),
    space: spaceText(own),
    askedBy: request.holder.owner.kind,
  };
  if (holder === null) return refuseForeign(place, { cluster: cluster ?? '', source: source ?? '' });
  if (untilMs === null) return refuseHeld({ ...place, holder });
  const end = { at: new Date(untilMs).toISOString(), seconds: Math.ceil((untilMs - nowMs) / 1000) };
  return refuseQuarantined({ ...place, holder }, end);
}

/**
 * Puts the refusal of a take into words.
 *
 * @param request - what was asked for
 * @param result - what the database said
 * @returns one sentence, as the SQLite store says it
 */
export function refuseTake(request: TakeRequest, result: WireRefusal): Outcome<never> {
  const [first, second = first] = request.wants;
  const refused = { request, want: result.want === 1 ? second : first };
  const { pool, holder, limits = {} } = request;
  switch (result.refused) {
    case 'held':
    case 'quarantined':
      return refuseObstacle(refused, result);
    case 'exhausted':
      return refuseFull(refused, result);
    case 'reservation':
      return refuseReservation(holder.owner, limits.maxReservedInNamespace ?? 0);
    case 'quota':
      return refuseQuota(pool, limits.poolQuota ?? 0, holder.owner.kind);
    case 'cluster':
    case 'namespace':
      return refuseShare(result.refused, request);
    default:
      throw new IpamError('internal', `the store refused a take as "${result.refused}"`);
  }
}

/**
 * Puts the refusal of another verb into words.
 *
 * @param write - what was asked for
 * @param result - what the database said
 * @returns one sentence, as the SQLite store says it
 */
export function refuseChange(write: Exclude<PostgresWrite, { verb: 'take' }>, result: WireRefusal): Outcome<never> {
  const place = write.verb === 'exchange' ? write.request[result.move ?? 0]?.from : write.request;
  const text = place === undefined ? '' : spaceText(place);
  switch (result.refused) {
    case 'unclaimed':
      return refuseUnclaimed(text);
    case 'outdated':
      return refuseOutdated(text);
    case 'key':
      return refuseKeyInUse(text);
    default:
      throw new IpamError('internal', `the store refused a ${write.verb} as "${result.refused}"`);
  }
}
