import type { Zone } from '../../contract/zones';
import type { Claimant } from '../../ports/address-book';
import type { AddressRecord, Holder, HolderState } from '../../ports/claims';
import { claimsOf, isClaimant, ownerOf, sameNamed, type Claim } from '../records/claims';
import { keepClaim, provesPrevious, returnProblem } from './keep-claim';
import { prove } from '../records/proof';
import { freshHolder, type ReserveCase, type Step } from './reserve-case';
import { belongsToZone, openZone } from './zone-gate';

/**
 * Decides on a request without a wish: what the claimant has, else what it left a moment ago, else the lowest free
 * address of the zone.
 *
 * @param on - the case
 * @param records - every live address that the claimant holds or left
 * @returns the step
 */
export function chooseClaim(on: ReserveCase, records: readonly AddressRecord[]): Step {
  const { claimant, zone: name, family } = on.request;
  const here = records.filter((record) => record.family === family && belongsToZone(record, name, on.zone));
  const mine = [...claimsOf(here, claimant)].sort((a, b) => rank(a.holder.state) - rank(b.holder.state));
  // a claimant that asks for no address in particular gets another one where that of before cannot come back
  const possible = mine.filter((claim) => returnProblem(on, claim) === undefined);
  const kept = heldUnder(on, possible);
  if (kept !== undefined) return keepClaim(on, kept);
  const zone = openZone(on.catalogue, on.request);
  if (!zone.ok) return { do: 'refuse', refusal: zone.refusal };
  const left = here.find((record) => mayReturnTo(on, record, zone.value));
  return left === undefined
    ? { do: 'take', zone: zone.value, holder: freshHolder(on) }
    : comeBack(on, left, zone.value);
}

/**
 * Ends a quarantine for the one that caused it.
 *
 * @param on - the case
 * @param record - the quarantined address
 * @param zone - its zone
 * @returns the step that takes it
 */
export function comeBack(on: ReserveCase, record: AddressRecord, zone: Zone): Step {
  const holder = freshHolder(on, record.quarantine?.former.owner.uid);
  return { do: 'take', zone, address: record.address, returningOver: record.version, holder };
}

/**
 * Tells whether a claimant left an address itself: the same namespace and name, or the same identity with the secret.
 *
 * @param on - the case
 * @param record - a quarantined address
 * @returns true when the claimant is the former holder
 */
export function isFormer(on: ReserveCase, record: AddressRecord): boolean {
  const former = record.quarantine?.former;
  if (former === undefined) return false;
  const { claimant } = on.request;
  if (sameNamed(former.owner, ownerOf(claimant))) return true;
  return isClaimant(former, claimant) && prove(record, claimant, on.shown) === 'proven';
}

function heldUnder(on: ReserveCase, mine: readonly Claim[]): Claim | undefined {
  const { claimant } = on.request;
  const proven = mine.find(({ record }) => prove(record, claimant, on.shown) === 'proven');
  if (proven !== undefined) return proven;
  // the very object holds one under another secret: rotate it or refuse, never add a second address silently
  const live = mine.filter(({ holder }) => holder.state !== 'retained');
  const previous = live.find((claim) => provesPrevious(on, claim));
  return previous ?? live.find(({ holder }) => isSameObject(holder, claimant));
}

function isSameObject({ owner }: Holder, claimant: Claimant): boolean {
  return owner.uid !== undefined && owner.uid === claimant.serviceUid;
}

function mayReturnTo(on: ReserveCase, record: AddressRecord, zone: Zone): boolean {
  return zone.space.contains(record.address) && isFormer(on, record);
}

function rank(state: HolderState): number {
  return { bound: 0, reserved: 1, retained: 2, contested: 3 }[state];
}
