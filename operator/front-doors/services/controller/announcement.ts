import { isIn, type Address } from '../../../addressing/address';
import { quoteValue } from '../../../contract/quote';
import type { EventReader } from '../../../ports/event-reader';
import type { ServiceKey } from '../../../ports/service-feed';
import type { ControllerContext } from './controller-parts';
import type { Have, Known } from './known-services';
import { ANNOUNCING, type Announcement, NO_ANNOUNCER, NOT_ANNOUNCED, wasShown } from './status';
import type { StoredObject } from './stored-object';

/** MetalLB needs a moment: nothing is told of a new address before it shows, or before this time passed. */
const NEWS_MS = 3_000;
/** A status without an address for less than this time is no news where it was there before, and no fault at any time. */
const GONE_MS = 10_000;
/** Time after which facts are looked at of which no change tells (another Service that shows the address, MetalLB's controller). */
const LOOK_AGAIN_MS = 300_000;
/** Pause before facts that could not be had are asked for again. */
const UNSEEN_MS = 30_000;

/** Said where no fact stands in the way. */
const NO_FACT = 'nothing that this operator sees stands in the way';
/** Said where MetalLB's controller, which gives an address or records an Event at once, did neither in {@link GONE_MS}. */
const SILENT =
  "this operator sees neither an address nor an Event about this Service from MetalLB's controller, so that does not run, or is far behind";
/** By which MetalLB's controller says why it gives a Service no address. */
const METALLB_EVENT = { reason: 'AllocationFailed', reporter: 'metallb-controller' } as const;
/** Most characters of an Event that are quoted: anything that may write Events in the namespace may forge one. */
const LONGEST_EVENT = 300;

type Unannounced = Exclude<Announcement, 'shown'>;

/** Findings about the announcement, and when to look again. */
export interface AnnouncementLook {
  /** Absent while it is too early to say. */
  readonly announcement?: Announcement;
  readonly again?: number;
}

/**
 * Judges whether the status of a Service shows the addresses that are bound to it, and why not.
 *
 * @param context - of the controller
 * @param work - the stored object and what is remembered of it
 * @param have - what is bound to it
 * @returns `shown`, or a reason from facts once it had time enough to show them
 */
export async function lookAtAnnouncement(
  context: ControllerContext,
  work: { readonly object: StoredObject; readonly known: Known },
  have: Have,
): Promise<AnnouncementLook> {
  const look = await judged(context, work, have);
  const { announcement } = look;
  if (announcement === undefined || announcement === 'shown') return look;
  const elsewhere = await shownElsewhere(context.parts, have, announcement.addresses);
  return elsewhere.length === 0 ? look : { ...look, announcement: { ...announcement, elsewhere } };
}

// One cluster for each address is enough: its administrators are to be asked.
async function shownElsewhere(
  { met, cluster }: ControllerContext['parts'],
  { grants }: Have,
  addresses: readonly Address[],
): Promise<NonNullable<Unannounced['elsewhere']>> {
  const hidden = grants.filter(({ address }) => isIn(address, addresses));
  const uses = hidden.flatMap((grant) => met?.usesAt(grant).map((use) => ({ address: grant.address, ...use })) ?? []);
  if (uses.length === 0) return [];
  const own = await cluster.clusterUid();
  const others = uses.filter((use) => use.cluster !== own);
  return hidden.flatMap(({ address }) => others.find((use) => use.address.equals(address)) ?? []);
}

async function judged(
  { parts, announcers }: ControllerContext,
  { object, known }: { readonly object: StoredObject; readonly known: Known },
  have: Have,
): Promise<AnnouncementLook> {
  const addresses = hiddenOf(object, have);
  if (addresses.length === 0) {
    delete known.hiddenSinceMs;
    delete known.clearSinceMs;
    return { announcement: 'shown' };
  }
  const nowMs = parts.clock.nowMs();
  known.hiddenSinceMs ??= nowMs;
  const hiddenMs = nowMs - known.hiddenSinceMs;
  const early = graceOf(object) - hiddenMs;
  if (early > 0) return { again: early };
  const lost = addresses.filter((address) => wasShown(object.condition, address));
  const found = await announcers.obstacles({
    key: known.key,
    zone: have.zone,
    loadBalancerClass: object.view.loadBalancerClass,
    addresses,
  });
  if (found.texts.length === 0) {
    known.clearSinceMs ??= nowMs;
    const clearMs = nowMs - known.clearSinceMs;
    return withoutFacts(object, {
      addresses,
      lost,
      hiddenMs,
      clearMs,
      isComplete: found.isComplete,
      // what shows one of two addresses, or showed it before, ran
      isSilent: parts.poolFacts !== undefined && found.isComplete && object.announced.length + lost.length === 0,
      quote: () => quoteMetalLb(parts.events, known.key),
    });
  }
  delete known.clearSinceMs;
  return { announcement: { reason: found.reason, addresses, lost, texts: found.texts }, again: LOOK_AGAIN_MS };
}

/** Addresses that do not show although no fact stands in the way. */
interface Unexplained {
  readonly addresses: readonly Address[];
  /** Those among them that showed before. */
  readonly lost: readonly Address[];
  readonly hiddenMs: number;
  readonly clearMs: number;
  readonly isComplete: boolean;
  /** True where MetalLB is watched, and has shown nothing for the Service. */
  readonly isSilent: boolean;
  readonly quote: () => Promise<string | undefined>;
}

async function withoutFacts(
  { condition }: StoredObject,
  { addresses, lost, hiddenMs, clearMs, isComplete, isSilent, quote }: Unexplained,
): Promise<AnnouncementLook> {
  const wasTold = condition?.reason === NOT_ANNOUNCED || condition?.reason === NO_ANNOUNCER;
  // what was found before stays told while nothing can be seen
  if (!isComplete && wasTold) return { again: UNSEEN_MS };
  // MetalLB needs its moment after a fault is mended, too
  if (wasTold && clearMs < NEWS_MS) return { again: NEWS_MS - clearMs };
  if (hiddenMs < GONE_MS && !wasTold)
    return { announcement: { reason: ANNOUNCING, addresses, lost, texts: [] }, again: GONE_MS - hiddenMs };
  const told = explained(await quote(), isSilent);
  return { announcement: { ...told, addresses, lost }, again: LOOK_AGAIN_MS };
}

function explained(said: string | undefined, isSilent: boolean): Pick<Unannounced, 'reason' | 'texts'> {
  if (said === undefined && isSilent) return { reason: NO_ANNOUNCER, texts: [SILENT] };
  return { reason: NOT_ANNOUNCED, texts: [said ?? NO_FACT] };
}

async function quoteMetalLb(events: EventReader, key: ServiceKey): Promise<string | undefined> {
  const found = await events.newest(key, METALLB_EVENT);
  if (found === undefined) return undefined;
  return `${NO_FACT}, and MetalLB's Event of ${found.time} says ${quoteValue(found.message, LONGEST_EVENT)}`;
}

/**
 * Finds addresses that a Service has and does not show.
 *
 * @param object - the stored Service
 * @param have - what is bound to it
 * @returns those that its status leaves out
 */
export function hiddenOf({ announced }: StoredObject, { grants }: Have): readonly Address[] {
  return grants.map(({ address }) => address).filter((address) => !announced.some((shown) => shown.equals(address)));
}

function graceOf({ condition }: StoredObject): number {
  if (condition?.status === 'True') return GONE_MS;
  return condition?.status === 'Unknown' ? 0 : NEWS_MS;
}
