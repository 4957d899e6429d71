import { addressOf } from '../../../addressing/address';
import { spaceText } from '../../../addressing/space-text';
import { IpamError } from '../../../errors/ipam-error';
import { refuseRenamed } from '../../../contract/renamed-note';
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
    askedBy: request.holder.owner,
  };
  if (holder === null) return refuseForeign(place, { cluster: cluster ?? '', source: source ?? '' });
  if (untilMs === null) return refuseHeld({ ...place, holder });
  const end = { at: new Date(untilMs).toISOString(), seconds: Math.ceil((untilMs - nowMs) / 1000) };
  return refuseQuarantined({ ...place, holder }, end);
}

type Reason = WireRefusal['refused'];
type LimitReason = 'reservation' | 'quota' | 'cluster' | 'namespace';

function refuseLimit(request: TakeRequest, reason: LimitReason): Outcome<never> {
  const { pool, holder, limits } = request;
  const { maxReservedInNamespace = 0, poolQuota = 0 } = limits ?? {};
  if (reason === 'reservation') return refuseReservation(holder.owner, maxReservedInNamespace);
  return reason === 'quota' ? refuseQuota(pool, poolQuota, holder.owner.kind) : refuseShare(reason, request);
}

function isLimit(reason: Reason): reason is LimitReason {
  return ['reservation', 'quota', 'cluster', 'namespace'].includes(reason);
}

/**
 * Puts the refusal of a take into words.
 *
 * @param request - what was asked for
 * @param result - what the database said
 * @returns one sentence, as the SQLite store says it
 */
export function refuseTake(request: TakeRequest, result: WireRefusal): Outcome<never> {
  if (result.refused === 'renamed') return refuseRenamed(result.cluster, result.name);
  const [first, second = first] = request.wants;
  const refused = { request, want: result.want === 1 ? second : first };
  const reason: Reason = result.refused;
  if (result.refused === 'held' || result.refused === 'quarantined') return refuseObstacle(refused, result);
  if (result.refused === 'exhausted') return refuseFull(refused, result);
  if (isLimit(reason)) return refuseLimit(request, reason);
  throw new IpamError('internal', `the store refused a take as "${reason}"`);
}

const CHANGE_REFUSALS: Readonly<Partial<Record<Reason, (space: string) => Outcome<never>>>> = {
  unclaimed: refuseUnclaimed,
  outdated: refuseOutdated,
  key: refuseKeyInUse,
};

/**
 * Puts the refusal of another verb into words.
 *
 * @param write - what was asked for
 * @param result - what the database said
 * @returns one sentence, as the SQLite store says it
 */
export function refuseChange(
  write: Exclude<PostgresWrite, { verb: 'take' | 'takeFirst' | 'use' }>,
  result: WireRefusal,
): Outcome<never> {
  if (result.refused === 'renamed') return refuseRenamed(result.cluster, result.name);
  const place = write.verb === 'exchange' ? write.request[result.move ?? 0]?.from : write.request;
  const refuse = CHANGE_REFUSALS[result.refused];
  if (place !== undefined && refuse !== undefined) return refuse(spaceText(place));
  throw new IpamError('internal', `the store refused a ${write.verb} as "${result.refused}"`);
}
