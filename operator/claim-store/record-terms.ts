import { familyBits } from '../addressing/address';
import type { EntryOwner, EntryRole, PrefixKind } from '../contract/networks/entry';
import type { AddressRecord, ClaimQuery, Holder, Owner } from '../ports/claims';
import { claimTerm } from './claim-terms';

/** Writes the terms under which an index finds live records. */
export const recordTerm = {
  ...claimTerm,
  namespace: ({ cluster, namespaceUid }: Owner): string => JSON.stringify(['namespace', cluster, namespaceUid]),
  reserved: (namespaceUid: string): string => JSON.stringify(['reserved', namespaceUid]),
  held: (network: string, pool: string): string => JSON.stringify(['held', network, pool]),
  quarantined: (network: string): string => JSON.stringify(['quarantined', network]),
  entryOwner: (network: string, { kind, namespace, name }: Pick<EntryOwner, 'kind' | 'namespace' | 'name'>): string =>
    JSON.stringify(['entry-owner', network, kind, namespace, name]),
  entry: (network: string, role: EntryRole, kind: PrefixKind): string => JSON.stringify(['entry', network, role, kind]),
  subnet: (network: string, networkName: string): string => JSON.stringify(['subnet', network, networkName]),
  hosts: (network: string, subnet: string): string => JSON.stringify(['hosts', network, subnet]),
} as const;

function ownerTerms({ owner }: Holder): readonly string[] {
  const name = recordTerm.name(owner.cluster, owner.namespace, owner.name);
  return [recordTerm.owner(owner), name, ...(owner.uid === undefined ? [] : [recordTerm.uid(owner.uid)])];
}

function holderTerms(holder: Holder): readonly string[] {
  const { key, state, owner } = holder;
  return [
    ...ownerTerms(holder),
    recordTerm.cluster(owner.cluster),
    recordTerm.namespace(owner),
    recordTerm.state(state),
    ...(key === undefined ? [] : [recordTerm.key(key)]),
    ...(state === 'reserved' ? [recordTerm.reserved(owner.namespaceUid)] : []),
  ];
}

// Of an entry that nothing lists, such as a single address that was given out, there are many.
function factTerms({ network, entry, family, length }: AddressRecord): readonly string[] {
  if (entry === undefined) return [];
  const { role, kind, networkName = '', parent = '' } = entry;
  if (role === 'host') return [recordTerm.hosts(network, parent)];
  if (role === 'allocation' && length === familyBits(family)) return [];
  const listed = recordTerm.entry(network, role, kind);
  return role === 'subnet' ? [listed, recordTerm.subnet(network, networkName)] : [listed];
}

// Terms of a claim in a network whose space may nest.
function entryTerms(record: AddressRecord): readonly string[] {
  if (record.door === undefined) return [];
  const owners = record.holders.map(({ owner }) => recordTerm.entryOwner(record.network, owner));
  return [...owners, ...factTerms(record)];
}

/**
 * Lists what a record is found by.
 *
 * @param record - any record
 * @returns its terms
 */
export function termsOf(record: AddressRecord): Set<string> {
  const { network, pool, quarantine } = record;
  const own = recordTerm.pool(network, pool);
  if (quarantine !== undefined)
    return new Set([own, recordTerm.quarantined(network), ...ownerTerms(quarantine.former)]);
  const held = recordTerm.held(network, pool);
  return new Set([own, held, ...record.holders.flatMap(holderTerms), ...entryTerms(record)]);
}

/**
 * Tells whether a holder is one that a query for expired ones asks for.
 *
 * @param holder - of a record
 * @param query - state, and for how long it must be over
 * @param nowMs - the present
 * @returns false also for a holder without an end
 */
export function isExpired(
  { state, expiresAtMs }: Holder,
  query: Extract<ClaimQuery, { by: 'expired' }>,
  nowMs: number,
): boolean {
  return state === query.state && expiresAtMs !== undefined && expiresAtMs < nowMs - query.sinceMs;
}

/**
 * Tells whether a record is live.
 *
 * @param record - held or quarantined
 * @param nowMs - the present
 * @returns false once its quarantine is over
 */
export function isLiveAt({ quarantine }: AddressRecord, nowMs: number): boolean {
  return quarantine === undefined || quarantine.untilMs > nowMs;
}
