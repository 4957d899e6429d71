import { LONGEST_LABEL, quoteValue } from '../../contract/quote';
import type { AddressRecord, Holder, NewHolder } from '../../ports/claim-store';

/** What a holder is named by. */
type Named = Pick<NewHolder, 'service' | 'namespace'>;

/**
 * Names a holder for people: `namespace/name`, or the identity triple where the namespace is known by UID only.
 *
 * @param holder - whom to name
 * @returns the name
 */
export function labelOf(holder: Named): string {
  const { serviceName, namespaceUid, clusterUid } = holder.service;
  const name = serviceName === '' ? '(name not yet generated)' : serviceName;
  if (holder.namespace !== '') return `${holder.namespace}/${name}`;
  return `${name} of namespace ${namespaceUid} in cluster ${clusterUid}`;
}

/**
 * Names holders side by side: where two have one name, each of them with its cluster, which tells them apart.
 *
 * @param named - whom to name
 * @param all - among whom the names must differ; the same ones unless told
 * @returns a name for each of `named`, in their order
 */
function labelsOf(named: readonly Named[], all: readonly Named[] = named): readonly string[] {
  const counts = new Map<string, number>();
  for (const label of all.map(labelOf)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return named.map((holder) => {
    const label = labelOf(holder);
    // without the name of its namespace, a holder is named with its cluster anyway
    const isAlike = holder.namespace !== '' && (counts.get(label) ?? 0) > 1;
    return isAlike ? `${label} of cluster ${holder.service.clusterUid}` : label;
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
  return labelsOf(
    holders.filter((other) => other.id !== id),
    holders,
  );
}

/**
 * Lists the holders that keep the secret of an address from being changed.
 *
 * @param holders - at least one
 * @param record - the address that they share
 * @returns the names in quotes, with commas
 */
export function sharersText(holders: readonly Holder[], record: Pick<AddressRecord, 'holders'>): string {
  return labelsOf(holders, record.holders)
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
    return `was released by ${quoteValue(labelOf(quarantine.former), LONGEST_LABEL)} and is quarantined until ${timeText(quarantine.untilMs)}`;
  }
  const labels = labelsOf(record.holders);
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

function explainHolder(holder: NewHolder, label: string): string {
  const until = holder.expiresAtMs === undefined ? '' : ` until ${timeText(holder.expiresAtMs)}`;
  switch (holder.state) {
    case 'bound':
      return `held by ${quoteValue(label, LONGEST_LABEL)}`;
    case 'reserved':
      return `reserved for ${quoteValue(label, LONGEST_LABEL)}`;
    case 'retained':
      return `retained for ${quoteValue(label, LONGEST_LABEL)}${until}`;
  }
}
