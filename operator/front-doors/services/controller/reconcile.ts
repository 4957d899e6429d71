import { isIn, type Address } from '../../../addressing/address';
import { METALLB, WAITING_POOL } from '../../../contract/group';
import { LOAD_BALANCER, type ServiceView } from '../../../contract/service';
import type { ServiceKey } from '../../../ports/service-feed';
import type { Refusal } from '../../../errors/outcome';
import { optsOut, serviceOwner } from '../../../rules/service-owner';
import type { Grant } from '../../../ports/address-book';
import { ownerSettings } from '../wanted/door-parts';
import { hiddenOf, lookAtAnnouncement, type AnnouncementLook } from './announcement';
import { afterRefusedWrite, earliest, SOON_MS, type ControllerContext, type Look } from './controller-parts';
import { contestShown, shownBeyond, withdrawal } from './contested';
import { isUndecided } from './disputed';
import { exchangeCircle, tradeOf } from './exchange';
import { exchangeTurn } from './exchange-turn';
import type { Have, Known } from './known-services';
import { endGone, letGo, uidOf } from './leave';
import { leaveOptedOut } from './leave-opted-out';
import { releaseOld } from './release-old';
import { isExcluded, touchesNothing } from '../wanted/review';
import { isServedElsewhere } from '../wanted/served-elsewhere';
import { boundTo } from '../wanted/facts';
import { serveStored, type Serving } from './serve-stored';
import { NOT_ANNOUNCED, sayingOf } from './status';
import { bearsTraces, readStored, type StoredObject } from './stored-object';
import { tellApart } from './tell-apart';
import { tellStatus } from './tell-status';
import { parkedValues } from './parked-values';
import { keepKeys, writeKeys } from './write-keys';

/** The record changed between two steps: nothing to wait for, only to look at anew. */
const CHANGED: readonly string[] = ['reservation/missing', 'claim/not-found', 'store/conflict'];
/** Pause before a wish that could not be followed is looked at again, where nothing tells when it can. */
const NOTES_PAUSE_MS = 300_000;
/** Pause before the one that shows the address of an exchanged Service is looked for again. */
const TURN_MS = 200;
/** Pause before a dispute of before is looked at again that nothing is known of yet. */
const UNDECIDED_PAUSE_MS = 5_000;
/** Pause between binding a new Service and telling of it. */
const WORDS_LATER_MS = 10;
/** MetalLB needs a moment to announce what we wrote; only what stays longer is an address of another claimant. */
const FOREIGN_GRACE_MS = 10_000;

type Refusals = readonly [Refusal, ...Refusal[]];

/** One stored object under work. */
interface Work {
  readonly object: StoredObject;
  readonly known: Known;
}

/**
 * Does what one stored Service needs now. Level based: it asks what is, not what happened, so it may be repeated, interrupted
 * and called for no reason.
 *
 * @param context - of the controller
 * @param key - namespace, name and UID
 * @returns when to come back
 * @throws {@link IpamError} of store or cluster
 */
export async function reconcileService(context: ControllerContext, key: ServiceKey): Promise<Look> {
  const raw = context.parts.feed.get(key.namespace, key.name);
  if (raw === undefined || uidOf(raw) !== key.uid) return endGone(context, key);
  const remembered = context.known.find(key.uid);
  if (remembered?.settledOn === raw && !remembered.recheck) return {};
  const object = readStored(raw);
  if (object === undefined) return {};
  if (!object.view.dying) return judge(context, object, { key, remembered });
  context.waiters.leave(key.uid, false);
  return {}; // keeps what it has until it is gone
}

async function judge(
  context: ControllerContext,
  object: StoredObject,
  { key, remembered }: { readonly key: ServiceKey; readonly remembered: Known | undefined },
): Promise<Look> {
  if (hasOptedOut(context, object)) {
    const left = await leaveOptedOut(context, object, key);
    if (left !== undefined) return left;
  }
  await context.notices.tell(object, key);
  switch (await ownership(context, object, { key, remembered })) {
    case 'ours':
      return serve(context, { object, known: context.known.of(key) });
    case 'left':
      return letGo(context, object, key);
    case 'foreign':
      return {};
  }
}

async function ownership(
  context: ControllerContext,
  object: StoredObject,
  { key, remembered }: { readonly key: ServiceKey; readonly remembered: Known | undefined },
): Promise<'ours' | 'left' | 'foreign'> {
  const { view } = object;
  const live = remembered?.live;
  if (isAsked(context, object, live)) return 'ours';
  // what another load balancer serves may be ours all the same, where its traces were taken away unseen
  const mayBeOurs = remembered !== undefined || bearsTraces(object) || isLeftAlone(context, object);
  if (!mayBeOurs) return 'foreign';
  if (view.type !== LOAD_BALANCER || changedClass(view, live)) return 'left';
  // a Service with an address of ours stays ours, whatever the settings became
  return (await boundTo(context.parts, key)).length > 0 ? 'ours' : 'left';
}

/**
 * Tells whether a stored Service is to have addresses of ours by its own words.
 *
 * @param context - settings of the door
 * @param object - as stored
 * @param live - as it was last in order; undefined where that is not known
 * @returns true for a LoadBalancer of a handled class in a namespace that is not left out
 */
export function isAsked(
  context: Pick<ControllerContext, 'parts'>,
  { view, raw }: Pick<StoredObject, 'view' | 'raw'>,
  live: ServiceView | undefined,
): boolean {
  if (view.type !== LOAD_BALANCER || isExcluded(context.parts, view.namespace)) return false;
  const before = live === undefined ? {} : { live };
  const elsewhere = live === undefined && isServedElsewhere(raw);
  return (
    serviceOwner({ service: view, ...before, isServedElsewhere: elsewhere }, ownerSettings(context.parts)) ===
    'services'
  );
}

function hasOptedOut({ parts }: ControllerContext, { view }: StoredObject): boolean {
  return view.type === LOAD_BALANCER && optsOut(view) && !isExcluded(parts, view.namespace);
}

/**
 * Tells whether a stored Service would have an address by the default zone or by its class, if another load balancer did not serve it.
 *
 * @param context - settings of the door
 * @param object - as stored
 * @returns true for one that is left alone unless the record knows it
 */
export function isLeftAlone({ parts }: Pick<ControllerContext, 'parts'>, { view, raw }: StoredObject): boolean {
  if (!isServedElsewhere(raw) || isExcluded(parts, view.namespace)) return false;
  return serviceOwner({ service: view }, ownerSettings(parts)) === 'services';
}

function changedClass(view: ServiceView, live: ServiceView | undefined): boolean {
  return (
    live !== undefined && view.loadBalancerClass !== undefined && live.loadBalancerClass !== view.loadBalancerClass
  );
}

async function serve(context: ControllerContext, work: Work): Promise<Look> {
  const { object, known } = work;
  // a look that leaves something for later must not be taken for the one before, on the same object, that left nothing
  delete known.settledOn;
  const { live, have } = known;
  const isQuiet = have !== undefined && live !== undefined && !known.recheck && touchesNothing(reviewOf(object, live));
  if (isQuiet) return keepServing(context, work, have);
  known.recheck = false;
  try {
    const serving = await serveStored(context.parts, object, live);
    if (serving.ok) return await announce(context, work, serving);
    if (!CHANGED.includes(serving.refusals[0].code)) return await wait(context, work, serving);
    known.recheck = true;
    return { again: SOON_MS };
  } catch (thrown) {
    known.recheck = true;
    throw thrown;
  }
}

async function announce(
  context: ControllerContext,
  work: Work,
  serving: Serving & { readonly ok: true },
): Promise<Look> {
  const { object, known } = work;
  const { zone, grants, others, notes, against } = serving;
  const granted = [...grants, ...others];
  const addresses = grants.map(({ address }) => address);
  const harm = withdrawal(object, granted, { changes: serving.changes, addresses });
  if (harm !== undefined) return wait(context, work, { ok: false, refusals: [harm], held: granted });
  const isNew = known.have === undefined && object.condition === undefined;
  context.waiters.leave(known.key.uid, true);
  // its terms may have changed, so that another Service can join it now
  context.waiters.left(grants.map(({ address }) => address));
  const turn = await exchangeTurn(context, object, serving);
  if (turn !== 'write') return inTurn(context, work, turn);
  const written = await writeKeys(context, work, serving);
  context.known.setHave(known, { zone, grants, notes, against, old: others.map(({ address }) => address) });
  const { have } = known;
  if (!written.ok || have === undefined) {
    known.recheck = true;
    return written.ok ? {} : written.look;
  }
  known.recheck = notes.length > 0;
  if (notes.length > 0) return earliest({ again: NOTES_PAUSE_MS }, await keepServing(context, work, have));
  // others are bound first: a condition may wait for its turn at the API server, a reservation blocks its namespace
  if (!isNew) return keepServing(context, work, have);
  await tellApart(context, work, serving);
  return { again: WORDS_LATER_MS };
}

// Its addresses are written once no other Service shows them.
async function inTurn(context: ControllerContext, work: Work, turn: 'wait' | 'park'): Promise<Look> {
  work.known.recheck = true;
  const parked = turn === 'park' ? await parkKeys(context, work) : {};
  return earliest({ again: TURN_MS }, parked);
}

async function keepServing(context: ControllerContext, work: Work, have: Have): Promise<Look> {
  const { object, known } = work;
  const addresses = have.grants.map(({ address }) => address);
  known.wasAnnounced ||= object.announced.some((shown) => isIn(shown, [...addresses, ...have.old]));
  const released = await releaseOld(context, work, have);
  const foreign = foreignAmong(object, [...addresses, ...(known.have?.old ?? [])]);
  const graceMs = foreign.length === 0 ? 0 : known.servedAtMs + FOREIGN_GRACE_MS - context.parts.clock.nowMs();
  if (graceMs > 0) return earliest(released, { again: graceMs });
  const { look: noted } = await contestShown(context, work, foreign);
  const look = earliest(released, noted, await tellServed(context, work, { have, foreign }));
  if (look.again === undefined && (known.have?.old ?? []).length === 0) known.settledOn = object.raw;
  return look;
}

async function tellServed(
  context: ControllerContext,
  work: Work,
  { have, foreign }: { readonly have: Have; readonly foreign: readonly Address[] },
): Promise<Look> {
  if (isUndecided(context.parts, work.object)) return { again: UNDECIDED_PAUSE_MS };
  const { zone, grants, notes, against } = have;
  const { announcement, again } = await announcementOf(context, work, { have, foreign });
  const look = again === undefined ? {} : { again };
  if (announcement === undefined) return look;
  const addresses = grants.map(({ address }) => address);
  const saying = sayingOf({ state: 'served', zone, addresses, notes, foreign, against, announcement });
  context.known.setUnannounced(work.known, saying.status === 'Unknown' ? { zone, reason: saying.reason } : undefined);
  return earliest(look, await tellStatus(context, work, saying));
}

// A wish that cannot be followed and an address of another claimant are told at once, whatever else shows.
function announcementOf(
  context: ControllerContext,
  work: Work,
  { have, foreign }: { readonly have: Have; readonly foreign: readonly Address[] },
): Promise<AnnouncementLook> | AnnouncementLook {
  if (have.notes.length > 0) return { announcement: 'shown' };
  if (foreign.length === 0) return lookAtAnnouncement(context, work, have);
  const addresses = hiddenOf(work.object, have);
  return { announcement: addresses.length === 0 ? 'shown' : { reason: NOT_ANNOUNCED, addresses, texts: [] } };
}

async function wait(context: ControllerContext, work: Work, serving: Serving & { readonly ok: false }): Promise<Look> {
  const { object, known } = work;
  const { refusals } = serving;
  const held = serving.held.map(({ address }) => address);
  context.known.setHave(known, undefined);
  delete known.settledOn;
  const trade = tradeOf(object, known.key, { refusal: refusals[0], held: serving.held });
  const beyond = shownBeyond(object, serving.held);
  const { contested, look } = await contestShown(context, work, beyond);
  const cause: Refusal = contested.length === 0 ? refusals[0] : { ...refusals[0], code: 'address/contested' };
  const again = context.waiters.park(known.key, cause, { toldMs: waitsSince(object), trade });
  const exchanged = trade === undefined ? 'none' : await exchangeCircle(context, trade);
  if (exchanged === 'done') return {};
  // MetalLB reads its keys anew with each write of them, so none is written while something is shown that they would take away
  const parked = beyond.length > 0 ? {} : await keepOrPark(context, work, serving.held);
  const told = exchanged === 'none' ? refusals : withReason(refusals, exchanged.waits);
  const saying = sayingOf({
    state: 'waiting',
    refusals: told,
    held,
    announced: object.announced,
    ...(contested.length === 0 ? {} : { contested: { by: known.key, addresses: contested, ...unrecordedOf(known) } }),
  });
  return earliest({ again }, look, parked, await tellStatus(context, work, saying));
}

// Covered by other Services of the cluster is as good as on record.
function unrecordedOf({ unrecorded }: Known): { readonly unrecorded?: 'lacking' | 'quota' } {
  for (const { why } of unrecorded.values()) if (why !== 'covered') return { unrecorded: why };
  return {};
}

function withReason([first, ...others]: Refusals, reason: string): Refusals {
  return [{ ...first, message: `${first.message}; ${reason}` }, ...others];
}

// The condition outlives the process, so that no Service loses its place by a restart.
function waitsSince({ condition }: StoredObject): number | undefined {
  return condition?.status === 'False' ? Date.parse(condition.lastTransitionTime) : undefined;
}

function keepOrPark(context: ControllerContext, work: Work, held: readonly Grant[]): Promise<Look> {
  return held.length > 0 ? keepKeys(context, work, held) : parkKeys(context, work);
}

// MetalLB gives nothing to a Service that names a pool which does not exist.
async function parkKeys({ parts }: ControllerContext, { object, known }: Work): Promise<Look> {
  const { view } = object;
  if (view.annotations[METALLB.pool] === WAITING_POOL) return {};
  const { defaultZone } = parts.zones.current();
  const guard = { resourceVersion: object.resourceVersion };
  const written = await parts.writer.annotate(known.key, parkedValues(view, defaultZone), guard);
  return written.ok ? {} : afterRefusedWrite(written.refusal);
}

function foreignAmong({ announced }: StoredObject, ours: readonly Address[]): readonly Address[] {
  return announced.filter((shown) => !isIn(shown, ours));
}

function reviewOf({ view }: StoredObject, live: ServiceView): Parameters<typeof touchesNothing>[0] {
  return { operation: 'STORED', namespace: view.namespace, service: view, live };
}
