import { createHash } from 'node:crypto';
import { addressOf, type Address, type Family } from '../../../addressing/address';
import { NO_OPTIONS } from '../../../contract/claim-options';
import { mapOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { Refusal } from '../../../errors/outcome';
import { serviceIdentity, serviceOwner } from '../../../contract/service-identity';
import type { ServiceIdentity } from '../../../ports/address-book';
import type { ClaimOptions, Holder, HolderState, NewHolder, SharingTerms } from '../../../ports/claims';
import type { IntentRow } from '../../../ports/intent-rows';

/**
 * How far a holder is: `asking`: the IPAM-API was or will be asked; `held`: it said yes; `leaving`: it is to be told that the
 * holder is gone. Only `held` is shown to the ledger.
 */
type Phase = 'asking' | 'held' | 'leaving';

/** A holder in the form that rows keep, which names a Service as the IPAM-API does. */
export interface NewRowHolder {
  readonly service: ServiceIdentity;
  readonly namespace: string;
  readonly serviceUid?: string;
  readonly state: HolderState;
  readonly key?: string;
  readonly options: ClaimOptions;
  readonly sharing?: SharingTerms;
  readonly writtenKeys: readonly string[];
  readonly purpose?: string;
  readonly expiresAtMs?: number;
}

/** One holder as it stands in a row. */
export interface IntentHolder extends NewRowHolder {
  readonly id: string;
  readonly sinceMs: number;
  readonly phase: Phase;
  /** Days of retention that the release asks for. */
  readonly leavingDays?: number;
  /** Its options are not told yet. */
  readonly stale?: true;
}

/** A call that is under way: until then no other process calls for this row. */
interface CallMark {
  /** Which process. */
  readonly by: string;
  readonly untilMs: number;
}

/** One row: an address with its holders, or a holder that waits for an address. Holds a secret: never to be logged. */
export interface Intent {
  readonly id: string;
  readonly version: number;
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  /** Absent while the IPAM-API has not named it; then there is one holder, asking. */
  readonly address?: Address;
  readonly secret: { readonly value: string; readonly scope: 'shared' | 'namespace' };
  /** The secret that is to follow, while it is not known whether it does. */
  readonly next?: { readonly value: string; readonly scope: 'shared' | 'namespace' };
  /** The secret of before the newest rotation: an IPAM-API that comes from a backup may know that one only. */
  readonly former?: { readonly value: string };
  /** Why the IPAM-API does not let the holders have the address, as of the newest check; they keep it. */
  readonly disputed?: Pick<Refusal, 'code' | 'message'>;
  readonly holders: readonly IntentHolder[];
  readonly takenAtMs: number;
  readonly call?: CallMark;
  /** An earlier call may still be at work until then. */
  readonly doubtMs?: number;
}

/** When a holder is written, and until when the one was that it replaces. */
interface WriteTime {
  readonly nowMs: number;
  readonly endMs?: number | undefined;
}

function endOf({ expiry }: NewHolder, { nowMs, endMs }: WriteTime): number | undefined {
  if (expiry === undefined) return undefined;
  return expiry.kind === 'after' ? nowMs + expiry.ms : endMs;
}

/**
 * Writes a holder as rows keep it.
 *
 * @param holder - of the port
 * @param when - the present, and the end of the holder that it replaces
 * @returns its form in a row
 */
export function rowHolder(holder: NewHolder, when: WriteTime): NewRowHolder {
  const { owner, state, key, options = NO_OPTIONS, sharing, writtenKeys = [], purpose } = holder;
  const expiresAtMs = endOf(holder, when);
  return {
    service: serviceIdentity(owner),
    namespace: owner.namespace,
    ...(owner.uid === undefined ? {} : { serviceUid: owner.uid }),
    state,
    ...(key === undefined ? {} : { key }),
    options,
    ...(sharing === undefined ? {} : { sharing }),
    writtenKeys,
    ...(purpose === undefined ? {} : { purpose }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

/**
 * Reads a holder out of a row.
 *
 * @param holder - as the row keeps it
 * @returns the holder of the port, without what only the row is for
 */
export function holderOf(holder: NewRowHolder & Pick<IntentHolder, 'id' | 'sinceMs'>): Holder {
  const { id, sinceMs, state, key, options, sharing, writtenKeys, purpose, expiresAtMs } = holder;
  return {
    id,
    sinceMs,
    owner: serviceOwner(holder),
    state,
    ...(key === undefined ? {} : { key }),
    options,
    ...(sharing === undefined ? {} : { sharing }),
    writtenKeys,
    ...(purpose === undefined ? {} : { purpose }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

const ID_CHARACTERS = 40;
const digest = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('hex').slice(0, ID_CHARACTERS);

/**
 * Names the row of an address.
 *
 * @param network - name of the network
 * @param address - in it
 * @returns the id
 */
export function addressRow(network: string, address: Address): string {
  return `a.${digest(JSON.stringify([network, address.toString()]))}`;
}

/**
 * Names the row of a holder without an address.
 *
 * @param key - its idempotency key, so that every process that serves one holder meets in one row
 * @returns the id
 */
export function askRow(key: string): string {
  return `q.${digest(key)}`;
}

/**
 * Writes an intent as a row.
 *
 * @param intent - what is meant
 * @returns its id, its version and the rest as JSON
 */
export function rowOf({ id, version, address, ...rest }: Intent): IntentRow {
  return { id, version, body: { ...rest, ...(address === undefined ? {} : { address: address.toString() }) } };
}

/**
 * Reads a row that {@link rowOf} wrote.
 *
 * @param row - as stored
 * @returns what was meant
 */
export function intentOf({ id, version, body }: IntentRow): Intent {
  const { address, ...rest } = body as JsonMap & Omit<Intent, 'id' | 'version' | 'address'>;
  const text = textOf(address);
  return { ...rest, id, version, ...(text === '' ? {} : { address: addressOf(text) }) };
}

/**
 * Makes the next state of an intent; fields that are given as undefined go away.
 *
 * @param intent - as it is
 * @param changes - what becomes different
 * @param nowMs - present time; versions follow it, so that none comes back when a row does
 * @returns the state to be written
 */
export function changed(
  intent: Intent,
  changes: { readonly [Field in keyof Intent]?: Intent[Field] | undefined },
  nowMs: number,
): Intent {
  const next = { ...intent, ...changes, version: Math.max(intent.version + 1, nowMs) };
  return Object.fromEntries(
    Object.entries(mapOf(next)).filter(([, value]) => value !== undefined),
  ) as unknown as Intent;
}

/**
 * Replaces one holder, or takes it out.
 *
 * @param holders - of an intent
 * @param id - of the holder; one that is not there is added
 * @param next - its new state; absent: it goes
 * @returns the new list, in the old order
 */
export function withHolder(
  holders: readonly IntentHolder[],
  id: string,
  next: IntentHolder | undefined,
): readonly IntentHolder[] {
  const others = holders.flatMap((each) => {
    if (each.id !== id) return [each];
    return next === undefined ? [] : [next];
  });
  return next === undefined || holders.some((each) => each.id === id) ? others : [...others, next];
}
