import { boundedTerms } from '../../contract/sharing-terms';
import type { Expiry, Holder, NewHolder, SharingTerms } from '../../ports/claims';

/** Every field of a holder but those of the Egress door, `undefined` where it has none. */
export type HolderFields = Pick<NewHolder, 'owner' | 'state'> & {
  readonly [Field in Exclude<keyof NewHolder, 'owner' | 'state' | 'dataplanes' | 'isEnding'>]-?:
    NewHolder[Field] | undefined;
};

/**
 * Changes fields of a holder.
 *
 * @param holder - the holder now
 * @param changes - fields to set; `undefined` takes a field away
 * @returns what to hand to the store; its lease or retention ends as before unless that is changed, too
 */
export function changedHolder(holder: Holder, changes: Partial<HolderFields>): NewHolder {
  const { owner, state, key, options, sharing, writtenKeys, purpose } = holder;
  const expiry = keptEnd(holder);
  return newHolder({ owner, state, key, options, sharing, writtenKeys, purpose, expiry, ...changes });
}

/**
 * Keeps the end of a lease or of a retention.
 *
 * @param holder - the holder now
 * @returns an unchanged end; undefined where it has none
 */
export function keptEnd({ expiresAtMs }: Pick<Holder, 'expiresAtMs'>): Expiry | undefined {
  return expiresAtMs === undefined ? undefined : { kind: 'unchanged' };
}

/**
 * Leaves out the fields that a holder does not have.
 *
 * @param fields - every field
 * @returns what to hand to the store
 */
export function newHolder(fields: HolderFields): NewHolder {
  const { owner, state, key, options, sharing, writtenKeys, purpose, expiry } = fields;
  const present: { -readonly [Field in keyof NewHolder]: NewHolder[Field] } = { owner, state };
  if (key !== undefined) present.key = key;
  if (options !== undefined) present.options = options;
  if (sharing !== undefined) present.sharing = sharing;
  if (writtenKeys !== undefined) present.writtenKeys = writtenKeys;
  if (purpose !== undefined) present.purpose = purpose;
  if (expiry !== undefined) present.expiry = expiry;
  return present;
}

/**
 * Compares what a holder would say with what it says, so that an unchanged repeat causes no write.
 *
 * @param next - as it would be written; one with a new end always changes something
 * @param holder - the holder now
 * @returns true when writing one over the other would change nothing
 */
export function sameContent(next: NewHolder, holder: Holder): boolean {
  const sameEnd = next.expiry === undefined ? holder.expiresAtMs === undefined : next.expiry.kind === 'unchanged';
  return sameEnd && content(next) === content(holder);
}

/**
 * Compares sharing terms by meaning.
 *
 * @param a - one side
 * @param b - the other side
 * @returns true when equal, whatever the order of the ports
 */
export function sameTerms(a: SharingTerms | undefined, b: SharingTerms | undefined): boolean {
  return terms(a) === terms(b);
}

/**
 * Tells whether a holder ever belonged to a stored object; what never did needs no quarantine and no retention.
 *
 * @param holder - the one to judge
 * @returns true when its object was stored once, even if it is only reserved again now
 */
export function wasStored(holder: Holder): boolean {
  return holder.state !== 'reserved' || holder.owner.uid !== undefined;
}

function content(holder: Omit<NewHolder, 'expiry'>): string {
  const { owner, options, writtenKeys = [] } = holder;
  return JSON.stringify([
    [owner.cluster, owner.apiVersion, owner.kind, owner.namespace, owner.namespaceUid, owner.name, owner.uid ?? null],
    [holder.state, holder.key ?? null, holder.purpose ?? null],
    [options?.retentionPeriodDays ?? null, options?.denyExternalCleanup ?? null, terms(holder.sharing), writtenKeys],
  ]);
}

function terms(sharing: SharingTerms | undefined): string {
  if (sharing === undefined) return '';
  // what an older release stored is not bounded
  const { key, ports, trafficPolicy, selector } = boundedTerms(sharing);
  return JSON.stringify([key, [...ports].sort(), trafficPolicy, selector]);
}
