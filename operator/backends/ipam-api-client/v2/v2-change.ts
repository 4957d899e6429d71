import { IpamError } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import { refuseKeyInUse, refuseOutdated, refuseUnclaimed } from '../../../errors/store-refusals';
import type { AddressRecord, BindRequest, ReleaseRequest } from '../../../ports/claims';
import { randomUUID } from 'node:crypto';
import { changedNothing, type V2Result } from './v2-call';
import { addressRow, changed, holderOf, rowHolder, withHolder } from './v2-intent';
import type { Intent, IntentHolder, NewRowHolder } from './v2-intent';
import { callFor, quiet, save, type RemoteContext, type Settled } from './v2-line';
import { recordOf, term } from './v2-table';
import { callOf, secretFor } from './v2-take';

/** A bind in the words of rows. */
type RowBind = Omit<BindRequest, 'holder'> & { readonly holder: NewRowHolder; readonly nowMs: number };

/** Row and holder that a change is made on. */
interface Found {
  readonly intent: Intent;
  readonly record: AddressRecord;
  readonly holder: IntentHolder | undefined;
}

/**
 * Changes a held address; see `Claims.bind`. A join and a rotation ask the IPAM-API first; a holder that becomes retained
 * leaves, since the IPAM-API keeps retentions itself; everything else is written here, and new options are told afterwards.
 *
 * @param context - rows, calls, clock
 * @param request - what becomes different
 * @returns the record; or a refusal of the port, or of the IPAM-API
 * @throws IpamError `store/unavailable` when the IPAM-API is away
 */
export async function bind(context: RemoteContext, request: BindRequest): Promise<Outcome<AddressRecord>> {
  const id = addressRow(request.network, request.address);
  await quiet(context, id, { endMs: context.clock.nowMs() + context.budgetMs, doubts: false });
  const found = find(context, request);
  if (!found.ok) return found;
  const { intent, record, holder } = found.value;
  if (keyBelongsToOther(context, request, holder)) return refuseKeyInUse(request.address.toString());
  const nowMs = context.clock.nowMs();
  const asked: RowBind = {
    ...request,
    holder: rowHolder(request.holder, { nowMs, endMs: holder?.expiresAtMs }),
    nowMs,
  };
  if (holder === undefined) return join(context, asked);
  if (asked.holder.state === 'retained') return retain(context, found.value, asked.holder);
  if (asked.secret !== undefined && asked.secret.hash !== record.secret?.hash) return rotate(context, asked);
  return write(context, intent, {
    holders: withHolder(intent.holders, holder.id, changedHolder(holder, asked.holder)),
  });
}

// New options are told to the IPAM-API afterwards.
function changedHolder(holder: IntentHolder, asked: NewRowHolder): IntentHolder {
  const stale = holder.stale === true || !sameOptions(holder, asked);
  const { id, sinceMs, phase } = holder;
  return { ...asked, id, sinceMs, phase, ...(stale ? { stale: true } : {}) };
}

/**
 * Ends one holder; see `Claims.release`. It is written down that it goes; the IPAM-API is told afterwards, as often as it takes.
 *
 * @param context - rows and clock
 * @param request - which holder
 * @returns the record with the holders that stay, undefined where none does; or a refusal of the port
 */
export async function release(
  context: RemoteContext,
  request: ReleaseRequest,
): Promise<Outcome<AddressRecord | undefined>> {
  const id = addressRow(request.network, request.address);
  await quiet(context, id, { endMs: context.clock.nowMs() + context.budgetMs, doubts: false });
  const found = find(context, request);
  if (!found.ok) return found;
  const { intent, holder } = found.value;
  if (holder === undefined) return refuseUnclaimed(request.address.toString());
  const holders = withHolder(intent.holders, holder.id, leaving(holder, 0));
  const next = changed(intent, { holders }, context.clock.nowMs());
  const saved = await save(context, intent, next);
  return saved.ok ? accept(recordOf(next, context.hasher)) : refuseOutdated(request.address.toString());
}

/**
 * Makes a holder one that leaves.
 *
 * @param holder - as it is
 * @param days - of retention that the IPAM-API is asked for
 * @returns the leaving holder, which is not found by its key any more
 */
export function leaving(holder: IntentHolder, days: number): IntentHolder {
  const { key: _key, ...rest } = holder;
  return { ...rest, phase: 'leaving', leavingDays: days };
}

/**
 * Asks for a new secret: by the old one, and, where that is not known any more, whether an earlier call of ours did it already.
 *
 * @param context - with the calls
 * @param intent - with the secret that is to follow
 * @param how - the holder that rotates, and how long it may take
 * @returns what the IPAM-API said
 */
export async function callRotation(
  { calls, clock }: RemoteContext,
  intent: Intent,
  { holder, budgetMs }: { readonly holder: NewRowHolder; readonly budgetMs: number },
): Promise<V2Result> {
  const endMs = clock.nowMs() + budgetMs;
  const call = callOf(intent, holder);
  const newSecret = intent.next?.value ?? call.secret;
  const rotated = await calls.register({ ...call, newSecret }, budgetMs);
  if (rotated.as !== 'refused' || rotated.refusal.code !== 'secret/wrong') return rotated;
  const confirmed = await calls.register({ ...call, secret: newSecret }, Math.max(1, endMs - clock.nowMs()));
  return confirmed.as === 'refused' && confirmed.refusal.code === 'secret/wrong' ? rotated : confirmed;
}

/**
 * Ends a rotation.
 *
 * @param marked - with the secret that is to follow
 * @param result - what the IPAM-API said
 * @param isDoubted - an earlier call for the same secret may have rotated already
 * @returns the row after it: with the new secret, with the old one, or still not knowing
 */
export function rotationResult(marked: Intent, result: V2Result, isDoubted: boolean): Intent {
  const { next, ...rest } = marked;
  if (next === undefined) return marked;
  if (result.as === 'done') return { ...rest, secret: next, former: { value: marked.secret.value } };
  return isDoubted ? (settlesRotation(result) ? rest : marked) : changedNothing(result) ? rest : marked;
}

// Of the refusals only these two looked the address up by its secret.
function settlesRotation(result: V2Result): boolean {
  return result.as === 'refused' && (result.refusal.code === 'secret/wrong' || result.refusal.code === 'secret/shared');
}

function find(context: RemoteContext, request: BindRequest | ReleaseRequest): Outcome<Found> {
  const { network, address, version, holderId } = request;
  const text = address.toString();
  const known = context.table.get(addressRow(network, address));
  if (known?.record === undefined) return refuseUnclaimed(text);
  if (known.record.version !== version) return refuseOutdated(text);
  const holder = known.intent.holders.find(({ id, phase }) => id === holderId && phase === 'held');
  if (holderId !== undefined && holder === undefined) return refuseUnclaimed(text);
  return accept({ intent: known.intent, record: known.record, holder });
}

function keyBelongsToOther({ table }: RemoteContext, { holder }: BindRequest, own: IntentHolder | undefined): boolean {
  const { key } = holder;
  if (key === undefined) return false;
  const holders = table.all(term.key(key)).flatMap(({ intent }) => intent.holders);
  return holders.some((each) => each.key === key && each.phase === 'held' && each.id !== own?.id);
}

async function write(
  context: RemoteContext,
  before: Intent,
  changes: Parameters<typeof changed>[1],
): Promise<Outcome<AddressRecord>> {
  const next = changed(before, changes, context.clock.nowMs());
  const saved = await save(context, before, next);
  return saved.ok ? seen(context, next) : refuseOutdated(before.address?.toString() ?? '');
}

function seen({ hasher }: RemoteContext, intent: Intent): Outcome<AddressRecord> {
  const record = recordOf(intent, hasher);
  return record === undefined ? refuseUnclaimed(intent.address?.toString() ?? '') : accept(record);
}

async function retain(
  context: RemoteContext,
  { intent, holder, record }: Found,
  retained: NewRowHolder,
): Promise<Outcome<AddressRecord>> {
  if (holder === undefined) return refuseUnclaimed(record.address.toString());
  const days = retained.options.retentionPeriodDays;
  const gone = { ...leaving(holder, days), options: retained.options };
  const next = changed(intent, { holders: withHolder(intent.holders, holder.id, gone) }, context.clock.nowMs());
  const saved = await save(context, intent, next);
  if (!saved.ok) return refuseOutdated(record.address.toString());
  const last = holderOf({ ...retained, id: holder.id, sinceMs: holder.sinceMs });
  const holders = record.holders.map((each) => (each.id === holder.id ? last : each));
  return accept({ ...record, holders, version: next.version });
}

// Whether others of this cluster agree was judged on the version; whether those elsewhere do, only the IPAM-API knows.
function join(context: RemoteContext, request: RowBind): Promise<Outcome<AddressRecord>> {
  const { network, address } = request;
  let isOurs = false;
  const asked: IntentHolder = { ...request.holder, id: randomUUID(), sinceMs: request.nowMs, phase: 'asking' };
  return callFor<AddressRecord>(context, addressRow(network, address), {
    prepare: (known) => {
      if (known === undefined) return { kind: 'over', outcome: refuseUnclaimed(address.toString()) };
      const mine = sameServiceIn(known, asked);
      const again = isOurs && mine !== undefined;
      if (!again && known.version !== request.version)
        return { kind: 'over', outcome: refuseOutdated(address.toString()) };
      isOurs = true;
      const intent = {
        ...known,
        holders: withHolder(known.holders, mine?.id ?? asked.id, { ...asked, id: mine?.id ?? asked.id }),
      };
      return { kind: 'call', intent, call: (ms) => context.calls.register(callOf(intent, asked), ms) };
    },
    settle: (marked, result) => {
      const mine = sameServiceIn(marked, asked) ?? asked;
      if (result.as === 'done')
        return withRecord(context, marked, withHolder(marked.holders, mine.id, { ...mine, phase: 'held' }));
      const nothing = changedNothing(result);
      const holders = nothing ? withHolder(marked.holders, mine.id, undefined) : marked.holders;
      return { next: { ...marked, holders }, outcome: { ok: false, refusal: result.refusal } };
    },
  });
}

function withRecord(context: RemoteContext, marked: Intent, holders: Intent['holders']): Settled<AddressRecord> {
  const next = changed(marked, { holders, call: undefined }, context.clock.nowMs());
  return { next, outcome: seen(context, next) };
}

function sameServiceIn({ holders }: Intent, { service }: NewRowHolder): IntentHolder | undefined {
  return holders.find(
    (each) =>
      each.phase !== 'held' &&
      each.service.serviceName === service.serviceName &&
      each.service.namespaceUid === service.namespaceUid &&
      each.service.clusterUid === service.clusterUid,
  );
}

function rotate(context: RemoteContext, request: RowBind): Promise<Outcome<AddressRecord>> {
  const { network, address, holderId, secret } = request;
  const text = address.toString();
  if (secret === undefined || holderId === undefined) throw new IpamError('internal', 'a rotation without a secret');
  const following = secretFor(context, secret);
  let isOurs = false;
  let isDoubted = false;
  return callFor<AddressRecord>(context, addressRow(network, address), {
    prepare: (known) => {
      const old = known?.holders.find(({ id }) => id === holderId);
      if (known === undefined || old === undefined) return { kind: 'over', outcome: refuseUnclaimed(text) };
      // after a first try of ours the version is another one, but what is to follow is still ours
      const again = isOurs && known.next?.value === following.value;
      if (!again && known.version !== request.version) return { kind: 'over', outcome: refuseOutdated(text) };
      // which secret counts there is not known yet, so another one must not take the place of the one in doubt
      if (known.next !== undefined && known.next.value !== following.value)
        return { kind: 'over', outcome: unsettled(text) };
      isOurs = true;
      isDoubted = known.next !== undefined;
      const intent = { ...known, next: following };
      return {
        kind: 'call',
        intent,
        call: (budgetMs) => callRotation(context, intent, { holder: request.holder, budgetMs }),
      };
    },
    settle: (marked, result) => {
      const after = rotationResult(marked, result, isDoubted);
      if (result.as !== 'done') return { next: after, outcome: { ok: false, refusal: result.refusal } };
      const old = marked.holders.find(({ id }) => id === holderId);
      const { sinceMs = request.nowMs } = old ?? {};
      const mine: IntentHolder = { ...request.holder, id: holderId, sinceMs, phase: 'held' };
      return withRecord(context, after, withHolder(after.holders, holderId, mine));
    },
  });
}

function unsettled(value: string): Outcome<never> {
  const message = `the IPAM-API gave no answer to an earlier change of the secret of address "${value}"; the change is settled first, try again`;
  return refuse('store/unavailable', message, { value, retryAfterSeconds: 1 });
}

function sameOptions({ options: a }: NewRowHolder, { options: b }: NewRowHolder): boolean {
  return a.retentionPeriodDays === b.retentionPeriodDays && a.denyExternalCleanup === b.denyExternalCleanup;
}
