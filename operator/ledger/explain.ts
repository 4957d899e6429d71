import { LONGEST_LABEL, quoteValue } from '../contract/quote';
import type { AddressRecord, NewHolder } from '../ports/claim-store';

/**
 * Names a holder for people: `namespace/name`, or the identity triple where the namespace is known by UID only.
 *
 * @param holder - whom to name
 * @returns the name
 */
export function labelOf(holder: Pick<NewHolder, 'service' | 'namespace'>): string {
  const { serviceName, namespaceUid, clusterUid } = holder.service;
  const name = serviceName === '' ? '(name not yet generated)' : serviceName;
  if (holder.namespace !== '') return `${holder.namespace}/${name}`;
  return `${name} of namespace ${namespaceUid} in cluster ${clusterUid}`;
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
  return `is ${record.holders.map(explainHolder).join(' and ')}`;
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

function explainHolder(holder: NewHolder): string {
  const label = labelOf(holder);
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
