import type { Prefix } from '../../addressing/prefix';
import { blockOf, spaceText } from '../../addressing/space-text';
import type { Outcome } from '../../errors/outcome';
import {
  refuseExhausted,
  refuseForeign,
  refuseHeld,
  refuseQuarantined,
  type Obstacle,
} from '../../errors/store-refusals';
import type { AddressRecord, Place, TakeRequest, Want } from '../../ports/claims';
import { recordTerm as term } from '../../claim-store/record-terms';
import type { ClaimView } from './claim-view';
import { lowestFree } from './free-space';
import { overLimit } from '../../claim-store/take-limits';

/** Result of a take for one want: the record that its key has, or the space that it gets. */
export type Target =
  | { readonly want: Want; readonly known: AddressRecord }
  | {
      readonly want: Want;
      readonly known?: undefined;
      readonly block: Prefix;
      /** Quarantined records in the space that end, or that the caller returns to. */
      readonly over: readonly AddressRecord[];
    };

/** A plan, or its refusal with the claim that stands in the way. */
export type Plan =
  | { readonly ok: true; readonly targets: readonly Target[] }
  | { readonly ok: false; readonly refused: Outcome<never>; readonly inTheWay?: Place };

/**
 * Decides a take without taking anything.
 *
 * @param view - the claims
 * @param request - the spaces that are asked for
 * @returns one target for each want, or the refusal of all
 */
export function planTake(view: ClaimView, request: TakeRequest): Plan {
  const known = request.wants.map(({ key }) => (key === undefined ? undefined : view.byKey(key)));
  const more = known.filter((record) => record === undefined).length;
  const limited = more === 0 ? undefined : overLimit(view, request, more);
  if (limited !== undefined) return { ok: false, refused: limited };
  const targets: Target[] = [];
  for (const [index, want] of request.wants.entries()) {
    const record = known[index];
    if (record !== undefined) {
      targets.push({ want, known: record });
      continue;
    }
    const block = want.address === undefined ? lowestFree(view, request.network, want) : wishedBlock(want);
    if (block === undefined) return { ok: false, refused: exhausted(view, request, want) };
    const over = view.overlapping(request.network, block);
    for (const each of over) {
      const refused = obstacleOf(view, { request, want, record: each });
      if (refused !== undefined) return { ok: false, refused, inTheWay: each };
    }
    targets.push({ want, block, over });
  }
  return { ok: true, targets };
}

function wishedBlock({ address, length }: Want): Prefix | undefined {
  return address === undefined ? undefined : blockOf({ address, ...(length === undefined ? {} : { length }) });
}

interface Wish {
  readonly request: TakeRequest;
  readonly want: Want;
  readonly record: AddressRecord;
}

// The holder of the space, unless its quarantine is over or may be ended by the caller.
function obstacleOf({ nowMs }: ClaimView, { request, want, record }: Wish): Outcome<never> | undefined {
  const { quarantine, holders, foreign } = record;
  const { address = record.address, length } = want;
  const wanted = spaceText({ address, ...(length === undefined ? {} : { length }) });
  const obstacle: Omit<Obstacle, 'holder'> = { wanted, space: spaceText(record), askedBy: request.holder.owner };
  if (foreign !== undefined) return refuseForeign(obstacle, foreign);
  const [oldest] = holders;
  if (oldest !== undefined) return refuseHeld({ ...obstacle, holder: oldest.owner });
  const waitMs = (quarantine?.untilMs ?? nowMs) - nowMs;
  if (quarantine === undefined || waitMs <= 0 || want.returningOver === record.version) return undefined;
  const end = { at: new Date(quarantine.untilMs).toISOString(), seconds: Math.ceil(waitMs / 1000) };
  return refuseQuarantined({ ...obstacle, holder: quarantine.former.owner }, end);
}

function exhausted(view: ClaimView, { network, pool, holder }: TakeRequest, { family, length }: Want): Outcome<never> {
  const waiting = view
    .all(term.quarantined(network))
    .filter((record) => record.pool === pool && record.family === family && view.isLive(record));
  const atMs = Math.min(...waiting.map(({ quarantine }) => quarantine?.untilMs ?? Infinity));
  return refuseExhausted({
    pool,
    family,
    askedBy: holder.owner.kind,
    quarantined: waiting.length,
    ...(length === undefined ? {} : { length }),
    ...(Number.isFinite(atMs)
      ? { firstFreeAt: new Date(atMs).toISOString(), firstFreeInSeconds: Math.ceil((atMs - view.nowMs) / 1000) }
      : {}),
  });
}
