import type { AddressRecord, Holder, HolderState, NewHolder, Owner, SecretProof } from '../../ports/claims';

/** What a holder keeps from its predecessor, and what the store adds. */
export type HolderIdentity = Pick<Holder, 'id' | 'sinceMs' | 'expiresAtMs'>;

/**
 * Copies a holder, so that nothing the caller does later changes the record.
 *
 * @param holder - as the caller hands it in; fields beyond the port's are dropped
 * @param identity - id, age and end of the holder
 * @returns an immutable holder
 */
export function frozenHolder(holder: NewHolder, identity: HolderIdentity): Holder {
  const { owner, key, purpose } = holder;
  const { id, sinceMs, expiresAtMs } = identity;
  const state: HolderState = holder.state;
  return Object.freeze({
    id,
    owner: frozenOwner(owner),
    state,
    ...(key === undefined ? {} : { key }),
    ...partsOf(holder),
    ...(purpose === undefined ? {} : { purpose }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    sinceMs,
  });
}

/**
 * Finds when a holder ends.
 *
 * @param holder - as the caller hands it in
 * @param before - end of the holder that it replaces
 * @param nowMs - moment of the write
 * @returns milliseconds since 1970; undefined where it does not end by itself
 */
export function endOf({ expiry }: NewHolder, before: number | undefined, nowMs: number): number | undefined {
  if (expiry === undefined) return undefined;
  return expiry.kind === 'after' ? nowMs + expiry.ms : before;
}

/**
 * Copies a record around frozen holders.
 *
 * @param record - its holders are frozen already
 * @returns an immutable copy
 */
export function frozenRecord(record: AddressRecord): AddressRecord {
  const { quarantine, secret } = record;
  return Object.freeze({
    ...record,
    ...(secret === undefined ? {} : { secret: frozenSecret(secret) }),
    holders: Object.freeze([...record.holders]),
    ...(quarantine === undefined ? {} : { quarantine: Object.freeze({ ...quarantine }) }),
  });
}

function frozenSecret({ hash, scope, sealed }: SecretProof): SecretProof {
  return Object.freeze({ hash, scope, ...(sealed === undefined ? {} : { sealed }) });
}

function frozenOwner({ cluster, apiVersion, kind, namespace, namespaceUid, name, uid }: Owner): Owner {
  const named = { cluster, apiVersion, kind, namespace, namespaceUid, name };
  return Object.freeze(uid === undefined ? named : { ...named, uid });
}

function partsOf({ options, sharing, writtenKeys }: NewHolder): Partial<Holder> {
  return {
    ...(options === undefined ? {} : { options: frozenOptions(options) }),
    ...(sharing === undefined
      ? {}
      : { sharing: Object.freeze({ ...sharing, ports: Object.freeze([...sharing.ports]) }) }),
    ...(writtenKeys === undefined ? {} : { writtenKeys: Object.freeze([...writtenKeys]) }),
  };
}

function frozenOptions({ retentionPeriodDays, denyExternalCleanup }: NonNullable<NewHolder['options']>) {
  return Object.freeze({ retentionPeriodDays, denyExternalCleanup });
}
