import { accept, type Outcome, type Refusal } from '../../errors/outcome';
import { PrefixSet } from '../../addressing/prefix-set';
import { refuseQuota, refuseShare } from '../../errors/store-refusals';
import type { Grant } from '../../ports/address-book';
import type { AddressRecord, BindRequest, Holder, TakeLimits, TakeRequest } from '../../ports/claims';
import { isClaimant, ownHolder, type Claim } from '../records/claims';
import { explain, namesFor } from '../records/holder-words';
import { grantOf } from '../records/grant';
import { keptUnderKey } from '../decisions/key-wish';
import type { LedgerContext } from '../records/ledger-context';
import { refused, type ReserveCase, type Step } from '../decisions/reserve-case';
import { orAgain, type Attempt } from '../records/until-settled';
import { tellEdges } from '../records/edge-addresses';

type Take = Extract<Step, { do: 'take' }>;
type Write = Extract<Step, { do: 'write' }>;

/**
 * Makes a decision durable by one atomic verb of the store.
 *
 * @param context - the ledger's parts
 * @param on - the case
 * @param step - what was decided
 * @returns the grant, a refusal, or `again` when the record changed since it was read
 */
export async function commitStep(context: LedgerContext, on: ReserveCase, step: Step): Promise<Attempt<Grant>> {
  switch (step.do) {
    case 'refuse':
      return { ok: false, refusal: step.refusal };
    case 'keep':
      return accept(grantOf(step.claim, false));
    case 'write':
      return commitWrite(context, on, step);
    case 'take':
      return commitTake(context, on, step);
  }
}

async function commitWrite(context: LedgerContext, on: ReserveCase, step: Write): Promise<Attempt<Grant>> {
  const { record, holder, holderId, secret } = step;
  const limited = await limitProblem(context, on, step);
  if (limited !== undefined) return limited;
  const request: BindRequest = {
    network: record.network,
    address: record.address,
    version: record.version,
    holder,
    ...(holderId === undefined ? {} : { holderId }),
    ...(secret === undefined ? {} : { secret }),
  };
  const written = orAgain(await context.claims.bind(request));
  if (written === 'again' || !written.ok) return written;
  const joined = holderId === undefined;
  const left = joined ? newest(on, written.value) : written.value.holders.find((each) => each.id === holderId);
  return left === undefined ? 'again' : accept(grantOf({ record: written.value, holder: left }, joined));
}

/**
 * Looks at the limits of a claimant that joins an address, and of one that is given an address which it shows without a grant. The latter
 * holds nothing more than before: what it contested counts already.
 *
 * @param context - the ledger's parts
 * @param on - the case
 * @param step - what was decided
 * @returns the refusal; undefined where no limit stands against it
 */
export async function limitProblem(
  context: LedgerContext,
  on: ReserveCase,
  { record, holder, holderId, from }: Write,
): Promise<Outcome<never> | undefined> {
  if (from === undefined) return holderId === undefined ? joinProblem(context, on, { record, holder }) : undefined;
  const request = takeRequest(context, on, { do: 'take', zone: from, address: record.address, holder });
  const { poolQuota, clusterQuota, namespaceQuota, ...others } = request.limits ?? {};
  const limits = { ...others, ...oneMore({ poolQuota, clusterQuota, namespaceQuota }) };
  const asked = await problemAhead(context, { ...request, limits });
  if (asked === undefined) return undefined;
  const { code } = asked.refusal;
  if (code === 'zone/quota') return refuseQuota(from.name, poolQuota ?? 0, holder.owner.kind);
  return code === 'cluster/quota' || code === 'namespace/quota'
    ? refuseShare(code === 'cluster/quota' ? 'cluster' : 'namespace', request)
    : asked;
}

// An address counts once for a cluster and once for a namespace, however many of their objects share it.
async function joinProblem(
  context: LedgerContext,
  on: ReserveCase,
  { record, holder }: Pick<Write, 'record' | 'holder'>,
): Promise<Outcome<never> | undefined> {
  const { clusterQuota, namespaceQuota } = on.request;
  const { cluster, namespaceUid } = holder.owner;
  const ofCluster = record.holders.filter(({ owner }) => owner.cluster === cluster);
  const isNewTo = {
    cluster: ofCluster.length === 0,
    namespace: ofCluster.every(({ owner }) => owner.namespaceUid !== namespaceUid),
  };
  const limits = {
    ...(isNewTo.cluster && clusterQuota !== undefined ? { clusterQuota } : {}),
    ...(isNewTo.namespace && namespaceQuota !== undefined ? { namespaceQuota } : {}),
  };
  if (Object.keys(limits).length === 0) return undefined;
  const { network, pool, family, address } = record;
  const { key: _key, ...asking } = holder;
  const wants = [{ family, address, space: PrefixSet.EMPTY }] as const;
  return problemAhead(context, { network, pool, wants, holder: asking, limits });
}

// A record that cannot look ahead has no contested claims either.
async function problemAhead(
  { claims }: LedgerContext,
  request: TakeRequest,
): Promise<{ readonly ok: false; readonly refusal: Refusal } | undefined> {
  const asked = await claims.peek?.(request);
  return asked === undefined || asked.ok || lostRace(asked.refusal) ? undefined : asked;
}

type Quotas = { readonly [Name in 'poolQuota' | 'clusterQuota' | 'namespaceQuota']: number | undefined };

function oneMore(quotas: Quotas): Pick<TakeLimits, keyof Quotas> {
  const given = Object.entries(quotas).filter((entry): entry is [keyof Quotas, number] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, quota]) => [name, quota + 1]));
}

async function commitTake(context: LedgerContext, on: ReserveCase, step: Take): Promise<Attempt<Grant>> {
  const taken = await context.claims.take(takeRequest(context, on, step));
  if (!taken.ok) return refusedTake(context, on, { step, refused: taken });
  const [first] = taken.value;
  if (first === undefined) return 'again';
  const { record, created } = first;
  const holder = newest(on, record);
  if (holder === undefined) return 'again';
  const told = step.apart === undefined ? {} : { apart: step.apart };
  if (created) return accept({ ...grantOf({ record, holder }, true), ...told });
  return commitStep(context, on, underSameKey(on, { record, holder }));
}

/**
 * Judges what a request with the same key got before.
 *
 * @param on - the case
 * @param claim - the claim that has the key
 * @returns what keeps it for this claimant, or the refusal
 */
export function underSameKey(on: ReserveCase, claim: Claim): Step {
  // the key of a reservation outlives it: its holder has a name or an owner by now
  if (on.request.key === undefined && !isClaimant(claim.holder, on.request.claimant))
    return reservationUsed(on, claim.record);
  // a request with the same key was faster: judge what it got as what this claimant holds
  return keptUnderKey(on, claim);
}

/**
 * Writes what the store is asked for.
 *
 * @param context - the ledger's parts
 * @param on - the case
 * @param step - the take that was decided
 * @returns what `take` and `peek` of the store take
 */
export function takeRequest(
  context: LedgerContext,
  on: ReserveCase,
  { zone, address, returningOver, holder: { key, ...holder } }: Take,
): TakeRequest {
  const want = {
    family: on.request.family,
    space: zone.choosable,
    ...(address === undefined ? {} : { address }),
    ...(returningOver === undefined ? {} : { returningOver }),
    ...(key === undefined ? {} : { key }),
  };
  const limits = { ...zoneLimits(context, on, { zone, holder }), ...shareLimits(on) };
  return { network: zone.network, pool: zone.name, wants: [want], secret: on.shown, holder, limits };
}

function zoneLimits(
  context: LedgerContext,
  { request }: ReserveCase,
  { zone, holder }: { readonly zone: Take['zone']; readonly holder: TakeRequest['holder'] },
): Pick<TakeLimits, 'maxReservedInNamespace' | 'poolQuota'> {
  if (request.adopt !== undefined) return {};
  return {
    ...(holder.state === 'reserved' ? { maxReservedInNamespace: context.maxReservedInNamespace } : {}),
    ...(zone.quota === undefined ? {} : { poolQuota: zone.quota }),
  };
}

// The adopting cluster says so itself, so what others allow a cluster stands against that too.
function shareLimits({ request }: ReserveCase): Pick<TakeLimits, 'clusterQuota' | 'namespaceQuota'> {
  const { clusterQuota, namespaceQuota } = request;
  return {
    ...(clusterQuota === undefined ? {} : { clusterQuota }),
    ...(namespaceQuota === undefined ? {} : { namespaceQuota }),
  };
}

function reservationUsed(on: ReserveCase, record: AddressRecord): Step {
  const value = record.address.toString();
  const message = `the reservation id was used before, for address "${value}", which ${explain(record, namesFor(on.request.claimant))}`;
  return refused('reservation/missing', message, { value });
}

/**
 * Tells of a refusal of the store that a new decision may cure.
 *
 * @param refusal - what the store answered to a take
 * @returns true where the address was free, or ours to return to, when the decision was made
 */
export function lostRace({ code }: Refusal): boolean {
  return code === 'address/held' || code === 'address/quarantined' || code === 'store/conflict';
}

/**
 * Judges what the store refused of a take that was decided.
 *
 * @param context - the ledger's parts
 * @param on - the case
 * @param take - the step, and what the store answered
 * @returns `again` where a new decision may cure it; else the refusal
 */
export async function refusedTake(
  context: LedgerContext,
  on: ReserveCase,
  { step, refused: answer }: { readonly step: Take; readonly refused: Outcome<never> & { readonly ok: false } },
): Promise<Attempt<never>> {
  if (!lostRace(answer.refusal)) return tellEdges(context, on, { zone: step.zone, refused: answer });
  if (step.ownUse === undefined || step.address === undefined) return 'again';
  const record = await context.claims.get({ network: step.zone.network, address: step.address });
  // as it was at the decision, so the store knows of something else that shows the address
  return record?.state === 'foreign' ? answer : 'again';
}

/**
 * Finds the holder that a case made or found.
 *
 * @param on - the case
 * @param record - the record after it
 * @returns the holder under the key of the case, else the claimant's own
 */
export function newest(on: ReserveCase, record: AddressRecord): Holder | undefined {
  const byKey = on.key === undefined ? undefined : record.holders.find((each) => each.key === on.key);
  return byKey ?? ownHolder(record, on.request.claimant) ?? (on.key === undefined ? record.holders.at(-1) : undefined);
}
