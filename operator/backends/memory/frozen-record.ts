import type { AddressRecord, Holder, NewHolder } from '../../ports/claim-store';

/**
 * Copies a holder, so that nothing the caller does later changes the record.
 *
 * @param holder - as the caller hands it in; fields beyond the port's are dropped
 * @param identity - id and age of the holder
 * @returns an immutable holder
 */
export function frozenHolder(holder: NewHolder, identity: Pick<Holder, 'id' | 'sinceMs'>): Holder {
  const { service, options, sharing, serviceUid, key, purpose, expiresAtMs } = holder;
  const { serviceName, namespaceUid, clusterUid } = service;
  const { retentionPeriodDays, denyExternalCleanup } = options;
  return Object.freeze({
    id: identity.id,
    service: Object.freeze({ serviceName, namespaceUid, clusterUid }),
    namespace: holder.namespace,
    ...(serviceUid === undefined ? {} : { serviceUid }),
    state: holder.state,
    ...(key === undefined ? {} : { key }),
    options: Object.freeze({ retentionPeriodDays, denyExternalCleanup }),
    ...(sharing === undefined
      ? {}
      : { sharing: Object.freeze({ ...sharing, ports: Object.freeze([...sharing.ports]) }) }),
    writtenKeys: Object.freeze([...holder.writtenKeys]),
    ...(purpose === undefined ? {} : { purpose }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    sinceMs: identity.sinceMs,
  });
}

/**
 * Copies a record around frozen holders.
 *
 * @param record - its holders are frozen already
 * @returns an immutable copy
 */
export function frozenRecord(record: AddressRecord): AddressRecord {
  const { hash, scope, sealed } = record.secret;
  const { quarantine } = record;
  return Object.freeze({
    ...record,
    secret: Object.freeze({ hash, scope, ...(sealed === undefined ? {} : { sealed }) }),
    holders: Object.freeze([...record.holders]),
    ...(quarantine === undefined ? {} : { quarantine: Object.freeze({ ...quarantine }) }),
  });
}
