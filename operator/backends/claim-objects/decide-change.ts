import { randomUUID } from 'node:crypto';

import { familyBits } from '../../addressing/address';
import { spaceText } from '../../addressing/space-text';
import { refuse, type Outcome } from '../../errors/outcome';
import { refuseHeld, refuseKeyInUse, refuseOutdated, refuseUnclaimed } from '../../errors/store-refusals';
import type { AddressRecord, BindRequest, Holder, Place, ReleaseRequest } from '../../ports/claims';
import type { ClaimCodec, ClaimDraft } from './claim-codec';
import type { KnownClaim } from './claim-index';
import type { ClaimVerb, Decided } from './claim-verb';
import type { ClaimView } from './claim-view';
import { over } from './claim-write';
import { newHolder, type HolderMaking } from './new-holder';

/** A holder of a stored claim, as a verb names it. */
interface NamedHolderOf extends Place {
  readonly version: number;
  readonly holderId?: string;
}

/** A claim that a verb may change. */
interface Changeable {
  readonly claim: KnownClaim;
  /** The holder that the verb names; undefined where it names none. */
  readonly holder: Holder | undefined;
}

// The held claim of a place, if it is the one that the caller decided on and still has the holder that the caller names.
function changeable(
  view: ClaimView,
  of: NamedHolderOf,
): { readonly ok: true; readonly value: Changeable } | { readonly ok: false; readonly decided: Decided<never> } {
  const name = view.nameOf(of);
  const text = spaceText(of);
  const no = (outcome: Outcome<never>) => ({
    ok: false as const,
    decided: { as: 'refusal', outcome, because: [name] } as const,
  });
  if (view.deciding(name) !== undefined) return { ok: false, decided: { as: 'depends', name } };
  const claim = view.stored(name);
  if (claim === undefined || !view.isLive(claim.record)) return no(refuseUnclaimed(text));
  const { record } = claim;
  if (record.version !== of.version) return no(refuseOutdated(text));
  const holder = record.holders.find(({ id }) => id === of.holderId);
  const isMissing = of.holderId !== undefined && holder === undefined;
  if (record.state !== 'held' || isMissing) return no(refuseUnclaimed(text));
  return { ok: true, value: { claim, holder } };
}

/**
 * Makes the verb that puts a holder on a held space.
 *
 * @param codec - of the claims
 * @param request - holder, place and version
 * @returns decides the call
 */
export function bindVerb(codec: ClaimCodec, request: BindRequest): ClaimVerb<AddressRecord> {
  return {
    decide: (view, decision) => {
      const found = changeable(view, request);
      if (!found.ok) return found.decided;
      const { claim, holder: old } = found.value;
      const { record } = claim;
      const refusal = joinRefusal(codec, record, request) ?? secretRefusal(request);
      if (refusal !== undefined) return { as: 'refusal', outcome: refusal, because: [] };
      const taken = keyDecided(view, request, old);
      if (taken !== undefined) return taken;
      const holders = holdersAfter(record, old, newHolder(request.holder, identityOf(old, view.nowMs)));
      return replacing(codec, claim, { draft: { ...record, holders }, decision });
    },
  };
}

function identityOf(old: Holder | undefined, nowMs: number): HolderMaking {
  if (old === undefined) return { id: randomUUID(), sinceMs: nowMs, nowMs };
  return { id: old.id, sinceMs: old.sinceMs, nowMs, endBefore: old.expiresAtMs };
}

function holdersAfter({ holders }: AddressRecord, old: Holder | undefined, holder: Holder): readonly Holder[] {
  return old === undefined ? [...holders, holder] : holders.map((each) => (each === old ? holder : each));
}

/**
 * Makes the verb that ends a holder.
 *
 * @param codec - of the claims
 * @param request - place, version and holder
 * @returns decides the call
 */
export function releaseVerb(codec: ClaimCodec, request: ReleaseRequest): ClaimVerb<AddressRecord | undefined> {
  return {
    decide: (view, decision) => {
      const found = changeable(view, request);
      if (!found.ok) return found.decided;
      const { claim, holder: former } = found.value;
      const { record } = claim;
      const holders = record.holders.filter((each) => each !== former);
      if (holders.length > 0) return replacing(codec, claim, { draft: { ...record, holders }, decision });
      const { quarantineMs = 0 } = request;
      if (quarantineMs <= 0 || former === undefined) {
        const writes = [{ name: view.nameOf(request), ...over(claim) }];
        return { as: 'writes', writes, answer: () => undefined };
      }
      const quarantine = { untilMs: view.nowMs + quarantineMs, former };
      return replacing(codec, claim, { draft: { ...record, state: 'quarantined', holders, quarantine }, decision });
    },
  };
}

/** The new content of a stored claim. */
interface Replacing {
  readonly draft: ClaimDraft;
  readonly decision: string;
}

function replacing(codec: ClaimCodec, claim: KnownClaim, { draft, decision }: Replacing): Decided<AddressRecord> {
  const after = codec.write(draft, { decision, before: claim.object });
  if (!after.ok) return { as: 'refusal', outcome: after, because: [] };
  const writes = [{ name: codec.nameOf(draft), after: after.value, ...over(claim) }];
  return { as: 'writes', writes, answer: ([record]) => record as AddressRecord };
}

function joinRefusal(codec: ClaimCodec, record: AddressRecord, request: BindRequest): Outcome<never> | undefined {
  const [oldest] = record.holders;
  if (request.holderId !== undefined || oldest === undefined) return undefined;
  if (record.holders.length < codec.maxHolders) return undefined;
  const { address, length } = record;
  const space = spaceText({ address, ...(length === familyBits(address.family) ? {} : { length }) });
  return refuseHeld({ wanted: space, space, holder: oldest.owner, askedBy: request.holder.owner });
}

function secretRefusal({ secret, ...place }: BindRequest): Outcome<never> | undefined {
  if (secret === undefined) return undefined;
  const value = spaceText(place);
  const message = `the claim of "${value}" is an object of the cluster, which keeps no secret`;
  return refuse('claim/invalid', message, { value });
}

// A key that another live holder has, or is about to have.
function keyDecided(view: ClaimView, request: BindRequest, old: Holder | undefined): Decided<never> | undefined {
  const { key } = request.holder;
  if (key === undefined || key === old?.key) return undefined;
  const owner = view.byKey(key);
  if (owner === undefined) return undefined;
  const name = view.nameOf(owner);
  if (view.deciding(name) !== undefined) return { as: 'depends', name };
  const isOther = owner.holders.some((each) => each.key === key && each.id !== old?.id);
  if (!isOther) return undefined;
  return { as: 'refusal', outcome: refuseKeyInUse(spaceText(request)), because: [name] };
}
