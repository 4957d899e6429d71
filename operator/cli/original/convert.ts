import { parseHostPrefix } from '../../addressing/prefix';
import type { Address } from '../../addressing/address';
import type { ImportBody } from '../../contract/ipam-api/v3/bodies';
import { MAX_RETENTION_DAYS } from '../../contract/group';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { checkSecret } from '../../rules/secrets';
import type { DumpRecord, DumpService } from './dump-record';
import type { Decrypt } from './old-secrets';

/** One address as version 3 imports it. */
type ImportClaim = ImportBody['claims'][number];
type ImportService = ImportClaim['services'][number];

/** One record on its way. */
export interface Converted {
  /** Number of its line, from 1 on. */
  readonly line: number;
  readonly id: string;
  readonly claim: ImportClaim;
  readonly address: Address;
  /** Changes that were made on the way. */
  readonly notes: readonly string[];
}

/** One record that goes no further. */
export interface LeftOut {
  readonly line: number;
  readonly id: string;
  readonly zone: string;
  readonly address: string;
  /** `left-out`: it holds nothing, so nothing is lost; `refused`: a person has to look. */
  readonly verdict: 'left-out' | 'refused';
  readonly problem: string;
}

/** Result of a conversion. */
export type Conversion =
  { readonly kind: 'converted'; readonly record: Converted } | { readonly kind: 'left'; readonly record: LeftOut };

/** Options of a conversion. */
export interface ConvertOptions {
  readonly decrypt: Decrypt;
  readonly nowMs: number;
}

/** Most services on one address that version 3 imports. */
const MAX_SERVICES = 1_000;

/**
 * Converts one record of the original.
 *
 * @param record - as it was dumped
 * @param line - number of its line
 * @param options - old secrets, time
 * @returns what is imported, or why it is not
 */
export function convert(record: DumpRecord, line: number, options: ConvertOptions): Conversion {
  const leave = (verdict: LeftOut['verdict'], problem: string): Conversion => ({
    kind: 'left',
    record: { line, id: record.id, zone: record.zone ?? '', address: record.address ?? '', verdict, problem },
  });
  if (record.address === '' && (record.netboxId ?? 0) === 0)
    return leave('left-out', 'a ghost: it has neither an address nor a NetBox prefix');
  const place = placeOf(record);
  if (!place.ok) return leave('refused', place.refusal.message);
  if (record.services === undefined) return leave('refused', 'its services are no list');
  const services = servicesOf(record.services, options.nowMs);
  if (!services.ok) return leave('refused', services.refusal.message);
  if (services.value.services.length === 0) return leave('left-out', 'no service holds the address any more');
  const secret = secretOf(record, options.decrypt);
  if (!secret.ok) return leave('refused', secret.refusal.message);
  const { address, zone } = place.value;
  const claim = { zone, address: address.toString(), secret: secret.value, services: [...services.value.services] };
  const { notes } = services.value;
  return { kind: 'converted', record: { line, id: record.id, address, notes, claim } };
}

function placeOf({ zone, address, family }: DumpRecord): Outcome<{ readonly zone: string; readonly address: Address }> {
  if (zone === undefined || zone === '') return refuse('api/malformed', 'it names no zone');
  if (!isName(zone)) return refuse('api/malformed', 'its zone is no name of 1 to 253 characters on one line');
  if (address === undefined || address === '') return refuse('api/malformed', 'it has no address, but a NetBox prefix');
  const parsed = parseHostPrefix(address);
  if (!parsed.ok) return parsed;
  const wanted = `ipv${parsed.value.family}`;
  if (family !== wanted) return refuse('address/wrong-family', `its ip_family is "${family ?? ''}", not "${wanted}"`);
  return accept({ zone, address: parsed.value });
}

function secretOf({ secret }: DumpRecord, decrypt: Decrypt): Outcome<string> {
  const plain = secret === undefined ? undefined : decrypt(secret);
  if (plain === undefined) return refuse('secret/invalid', 'its secret cannot be decrypted with this key file');
  return checkSecret(plain, 'secret');
}

interface Services {
  readonly services: readonly ImportService[];
  readonly notes: readonly string[];
}

function servicesOf(all: readonly DumpService[], nowMs: number): Outcome<Services> {
  const found = new Map<string, ImportService>();
  const notes: string[] = [];
  for (const service of all) {
    const read = serviceOf(service);
    if (!read.ok) return read;
    const { serviceName, namespaceUid, clusterUid } = read.value;
    const name = `"${serviceName}" of namespace "${namespaceUid}"`;
    if ((service.retentionDays ?? 0) < 0) notes.push(`the negative retention of ${name} became 0 days`);
    const key = JSON.stringify([serviceName, namespaceUid, clusterUid]);
    if (found.has(key)) notes.push(`${name} stood there twice; the later entry counts`);
    found.delete(key);
    if (service.expiresAtMs !== undefined && service.expiresAtMs <= nowMs) notes.push(`${name} had expired`);
    else found.set(key, read.value);
  }
  if (found.size > MAX_SERVICES)
    return refuse('api/too-large', `${found.size} services share it; at most ${MAX_SERVICES} can be imported`);
  return accept({ services: [...found.values()], notes });
}

function serviceOf(service: DumpService): Outcome<ImportService> {
  const { serviceName, namespaceUid, clusterUid, expiresAtMs } = service;
  if (!isName(serviceName) || !isName(namespaceUid) || !isName(clusterUid))
    return refuse('api/malformed', 'a service has no name, namespace or cluster of 1 to 253 characters on one line');
  const options = optionsOf(service);
  if (typeof options === 'string') return refuse('api/malformed', options);
  if (expiresAtMs !== undefined && !isMoment(expiresAtMs))
    return refuse('api/malformed', `expires_at of "${serviceName}" is no date`);
  return accept({
    serviceName,
    namespaceUid,
    clusterUid,
    options,
    ...(expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
  });
}

function optionsOf({ serviceName = '', retentionDays, deny }: DumpService): ImportService['options'] | string {
  if (retentionDays === undefined || !Number.isInteger(retentionDays) || retentionDays > MAX_RETENTION_DAYS)
    return `the retention of "${serviceName}" is no whole number of days up to ${MAX_RETENTION_DAYS}`;
  if (deny === undefined) return `deny_external_cleanup of "${serviceName}" is neither true nor false`;
  return { retentionPeriodDays: Math.max(0, retentionDays), denyExternalCleanup: deny };
}

function isName(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text.length <= 253 && !/[\p{Cc}\p{Cs}]/u.test(text);
}

// RFC 3339 has years of four digits only.
function isMoment(ms: number): boolean {
  const year = new Date(ms).getUTCFullYear();
  return year >= 0 && year <= 9_999;
}
