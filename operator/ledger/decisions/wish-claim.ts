import type { Address } from '../../addressing/address';
import { sourceOf } from '../../contract/occupied-source';
import type { Zone } from '../../contract/zones';
import type { AddressRecord } from '../../ports/claims';
import { claimsOf, contestedHolder, grantedHolders, ownerOf, ownHolder } from '../records/claims';
import { comeBack, isFormer } from './choose-claim';
import { explain, namesFor, timeText } from '../records/holder-words';
import { keepClaim } from './keep-claim';
import { prove } from '../records/proof';
import { freshHolder, refused, type ReserveCase, type Step } from './reserve-case';
import { blockedStep, blockersOf, sharerOf } from './sharing-check';
import { belongsToZone } from './zone-gate';

/**
 * Decides on a wished address that the claimant may hold already; needs nothing of the zones for that, so that an
 * address whose zone shrank, drains or is gone stays.
 *
 * @param on - the case
 * @param wish - the wished address
 * @param records - every live address that the claimant holds or left
 * @returns the step, undefined when the claimant does not hold the address
 */
export function keepWish(on: ReserveCase, wish: Address, records: readonly AddressRecord[]): Step | undefined {
  const there = records.filter(
    (record) => record.address.equals(wish) && belongsToZone(record, on.request.zone, on.zone),
  );
  const [claim] = claimsOf(there, on.request.claimant);
  return claim === undefined ? undefined : keepClaim(on, claim);
}

/**
 * Decides on a wished address as it is in the store now.
 *
 * @param on - the case
 * @param wish - the wished address and its zone
 * @param record - its live record, undefined when free
 * @returns the step
 */
export function wishClaim(
  on: ReserveCase,
  wish: { address: Address; zone: Zone },
  record: AddressRecord | undefined,
): Step {
  if (record === undefined) return { do: 'take', ...wish, holder: freshHolder(on) };
  if (record.state === 'quarantined') return returnOrWait(on, wish.zone, record);
  if (record.state === 'foreign') return takeOver(on, wish, record);
  const holder = ownHolder(record, on.request.claimant);
  return holder === undefined ? join(on, record, wish.zone) : keepClaim(on, { record, holder });
}

function returnOrWait(on: ReserveCase, zone: Zone, record: AddressRecord): Step {
  if (isFormer(on, record) || ownsBySecret(on, record)) return comeBack(on, record, zone);
  const value = record.address.toString();
  const untilMs = record.quarantine?.untilMs ?? on.nowMs;
  return refused(
    'address/quarantined',
    `address "${value}" ${explain(record, namesFor(on.request.claimant))}; ask again after ${timeText(untilMs)}`,
    {
      value,
      retryAfterSeconds: Math.max(1, Math.ceil((untilMs - on.nowMs) / 1000)),
    },
  );
}

// What the Service shows itself does not stand in its own way; everything else does, whatever it proves. The row names one use; the
// store knows whether there are others.
function takeOver(
  on: ReserveCase,
  wish: { readonly address: Address; readonly zone: Zone },
  record: AddressRecord,
): Step {
  const owner = ownerOf(on.request.claimant);
  const isOwn = record.foreign?.cluster === owner.cluster && record.foreign.source === sourceOf(owner);
  if (isOwn) return { do: 'take', ...wish, ownUse: true, holder: freshHolder(on) };
  const value = record.address.toString();
  return refused('address/held', `address "${value}" ${explain(record, namesFor(on.request.claimant))}`, { value });
}

// A claimant that shows the secret of the former holder is its owner: a custom one anywhere, the default one inside of the namespace. So a Service
// that is replaced by one of another name gets its address without a pause.
function ownsBySecret(on: ReserveCase, record: AddressRecord): boolean {
  return prove(record, on.request.claimant, on.shown) === 'proven';
}

function join(on: ReserveCase, record: AddressRecord, zone: Zone): Step {
  const { claimant } = on.request;
  const granted = grantedHolders(record);
  const contested = contestedHolder(record, ownerOf(claimant));
  // what the object shows already becomes its own, where it has no other owner
  if (granted.length === 0 && contested !== undefined)
    return { do: 'write', record, holderId: contested.id, holder: freshHolder(on), secret: on.shown, from: zone };
  const stranger = unprovenJoin(on, record);
  if (stranger !== undefined) return stranger;
  const blockers = blockersOf(sharerOf(on.request, false), granted);
  if (blockers.length > 0) return blockedStep(on, record, blockers);
  const own = contested === undefined ? {} : { holderId: contested.id };
  return { do: 'write', record, ...own, holder: freshHolder(on) };
}

function unprovenJoin(on: ReserveCase, record: AddressRecord): Step | undefined {
  const { claimant, sharing } = on.request;
  const value = record.address.toString();
  const proof = prove(record, claimant, on.shown);
  if (proof === 'proven') return undefined;
  if (sharing === undefined) {
    return refused(
      'secret/wrong',
      `the secret does not own address "${value}", which ${explain(record, namesFor(on.request.claimant))}`,
      { value },
    );
  }
  const optIn =
    'from another namespace it can be shared only when both sides have one custom secret and one sharing key';
  return refused(
    'address/held',
    `address "${value}" ${explain(record, namesFor(on.request.claimant))}${proof === 'wrong' ? '' : `; ${optIn}`}`,
    {
      value,
    },
  );
}
