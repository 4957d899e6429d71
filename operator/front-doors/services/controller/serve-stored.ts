import { IPAM, METALLB } from '../../../contract/group';
import type { Outcome, Refusal } from '../../../errors/outcome';
import type { BindTerms, Claimant, ClaimantSecret, Grant } from '../../../ports/address-book';
import { withinDeadline } from '../wanted/admission-deadline';
import { readClaimSecret } from '../wanted/default-secret';
import { disputesOver } from './disputed';
import type { ServicesDoorParts } from '../wanted/door-parts';
import { gatherFacts, type Facts } from '../wanted/facts';
import { keptAgainst } from '../wanted/kept-against';
import type { AnnotationChanges } from '../wanted/patch';
import { ourKeys, resultChanges, type ResultCase } from '../wanted/result-keys';
import { storedReview, type Review } from '../wanted/review';
import { leaveMet } from './leave-met';
import type { StoredObject } from './stored-object';
import { takeWished, type Taken } from '../admission/take-wished';

/** Addresses of a stored Service, and the keys to write on it. */
export type Serving =
  | {
      readonly ok: true;
      readonly review: Review;
      readonly zone: string;
      readonly grants: readonly Grant[];
      /** Bound to it, but not what it asks for now. */
      readonly others: readonly Grant[];
      /** True where each of `grants` was bound to it before. */
      readonly wasHeld: boolean;
      readonly changes: AnnotationChanges;
      readonly notes: readonly Refusal[];
      /** Why it would not get its addresses today. */
      readonly against: readonly Refusal[];
    }
  | {
      readonly ok: false;
      readonly refusals: readonly [Refusal, ...Refusal[]];
      /** Claims that are bound to it all the same. */
      readonly held: readonly Grant[];
    };

/** The claimant of a stored object. */
type StoredClaimant = Claimant & { readonly serviceUid: string };

/** One object under work. */
interface Case {
  readonly claimant: StoredClaimant;
  readonly facts: Facts;
  readonly taken: Taken & { readonly ok: true };
}

/** Terms that cannot be followed without harm: the Service keeps what it has under the terms before. */
const SOFT: readonly string[] = ['secret/shared', 'sharing/refused'];

/**
 * Gives a stored Service what it wishes and binds it; the one path of new, admitted, changed and stripped objects. Writes to
 * the record only, and nothing there where nothing changed.
 *
 * @param parts - of the door
 * @param object - as stored
 * @param live - as it was last in order; absent when that is not known
 * @returns the addresses with the keys that are due, or why it waits
 * @throws {@link IpamError} of store or cluster
 */
export async function serveStored(
  parts: ServicesDoorParts,
  object: Pick<StoredObject, 'view' | 'announced' | 'condition'>,
  live?: Review['live'],
): Promise<Serving> {
  const { view, announced } = object;
  const first: Review = { ...storedReview(view), shown: announced };
  const reservation = view.annotations[IPAM.reservation];
  const gathered = await gatherFacts(parts, { review: first, reservation });
  if (!gathered.ok) return { ok: false, refusals: [gathered.refusal], held: [] };
  const facts = await leaveMet(parts, object, gathered.value);
  const { grants } = facts;
  // the record says that it was in order once; without a record every word of it counts as new
  const known = live ?? (grants.length > 0 ? view : undefined);
  const review = known === undefined ? first : { ...first, live: known };
  const asked = { review, facts, reservation };
  const done = await withinDeadline(parts.clock, parts.settings.deadlineSeconds, (attempt) =>
    takeWished(parts, asked, attempt),
  );
  const taken: Taken = done.kind === 'late' ? { ok: false, refusals: [done.refusal] } : done.result;
  const held = boundOf(facts);
  if (!taken.ok) return { ok: false, refusals: taken.refusals, held };
  const claimant = { ...facts.claimant, serviceUid: view.uid };
  return bindAll(parts, { claimant, facts, taken });
}

async function bindAll(parts: ServicesDoorParts, on: Case): Promise<Serving> {
  const { facts, taken, claimant } = on;
  const { review, intent } = taken.on;
  // the id has done its work once the object is bound
  const named: ResultCase = { review, intent, reservation: undefined };
  const secret = await secretOf(parts, on);
  const { options, sharing } = intent;
  const terms: BindTerms = { options, sharing, writtenKeys: writtenKeys(named, secret), ...shownSecret(secret) };
  const grants: Grant[] = [];
  const notes: Refusal[] = [];
  for (const grant of taken.grants) {
    const bound = await bindOne(parts, { claimant, grant, terms }, notes);
    if (!bound.ok) return { ok: false, refusals: [bound.refusal], held: boundOf(facts) };
    grants.push(bound.value);
  }
  const changes = new Map(
    resultChanges(
      named,
      grants.map(({ address }) => address),
    ),
  );
  if (secret === 'unknown') changes.delete(IPAM.secret);
  // MetalLB takes an address away whose sharing key differs from that of the others
  if (notes.some(({ code }) => code === 'sharing/refused')) changes.delete(METALLB.sharing);
  const others = boundOf(facts).filter(({ holderId }) => !grants.some((grant) => grant.holderId === holderId));
  const addresses = grants.map(({ address }) => address);
  const against = [...keptAgainst(facts, intent.zone, addresses), ...disputesOver(parts, grants)];
  const wasHeld = taken.grants.every(({ holderId }) => facts.boundHolders.has(holderId));
  return { ok: true, review, zone: intent.zone, grants, others, wasHeld, changes, notes, against };
}

async function bindOne(
  { book }: ServicesDoorParts,
  request: { readonly claimant: StoredClaimant; readonly grant: Grant; readonly terms: BindTerms },
  notes: Refusal[],
): Promise<Outcome<Grant>> {
  const bound = await book.bind(request);
  if (bound.ok || !SOFT.includes(bound.refusal.code)) return bound;
  if (!notes.some(({ message }) => message === bound.refusal.message)) notes.push(bound.refusal);
  const { options, writtenKeys: keys } = request.terms;
  return book.bind({ ...request, terms: { options, writtenKeys: keys } });
}

function boundOf({ grants, boundHolders }: Facts): readonly Grant[] {
  return grants.filter(({ holderId }) => boundHolders.has(holderId));
}

/**
 * `unknown`: the object lost the name of its Secret unseen, and the record knows none. Then the kept proof stays
 * in force, since the default secret would give the address to others.
 */
type NamedSecret = Outcome<ClaimantSecret> | 'unknown';

async function secretOf(parts: ServicesDoorParts, on: Case): Promise<NamedSecret> {
  const { facts, claimant, taken } = on;
  const { review, intent } = taken.on;
  const said = review.service.annotations[IPAM.secret] ?? review.live?.annotations[IPAM.secret];
  const secret = await readClaimSecret(parts.cluster, claimant.namespace, intent.secret);
  const isBound = taken.grants.every(({ holderId }) => facts.boundHolders.has(holderId));
  if (!secret.ok || said !== undefined || !isBound) return secret;
  for (const { zone, family, address, writtenKeys: keys } of taken.grants) {
    const { options, sharing } = intent;
    const ask = { claimant, zone, family, wish: address, secret: secret.value, options, sharing, writtenKeys: keys };
    const proven = await parts.book.reserve({ ...ask, as: 'lease' });
    if (!proven.ok) return 'unknown';
  }
  return secret;
}

// A Secret that is gone or broken neither blocks nor changes anything that is held already.
function shownSecret(secret: NamedSecret): Pick<BindTerms, 'secret'> {
  return secret !== 'unknown' && secret.ok ? { secret: secret.value } : {};
}

function writtenKeys(on: ResultCase, secret: NamedSecret): readonly string[] {
  const keys = ourKeys(on);
  return secret === 'unknown' ? keys.filter((key) => key !== IPAM.secret) : keys;
}
