import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../../errors/catalogue';
import { IpamError } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import { refuseHeld, refuseQuota, refuseReservation } from '../../../errors/store-refusals';
import { familyBits, type Address, type Family } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import { serviceOwner } from '../../../contract/service-identity';
import type { ServiceIdentity } from '../../../ports/address-book';
import type { SecretProof, TakeLimits, Taken, TakeRequest, Want } from '../../../ports/claims';
import { changedNothing, type V2Call, type V2Result } from './v2-call';
import { addressRow, askRow, changed, rowHolder, withHolder } from './v2-intent';
import type { Intent, IntentHolder, NewRowHolder } from './v2-intent';
import { callFor, save, type Plan, type RemoteContext, type Settled } from './v2-line';
import { recordOf, term } from './v2-table';

/** One address that is asked for, in the words of rows. */
interface SingleTake {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly address?: Address;
  readonly space: PrefixSet;
  readonly secret: SecretProof;
  readonly holder: NewRowHolder;
  readonly limits: TakeLimits;
  readonly nowMs: number;
}

/**
 * Takes addresses from the IPAM-API; see `Claims.take`. Without a wish the IPAM-API chooses, whatever the space of the zone says. It
 * gives one address at a call, so of two families the first one goes back where the second one is refused or fails.
 *
 * @param context - rows, calls, clock
 * @param request - what is asked for
 * @param giveBack - ends a claim that was just made
 * @returns the records; or a refusal, among them `claim/nameless` for a Service without a name
 * @throws IpamError `store/unavailable` when the IPAM-API is away
 */
export async function take(
  context: RemoteContext,
  request: TakeRequest,
  giveBack: (taken: Taken) => Promise<unknown>,
): Promise<Outcome<readonly Taken[]>> {
  const taken: Taken[] = [];
  const undo = async (): Promise<void> => {
    for (const each of taken) if (each.created) await giveBack(each);
  };
  for (const want of request.wants) {
    const single = singleOf(context, request, want);
    let outcome: Outcome<Taken>;
    try {
      outcome = single.ok ? await takeOne(context, single.value) : single;
    } catch (thrown) {
      // the caller is told this failure, whether or not giving back succeeds; the lease ends what stays
      await undo().catch(() => undefined);
      throw thrown;
    }
    if (!outcome.ok) {
      await undo();
      return outcome;
    }
    taken.push(outcome.value);
  }
  return accept(taken);
}

function singleOf({ clock }: RemoteContext, request: TakeRequest, want: Want): Outcome<SingleTake> {
  const { network, pool: zone, secret, limits = {} } = request;
  const { family, address, space, length = familyBits(family), key } = want;
  if (length !== familyBits(family)) {
    return refuse('prefix/not-a-host', 'version 2 of the IPAM-API gives single addresses only');
  }
  if (secret === undefined)
    throw new IpamError('internal', 'version 2 of the IPAM-API takes no claim without a secret');
  const nowMs = clock.nowMs();
  const holder = rowHolder({ ...request.holder, ...(key === undefined ? {} : { key }) }, { nowMs });
  const named = address === undefined ? {} : { address };
  return accept({ network, zone, family, ...named, space, secret, holder, limits, nowMs });
}

async function takeOne(context: RemoteContext, request: SingleTake): Promise<Outcome<Taken>> {
  const { holder } = request;
  const same = keyed(context, holder.key);
  if (same !== undefined) return accept({ record: same, created: false });
  if (holder.service.serviceName === '') {
    const message = 'version 2 of the IPAM-API knows no Service without a name; it gets its address once it is stored';
    return refuse('claim/nameless', message);
  }
  const limit = overLimit(context, request);
  if (limit !== undefined) return limit;
  const address = request.address ?? leftBehind(context, request);
  return address === undefined ? takeAny(context, request) : takeNamed(context, request, address);
}

/**
 * Finds the secret that a request hashed.
 *
 * @param context - with the hasher
 * @param proof - its hash
 * @returns the secret itself
 * @throws IpamError `internal` when it was not shown to this process
 */
export function secretFor({ hasher }: RemoteContext, proof: SecretProof): Intent['secret'] {
  const value = hasher.secretOf(proof.hash);
  if (value === undefined) throw new IpamError('internal', 'the secret of a claim was not shown to this process');
  return { value, scope: proof.scope };
}

/**
 * Describes a holder for a call.
 *
 * @param intent - the row
 * @param holder - one of its holders
 * @returns the call, with the address that the row has
 */
export function callOf({ secret, zone, family, address }: Intent, { service, options }: NewRowHolder): V2Call {
  const named = address === undefined ? {} : { address };
  return { secret: secret.value, zone, family, ...named, service, options };
}

function keyed({ table }: RemoteContext, key: string | undefined): Taken['record'] | undefined {
  if (key === undefined) return undefined;
  const found = table.all(term.key(key)).map(({ record }) => record);
  return found.find((record) => record?.holders.some((each) => each.key === key));
}

function overLimit({ table }: RemoteContext, request: SingleTake): Outcome<never> | undefined {
  const { holder, limits, network, zone } = request;
  const { maxReservedInNamespace: limit, poolQuota: quota } = limits;
  const owner = serviceOwner(holder);
  if (limit !== undefined && holder.state === 'reserved') {
    const unbound = table.all(term.unbound(holder.service.namespaceUid));
    const others = unbound.filter(({ intent }) => !intent.holders.some(({ key }) => key === holder.key));
    if (others.length >= limit) return refuseReservation(owner, limit);
  }
  return quota === undefined || table.all(term.pool(network, zone)).length < quota
    ? undefined
    : refuseQuota(zone, quota, owner.kind);
}

// The IPAM-API would find what the service had a moment ago; named, it meets its own release in one row.
function leftBehind({ table, hasher }: RemoteContext, request: SingleTake): Address | undefined {
  const { holder, network, secret, space } = request;
  for (const { intent } of table.all(term.owner(serviceOwner(holder)))) {
    const { id, address } = intent;
    if (address === undefined || id !== addressRow(network, address) || !space.contains(address)) continue;
    if (!isSamePool(intent, request) || hasher.hash(intent.secret.value) !== secret.hash) continue;
    if (isFreeFor(ownOf(intent, holder.service))) return address;
  }
  return undefined;
}

function isSamePool(intent: Intent, { zone, family, network }: SingleTake): boolean {
  return intent.zone === zone && intent.family === family && intent.network === network;
}

// What the very service had, and neither the ledger nor another holder has now.
function isFreeFor(own: IntentHolder | undefined): own is IntentHolder {
  return own !== undefined && own.phase !== 'held';
}

function takeNamed(context: RemoteContext, request: SingleTake, address: Address): Promise<Outcome<Taken>> {
  const id = addressRow(request.network, address);
  let before: IntentHolder | undefined;
  let asked: IntentHolder;
  return callFor<Taken>(context, id, {
    prepare: (known) => {
      const outcome = notFree(context, known, request);
      if (outcome !== undefined) return { kind: 'over', outcome };
      before = known === undefined ? undefined : ownOf(known, request.holder.service);
      asked = askingHolder(request, before);
      const blank = known ?? { ...emptyIntent(context, request, id), address };
      const intent = { ...blank, holders: withHolder(blank.holders, asked.id, asked) };
      return { kind: 'call', intent, call: (ms) => context.calls.register(callOf(intent, asked), ms) };
    },
    settle: (marked, result) => settleNamed(context, { marked, asked, before }, result),
  });
}

function notFree(context: RemoteContext, known: Intent | undefined, request: SingleTake): Outcome<never> | undefined {
  if (known?.address === undefined) return undefined;
  const text = known.address.toString();
  const held = known.holders.find(({ phase }) => phase === 'held');
  if (held !== undefined) {
    return refuseHeld({ wanted: text, space: text, holder: serviceOwner(held), askedBy: serviceOwner(request.holder) });
  }
  if (context.hasher.hash(known.secret.value) === request.secret.hash) return undefined;
  const message = `address "${text}" is still being given back to the IPAM-API; try again`;
  return refuse('store/unavailable', message, { value: text, retryAfterSeconds: 1 });
}

interface Asked {
  readonly marked: Intent;
  readonly asked: IntentHolder;
  /** Holder that stood there before. */
  readonly before: IntentHolder | undefined;
}

function settleNamed(context: RemoteContext, { marked, asked, before }: Asked, result: V2Result): Settled<Taken> {
  if (result.as === 'done') return granted(context, marked, asked);
  const outcome: Outcome<never> = { ok: false, refusal: result.refusal };
  if (!changedNothing(result)) return { next: marked, outcome };
  // a holder that was leaving leaves on; one that was asking already may have got it by an earlier call
  const gone = before?.phase === 'asking' && result.as === 'refused' && isNobodys(result.refusal.code);
  const holders = withHolder(marked.holders, asked.id, gone ? undefined : before);
  return { next: holders.length === 0 ? undefined : { ...marked, holders }, outcome };
}

/**
 * Tells whether a refused register proves that the address is not registered under this secret.
 *
 * @param code - of the refusal
 * @returns false for a refusal that says nothing of what was registered earlier
 */
export function isNobodys(code: ErrorCode): boolean {
  return code === 'secret/wrong' || code === 'address/outside-zone';
}

function granted(context: RemoteContext, marked: Intent, asked: IntentHolder): Settled<Taken> {
  const holders = withHolder(marked.holders, asked.id, { ...asked, phase: 'held' });
  // the very state that is written, so that its version is the one that the caller gets
  const next = changed(marked, { holders, call: undefined, disputed: undefined }, context.clock.nowMs());
  return { next, outcome: takenOutcome(context, next) };
}

function takenOutcome(context: RemoteContext, intent: Intent): Outcome<Taken> {
  const record = recordOf(intent, context.hasher);
  if (record === undefined) throw new IpamError('internal', 'an address was taken without a holder');
  return accept({ record, created: true });
}

function takeAny(context: RemoteContext, request: SingleTake): Promise<Outcome<Taken>> {
  const id = askRow(request.holder.key ?? randomUUID());
  let asked: IntentHolder;
  let isFirst = false;
  const plan: Plan<Taken> = {
    prepare: (known) => {
      // another process with the same request was faster, and its row is gone already
      const same = keyed(context, request.holder.key);
      if (same !== undefined) return { kind: 'over', outcome: accept({ record: same, created: false }) };
      if (known?.address !== undefined) {
        return {
          kind: 'over',
          outcome: refuse('store/unavailable', 'an address that does not fit is still being given back; try again'),
        };
      }
      const [before] = known?.holders ?? [];
      isFirst = known === undefined;
      asked = askingHolder(request, before);
      const intent = { ...(known ?? emptyIntent(context, request, id)), holders: [asked] };
      return { kind: 'call', intent, call: (ms) => context.calls.register(callOf(intent, asked), ms) };
    },
    settle: async (marked, result) => {
      if (result.as === 'done' && result.address !== undefined)
        return place(context, { marked, asked, request }, result.address);
      if (result.as === 'done') return { next: marked, outcome: refuse('internal', 'no address was named') };
      // an earlier call may have taken one all the same, unless the IPAM-API now has none to give
      const isFull = result.as === 'refused' && result.refusal.code === 'pool/exhausted';
      const nothing = isFull || (isFirst && changedNothing(result));
      return { next: nothing ? undefined : marked, outcome: { ok: false, refusal: result.refusal } };
    },
  };
  return callFor(context, id, plan);
}

interface Placing {
  readonly marked: Intent;
  readonly asked: IntentHolder;
  readonly request: SingleTake;
}

// The row of the address comes first, then the one without goes: in between both name the same holder.
async function place(context: RemoteContext, placing: Placing, address: Address): Promise<Settled<Taken>> {
  const { marked, request } = placing;
  const text = address.toString();
  if (!request.space.contains(address)) {
    const message = `the IPAM-API gave address "${text}", which is no part of zone "${request.zone}" here; make the zones document and the IPAM-API agree`;
    return { next: leavingRow(marked, address), outcome: refuse('address/outside-zone', message, { value: text }) };
  }
  const id = addressRow(request.network, address);
  const { intent: there, record } = context.table.get(id) ?? {};
  const holds = there === undefined ? undefined : ownOf(there, request.holder.service);
  // the service has it already: giving it back now would take it away from it
  if (record !== undefined && holds?.phase === 'held') {
    return { next: undefined, outcome: accept({ record, created: false }) };
  }
  const next = placed(context, placing, there ?? { ...marked, id, address, holders: [] });
  if (next !== undefined && (await save(context, there, next)).ok) {
    return { next: undefined, outcome: takenOutcome(context, next) };
  }
  return { next: leavingRow(marked, address), outcome: refuseOthers(context, id, text) };
}

function refuseOthers({ table, suspect }: RemoteContext, id: string, value: string): Outcome<never> {
  // it gave away what it had given before: it does not know that any more
  if (table.get(id)?.record !== undefined) suspect(id);
  const message = `the IPAM-API gave address "${value}", which others of this cluster have; it is given back`;
  return refuse('store/unavailable', message, { value });
}

// The row of the address with the holder in it; undefined where others have the address or are about to call for it.
function placed({ clock }: RemoteContext, { marked, asked }: Placing, there: Intent): Intent | undefined {
  const own = ownOf(there, asked.service);
  const isNew = there.holders.length === 0;
  if (there.secret.value !== marked.secret.value) return undefined;
  if (!isNew && (there.call !== undefined || !isFreeFor(own))) return undefined;
  const holder: IntentHolder = { ...asked, id: own?.id ?? asked.id, phase: 'held' };
  return changed(there, { holders: withHolder(there.holders, holder.id, holder), call: undefined }, clock.nowMs());
}

function leavingRow(marked: Intent, address: Address): Intent {
  return { ...marked, address, holders: marked.holders.map((each) => ({ ...each, phase: 'leaving', leavingDays: 0 })) };
}

function emptyIntent({ clock, ...context }: RemoteContext, request: SingleTake, id: string): Intent {
  const { network, zone, family, secret } = request;
  const nowMs = clock.nowMs();
  const own = secretFor({ clock, ...context }, secret);
  return { id, version: nowMs, network, zone, family, secret: own, holders: [], takenAtMs: nowMs };
}

function askingHolder({ holder, nowMs }: SingleTake, before: IntentHolder | undefined): IntentHolder {
  return { ...holder, id: before?.id ?? randomUUID(), sinceMs: before?.sinceMs ?? nowMs, phase: 'asking' };
}

function ownOf(
  { holders }: Intent,
  { serviceName, namespaceUid, clusterUid }: ServiceIdentity,
): IntentHolder | undefined {
  return holders.find(
    ({ service }) =>
      service.serviceName === serviceName && service.namespaceUid === namespaceUid && service.clusterUid === clusterUid,
  );
}
