import { IPAM } from '../../../contract/group';
import { annotationPath } from '../../../contract/service-annotations';
import { accept, refusedAt, type Outcome, type Refusal } from '../../../errors/outcome';
import type { Claimant, ClaimantSecret, Grant, Preview, ReserveRequest } from '../../../ports/address-book';
import { addressField } from '../../../rules/wishes';
import { Crowds } from '../wanted/namespace-rate';
import { readClaimSecret } from '../wanted/default-secret';
import { pause, type Attempt } from '../wanted/admission-deadline';
import type { ServicesDoorParts } from '../wanted/door-parts';
import type { ServiceIntent } from '../wanted/intent';
import type { Slot } from '../wanted/slot';

/** Pause between two tries while a namespace has too many unbound reservations; binding them takes moments. */
const RETRY_MS = 250;
const LIMIT = 'reservation/limit';

/** Request and facts of a reservation. */
export interface Reservation {
  readonly claimant: Claimant;
  readonly intent: ServiceIntent;
  readonly writtenKeys: readonly string[];
  /** True for a stored object: whatever it holds stays, since binding brings the terms up to date. */
  readonly isStored?: boolean;
}

type Terms = Pick<ReserveRequest, 'secret' | 'previousSecret'>;

/**
 * Reserves every address of a Service, all or none: what this call made is given back when a later one is refused. An
 * address that the Service had before is never given back.
 *
 * @param parts - of the door
 * @param reservation - claimant and wish
 * @param attempt - nothing new is begun once its deadline ended
 * @returns the grants in the order of the result, or the refusal
 * @throws {@link IpamError} of store or cluster
 */
export async function reserveAll(
  parts: ServicesDoorParts,
  reservation: Reservation,
  attempt: Attempt,
): Promise<Outcome<readonly Grant[]>> {
  return eachSlot(parts.cluster, reservation, {
    attempt,
    held: (grant) => grant,
    take: (request) => reserveSlot(parts, request, attempt),
    takeBoth: (requests) => reserveBoth(parts, requests),
    giveBack: (grants) => giveBack(parts, grants, attempt),
  });
}

/** An address that a Service would have. */
export interface Foreseen extends Pick<Preview, 'address' | 'certain' | 'caveat'> {
  /** How it would be asked for; absent for an address that the Service has. */
  readonly request?: ReserveRequest;
}

/**
 * Tells what {@link reserveAll} would answer, on the same way; reserves nothing, and stands in no line.
 *
 * @param parts - of the door
 * @param reservation - claimant and wish
 * @param attempt - is told whose answer is waited for
 * @returns the addresses in the order of the result, or the refusal
 * @throws {@link IpamError} of store or cluster
 */
export async function foreseeAll(
  parts: ServicesDoorParts,
  reservation: Reservation,
  attempt: Attempt,
): Promise<Outcome<readonly Foreseen[]>> {
  return eachSlot<Foreseen>(withoutWrites(parts.cluster), reservation, {
    attempt,
    held: ({ address }) => ({ address, certain: true }),
    take: async (request, before) => {
      const beside = before.flatMap((each) => (each.request === undefined ? [] : [each.request]));
      const found = await parts.book.preview(request, beside);
      return found.ok ? accept({ ...found.value, request }) : found;
    },
    giveBack: () => Promise.resolve(),
  });
}

/** Secrets, as the terms of a reservation read them. */
type Secrets = Pick<ServicesDoorParts['cluster'], 'secret' | 'ensureSecret'>;

// The Secret of the cluster is made by the first Service that is stored.
function withoutWrites(cluster: Secrets): Secrets {
  return {
    secret: (namespace, name) => cluster.secret(namespace, name),
    ensureSecret: (_namespace, _name, data) => Promise.resolve({ type: 'Opaque', data }),
  };
}

/** How the slots of a Service are filled with `T`. */
interface SlotWork<T> {
  readonly attempt: Attempt;
  readonly held: (grant: Grant) => T;
  readonly take: (request: ReserveRequest, before: readonly T[]) => Promise<Outcome<T>>;
  /** Takes an address of each family at once, if that is possible. */
  readonly takeBoth?: (requests: RequestPair) => Promise<readonly T[] | undefined>;
  readonly giveBack: (taken: readonly T[]) => Promise<void>;
}

type RequestPair = readonly [ReserveRequest, ReserveRequest];

async function eachSlot<T>(
  cluster: Secrets,
  reservation: Reservation,
  { attempt, ...work }: SlotWork<T>,
): Promise<Outcome<readonly T[]>> {
  const kept = keptGrants(reservation);
  if (kept.length === reservation.intent.slots.length) return accept(kept.map(work.held));
  attempt.awaits = 'api-server';
  const terms = await readTerms(cluster, reservation);
  attempt.awaits = 'store';
  if (!terms.ok) return terms;
  const both = kept.length === 0 ? await bothSlots(reservation, terms.value, work) : undefined;
  return both === undefined ? oneByOne(reservation, terms.value, { kept, ...work }) : accept(both);
}

async function bothSlots<T>(
  reservation: Reservation,
  terms: Terms,
  { takeBoth }: Pick<SlotWork<T>, 'takeBoth'>,
): Promise<readonly T[] | undefined> {
  const both = takeBoth === undefined ? undefined : pairOf(reservation, terms);
  return both === undefined ? undefined : takeBoth?.(both);
}

async function oneByOne<T>(
  reservation: Reservation,
  terms: Terms,
  { kept, ...work }: Omit<SlotWork<T>, 'attempt'> & { readonly kept: readonly Grant[] },
): Promise<Outcome<readonly T[]>> {
  const taken: T[] = [];
  try {
    for (const slot of reservation.intent.slots) {
      const isKept = slot.held !== undefined && kept.includes(slot.held);
      const found = isKept
        ? accept(work.held(slot.held))
        : await takeSlot((asked) => work.take(requestOf(reservation, asked, terms), taken), slot);
      if (!found.ok) {
        await work.giveBack(taken);
        return { ok: false, refusal: placed(found.refusal, slot, reservation.intent) };
      }
      taken.push(found.value);
    }
  } catch (thrown) {
    await work.giveBack(taken);
    throw thrown;
  }
  return accept(taken);
}

// What the Service held a moment ago, and does not name, may be released and taken meanwhile; then it is asked for any address, which is
// refused in the same words where it holds that one still.
async function takeSlot<T>(take: (slot: Slot) => Promise<Outcome<T>>, slot: Slot): Promise<Outcome<T>> {
  const found = await take(slot);
  const mayBeLost = !found.ok && slot.returns && slot.wish === undefined;
  return mayBeLost ? take({ family: slot.family, settled: false, returns: false }) : found;
}

// A wish, or what the Service has, is one address that others may have as well.
function pairOf(reservation: Reservation, terms: Terms): RequestPair | undefined {
  const [first, second, ...others] = reservation.intent.slots.map((slot) => requestOf(reservation, slot, terms));
  if (first === undefined || second === undefined || others.length > 0) return undefined;
  return first.wish === undefined && second.wish === undefined ? [first, second] : undefined;
}

// What is refused is asked for one by one, where the refusal tells its slot and where to line up.
async function reserveBoth(
  { book, crowds }: ServicesDoorParts,
  requests: RequestPair,
): Promise<readonly Grant[] | undefined> {
  const { namespace } = requests[0].claimant;
  return crowds?.because(namespace) === undefined ? book.reserveBoth?.(requests) : undefined;
}

// What the book refuses, said at the wish that asked for it; faults of the world have no place on the object.
function placed(refusal: Refusal, { wish }: Slot, { zoneField, addressFields }: ServiceIntent): Refusal {
  const ofAddress = wish === undefined ? zoneField : addressField(wish, addressFields);
  const places = new Map([
    ['address', ofAddress],
    ['sharing', ofAddress],
    ['pool', zoneField],
    ['zone', zoneField],
    ['secret', annotationPath(IPAM.secret)],
    ['reservation', 'metadata.namespace'],
  ]);
  const place = places.get(refusal.code.split('/', 1)[0] ?? '');
  return place === undefined ? refusal : refusedAt(refusal, place);
}

// A held address needs no call, and no Secret, while the terms it is held under stay the same.
function keptGrants({ intent, isStored }: Reservation): readonly Grant[] {
  if (isStored === true) return intent.slots.flatMap(({ held }) => (held === undefined ? [] : [held]));
  if (intent.previousSecret !== undefined || intent.sharingChanged) return [];
  return intent.slots.flatMap(({ held, settled, returns }) =>
    held !== undefined && settled && !returns ? [held] : [],
  );
}

async function readTerms(cluster: Secrets, { claimant, intent }: Reservation): Promise<Outcome<Terms>> {
  const secret = await readClaimSecret(cluster, claimant.namespace, intent.secret);
  if (!secret.ok) return secret;
  const previous = await previousSecret(cluster, claimant.namespace, intent.previousSecret);
  return accept({ secret: secret.value, ...(previous === undefined ? {} : { previousSecret: previous }) });
}

// A former Secret that is gone or broken proves nothing, but it must not block the change either (W-15).
async function previousSecret(
  cluster: Secrets,
  namespace: string,
  name: string | undefined,
): Promise<ClaimantSecret | undefined> {
  if (name === undefined) return undefined;
  const read = await readClaimSecret(cluster, namespace, name);
  return read.ok ? read.value : undefined;
}

function requestOf({ claimant, intent, writtenKeys }: Reservation, slot: Slot, terms: Terms): ReserveRequest {
  const wish = slot.wish ?? slot.held?.address;
  return {
    claimant,
    zone: intent.zone,
    family: slot.family,
    ownerKeeps: true,
    ...(slot.returns ? { returns: true } : {}),
    options: intent.options,
    sharing: intent.sharing,
    writtenKeys,
    as: 'lease',
    ...(wish === undefined ? {} : { wish }),
    ...terms,
  };
}

async function reserveSlot(
  parts: ServicesDoorParts,
  request: ReserveRequest,
  attempt: Attempt,
): Promise<Outcome<Grant>> {
  const { book, crowds = new Crowds() } = parts;
  const { claimant } = request;
  const because = crowds.because(claimant.namespace);
  // what was reserved by an earlier try is one of those that are too many, so it is not to be waited for
  if (because === undefined || (await book.holdings(claimant)).length > 0) {
    const granted = await book.reserve(request);
    if (granted.ok || granted.refusal.code !== LIMIT) return granted;
    attempt.cause = granted.refusal;
  } else attempt.cause = because;
  const { cause } = attempt;
  return crowds.turn(claimant.namespace, cause, () => reserveInTurn(parts, request, { attempt, cause }));
}

async function reserveInTurn(
  parts: ServicesDoorParts,
  request: ReserveRequest,
  { attempt, cause }: { readonly attempt: Attempt; readonly cause: Refusal },
): Promise<Outcome<Grant>> {
  let last: Outcome<Grant> = { ok: false, refusal: cause };
  while (!attempt.over) {
    last = await parts.book.reserve(request);
    if (last.ok) return inTime(parts, last.value, { attempt, cause });
    if (last.refusal.code !== LIMIT) return last;
    attempt.cause = last.refusal;
    await pause(parts.clock, RETRY_MS, attempt);
  }
  return last;
}

// A Service that was told that there are too many must not become one of them: a few such leases would close the namespace for minutes.
async function inTime(
  parts: ServicesDoorParts,
  grant: Grant,
  { attempt, cause }: { readonly attempt: Attempt; readonly cause: Refusal },
): Promise<Outcome<Grant>> {
  if (!attempt.over) return accept(grant);
  await undoAll(parts, [grant]);
  return { ok: false, refusal: cause };
}

// After the deadline a retry may hold the same leases already; a lease that is not claimed ends by itself.
async function giveBack(parts: ServicesDoorParts, grants: readonly Grant[], { over }: Attempt): Promise<void> {
  if (!over) await undoAll(parts, grants);
}

async function undoAll({ book, logger }: ServicesDoorParts, grants: readonly Grant[]): Promise<void> {
  for (const grant of grants.filter(({ created }) => created)) {
    try {
      await book.undo(grant);
    } catch {
      const { zone, address } = grant;
      logger.warn('reservation not given back; its lease ends it', { zone, address: address.toString() });
    }
  }
}
