import { isMap } from '../../contract/loose-json';

/** One service of a record, as it stood there; what is undefined had another type or was missing. */
export interface DumpService {
  readonly serviceName: string | undefined;
  readonly namespaceUid: string | undefined;
  readonly clusterUid: string | undefined;
  readonly retentionDays: number | undefined;
  readonly deny: boolean | undefined;
  /** Absent while it lives. */
  readonly expiresAtMs?: number | undefined;
}

/** One document of the original's collection `addresses`. */
export interface DumpRecord {
  /** Hex text of `_id`; its first four bytes are the time of the insert. */
  readonly id: string;
  readonly secret: string | undefined;
  readonly zone: string | undefined;
  readonly family: string | undefined;
  readonly address: string | undefined;
  readonly netboxId: number | undefined;
  readonly services: readonly DumpService[] | undefined;
}

/**
 * Reads one document in the extended JSON of mongoexport, canonical or relaxed.
 *
 * @param value - parsed JSON
 * @returns the record; undefined where it is no document at all
 */
export function dumpRecord(value: unknown): DumpRecord | undefined {
  if (!isMap(value)) return undefined;
  const { _id, secret, zone, ip_family, address, netbox_id, services } = value;
  return {
    id: text(isMap(_id) ? _id['$oid'] : _id) ?? '',
    secret: text(secret),
    zone: text(zone),
    family: text(ip_family),
    address: text(address),
    netboxId: number(netbox_id),
    services: services === undefined || services === null ? [] : list(services)?.map(dumpService),
  };
}

function dumpService(value: unknown): DumpService {
  const service = isMap(value) ? value : {};
  const { service_name, namespace_id, cluster_id, retention_period_days, deny_external_cleanup, expires_at } = service;
  return {
    serviceName: text(service_name),
    namespaceUid: text(namespace_id),
    clusterUid: text(cluster_id),
    retentionDays: retention_period_days === undefined ? 0 : number(retention_period_days),
    deny: deny_external_cleanup === undefined ? false : truth(deny_external_cleanup),
    ...(expires_at === undefined || expires_at === null ? {} : { expiresAtMs: moment(expires_at) }),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function truth(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function number(value: unknown): number | undefined {
  const found = isMap(value) ? (value['$numberInt'] ?? value['$numberLong'] ?? value['$numberDouble']) : value;
  const read = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
}

// Relaxed form: RFC 3339 text; canonical form: milliseconds. A date that cannot be read is NaN, which is no date.
function moment(value: unknown): number {
  const date = isMap(value) ? value['$date'] : value;
  if (typeof date === 'string') return Date.parse(date);
  return number(date) ?? Number.NaN;
}
