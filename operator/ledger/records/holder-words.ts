import { LONGEST_LABEL, quoteValue } from '../../contract/quote';
import { SERVICE } from '../../contract/service-identity';
import type { AddressRecord, Holder, Owner } from '../../ports/claims';
import { grantedHolders } from './claims';

/**
 * Names an owner for people: `namespace/name`, or the identity triple where the namespace is known by UID only; a kind other than
 * Service stands before it.
 *
 * @param owner - whom to name
 * @returns the name
 */
export function labelOf({ kind, namespace, namespaceUid, cluster, ...owner }: Owner): string {
  const bare = owner.name === '' ? '(name not yet generated)' : owner.name;
  const name = kind === SERVICE.kind ? bare : `${kind} ${bare}`;
  if (namespace !== '') return kind === SERVICE.kind ? `${namespace}/${name}` : `${kind} ${namespace}/${bare}`;
  return `${name} of namespace ${namespaceUid} in cluster ${cluster}`;
}

/**
 * Names owners side by side: where two have one name, each of them with its cluster, which tells them apart.
 *
 * @param named - whom to name
 * @param all - among whom the names must differ; the same ones unless told
 * @returns a name for each of `named`, in their order
 */
function labelsOf(named: readonly Owner[], all: readonly Owner[] = named): readonly string[] {
  const counts = new Map<string, number>();
  for (const label of all.map(labelOf)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return named.map((owner) => {
    const label = labelOf(owner);
    // without the name of its namespace, an owner is named with its cluster anyway
    const isAlike = owner.namespace !== '' && (counts.get(label) ?? 0) > 1;
    return isAlike ? `${label} of cluster ${owner.cluster}` : label;
  });
}

/**
 * Names those who share an address with a holder.
 *
 * @param holder - one of the address
 * @param record - the address
 * @returns a name for each other holder
 */
export function othersOf({ id }: Pick<Holder, 'id'>, { holders }: Pick<AddressRecord, 'holders'>): readonly string[] {
  return labelsOf(ownersOf(grantedHolders({ holders }).filter((other) => other.id !== id)), ownersOf(holders));
}

/**
 * Lists the holders that keep the secret of an address from being changed.
 *
 * @param holders - at least one
 * @param record - the address that they share
 * @returns the names in quotes, with commas
 */
export function sharersText(holders: readonly Holder[], record: Pick<AddressRecord, 'holders'>): string {
  return labelsOf(ownersOf(holders), ownersOf(record.holders))
    .map((label) => quoteValue(label, LONGEST_LABEL))
    .join(', ');
}

/**
 * Says who stands in the way of an address.
 *
 * @param record - a live address
 * @returns half a sentence, for example `is held by "a/web"`; never holds a secret
 */
export function explain(record: AddressRecord): string {
  const { quarantine } = record;
  if (quarantine !== undefined) {
    return `was released by ${quoteValue(labelOf(quarantine.former.owner), LONGEST_LABEL)} and is quarantined until ${timeText(quarantine.untilMs)}`;
  }
  const { foreign } = record;
  if (foreign !== undefined) return `is in use by ${foreign.source} of cluster ${foreign.cluster}, without a claim`;
  const labels = labelsOf(ownersOf(record.holders));
  return `is ${record.holders.map((holder, index) => explainHolder(holder, labels[index] ?? '')).join(' and ')}`;
}

/**
 * Writes a moment for people and programs.
 *
 * @param ms - milliseconds since 1970
 * @returns ISO 8601 in UTC
 */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

function ownersOf(holders: readonly Holder[]): readonly Owner[] {
  return holders.map(({ owner }) => owner);
}

function explainHolder(holder: Holder, label: string): string {
  const until = holder.expiresAtMs === undefined ? '' : ` until ${timeText(holder.expiresAtMs)}`;
  switch (holder.state) {
    case 'bound':
      return `held by ${quoteValue(label, LONGEST_LABEL)}`;
    case 'reserved':
      return `reserved for ${quoteValue(label, LONGEST_LABEL)}`;
    case 'retained':
      return `retained for ${quoteValue(label, LONGEST_LABEL)}${until}`;
    case 'contested':
      return `shown by ${quoteValue(label, LONGEST_LABEL)}, which does not hold it`;
  }
}
