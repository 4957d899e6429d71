import type { AddressRecord, Holder, HolderState, NewHolder, Owner, SecretProof } from '../../ports/claims';

/** Parts that a holder keeps from its predecessor or is given anew, and the moment of the write. */
export interface HolderIdentity extends Pick<Holder, 'id' | 'sinceMs' | 'expiresAtMs'> {
  readonly nowMs: number;
}

/**
 * Copies a holder, so that nothing the caller does later changes the record.
 *
 * @param holder - as the caller hands it in; fields beyond the port's are dropped
 * @param identity - id and age of the holder, the end of its predecessor, and the present
 * @returns an immutable holder
 */
export function frozenHolder(holder: NewHolder, identity: HolderIdentity): Holder {
  const { owner, key, purpose } = holder;
  const { id, sinceMs } = identity;
  const expiresAtMs = endOf(holder, identity);
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

function endOf({ expiry }: NewHolder, { expiresAtMs, nowMs }: HolderIdentity): number | undefined {
  if (expiry === undefined) return undefined;
  return expiry.kind === 'after' ? nowMs + expiry.ms : expiresAtMs;
}

function frozenSecret({ hash, scope, sealed }: SecretProof): SecretProof {
  return Object.freeze({ hash, scope, ...(sealed === undefined ? {} : { sealed }) });
}

function frozenOwner({ cluster, apiVersion, kind, namespace, namespaceUid, name, uid }: Owner): Owner {
  const named = { cluster, apiVersion, kind, namespace, namespaceUid, name };
  return Object.freeze(uid === undefined ? named : { ...named, uid });
}

// An empty list of written keys is stored as none.
function partsOf({ options, sharing, writtenKeys = [] }: NewHolder): Partial<Holder> {
  return {
    ...(options === undefined ? {} : { options: frozenOptions(options) }),
    ...(sharing === undefined
      ? {}
      : { sharing: Object.freeze({ ...sharing, ports: Object.freeze([...sharing.ports]) }) }),
    ...(writtenKeys.length === 0 ? {} : { writtenKeys: Object.freeze([...writtenKeys]) }),
  };
}

function frozenOptions({ retentionPeriodDays, denyExternalCleanup }: NonNullable<NewHolder['options']>) {
  return Object.freeze({ retentionPeriodDays, denyExternalCleanup });
}
