import { parseAddress, type Address, type Family } from '../../addressing/address';
import type { Claimant } from '../../ports/address-book';

/** Subject of a claim. */
export interface ClaimSubject {
  readonly zone: string;
  readonly family: Family;
  readonly wish?: Address | undefined;
  /** Hash of the shown secret. */
  readonly hash: string;
}

/**
 * Makes the idempotency key of a claim: two requests of one claimant for the same thing have the same key, so the store
 * lets only one of them take. A wished address has a key of its own, so that a Service can hold the old and the new
 * address at once; a claim without wish is also keyed by its secret, since another secret is another owner.
 *
 * @param claimant - the Service that asks
 * @param subject - zone, family, wish and secret
 * @returns the key; undefined for a claimant without UID, reservation and name, which could not be recognised again
 */
export function claimKey(claimant: Claimant, subject: ClaimSubject): string | undefined {
  const part = claimantPart(claimant);
  if (part === undefined) return undefined;
  const what = subject.wish === undefined ? anyAddress(subject.hash) : subject.wish.toString();
  return `${part}/${escape(subject.zone)}/${subject.family}/${what}`;
}

/**
 * Makes the key of a claim for which its caller chose one.
 *
 * @param clusterUid - whose key it is
 * @param key - as the caller wrote it
 * @returns the key of the holder
 */
export function callersKey(clusterUid: string, key: string): string {
  return `${callersPrefix(clusterUid)}${escape(key)}`;
}

/**
 * Finds what the caller chose in the key of a holder.
 *
 * @param clusterUid - cluster of the holder
 * @param key - key of the holder, if it has one
 * @returns the caller's own key; undefined where the key was made of the claim
 */
export function chosenKeyOf(clusterUid: string, key: string | undefined): string | undefined {
  const prefix = callersPrefix(clusterUid);
  if (key?.startsWith(prefix) !== true) return undefined;
  return key.slice(prefix.length).replaceAll('%2F', '/').replaceAll('%25', '%');
}

function callersPrefix(clusterUid: string): string {
  return `own:${escape(clusterUid)}/`;
}

/**
 * Lists the beginnings of keys that name a cluster, in an order that is the same for each.
 *
 * @param clusterUid - its identity
 * @returns what such keys start with, up to the cluster's own part
 */
export function clusterPrefixes(clusterUid: string): readonly string[] {
  return [callersPrefix(clusterUid), `svc:${escape(clusterUid)}/`];
}

/**
 * Names the part of a key by which all claims of one reservation begin.
 *
 * @param reservation - random id that the webhook wrote into a `generateName` Service
 * @returns beginning of the keys
 */
export function reservationPrefix(reservation: string): string {
  return `res:${escape(reservation)}/`;
}

/**
 * Moves a key to a new secret.
 *
 * @param key - key of the holder, if it has one
 * @param oldHash - hash until now
 * @param newHash - hash from now on
 * @returns the key; unchanged unless it depends on the secret
 */
export function rotatedKey(key: string | undefined, oldHash: string, newHash: string): string | undefined {
  const old = `/${anyAddress(oldHash)}`;
  return key?.endsWith(old) === true ? `${key.slice(0, -old.length)}/${anyAddress(newHash)}` : key;
}

/**
 * Takes a key away that names another address than its holder has: a wish for that address would else be given the present one.
 *
 * @param key - key of the holder, if it has one
 * @param address - that the holder has
 * @returns the key; undefined where it is of another address
 */
export function keyAt(key: string | undefined, address: Address): string | undefined {
  const named = key === undefined ? undefined : parseAddress(key.slice(key.lastIndexOf('/') + 1));
  const isElsewhere = named?.ok === true && !named.value.equals(address) && key?.startsWith('own:') !== true;
  return isElsewhere ? undefined : key;
}

function claimantPart({ service, serviceUid, reservation }: Claimant): string | undefined {
  if (serviceUid !== undefined) return `uid:${escape(serviceUid)}`;
  if (reservation !== undefined && reservation !== '') return `res:${escape(reservation)}`;
  if (service.serviceName === '') return undefined;
  return `svc:${[service.clusterUid, service.namespaceUid, service.serviceName].map(escape).join('/')}`;
}

function anyAddress(hash: string): string {
  return `*#${hash}`;
}

// Keeps the separator unambiguous: names that come over the IPAM-API hold any characters.
function escape(text: string): string {
  if (!text.includes('%') && !text.includes('/')) return text; // nearly always, and much cheaper
  return text.replaceAll('%', '%25').replaceAll('/', '%2F');
}
