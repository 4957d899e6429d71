import { hideForeign } from '../../contract/occupied-source';
import { LONGEST_LABEL, quoteValue } from '../../contract/quote';
import { SERVICE } from '../../contract/service-identity';
import { namesOf, UNNAMED, type MayName } from '../../errors/named-objects';
import type { AddressRecord, Holder, Owner } from '../../ports/claims';
import { grantedHolders } from './claims';

/**
 * Names an owner for people: `namespace/name`, or the identity triple where the namespace is known by UID only; a kind other than
 * Service stands before it.
 *
 * @param owner - owner of a claim
 * @returns the name
 */
export function labelOf({ kind, namespace, namespaceUid, cluster, ...owner }: Owner): string {
  const bare = owner.name === '' ? '(name not yet generated)' : owner.name;
  const name = kind === SERVICE.kind ? bare : `${kind} ${bare}`;
  // it belongs to no cluster
  if (cluster === '' && namespaceUid === '' && namespace === '') return `standing claim ${bare}`;
  if (namespace !== '') return kind === SERVICE.kind ? `${namespace}/${name}` : `${kind} ${namespace}/${bare}`;
  return `${name} of namespace ${namespaceUid} in cluster ${cluster}`;
}

/**
 * Tells which objects may be named to a claimant.
 *
 * @param claimant - object that asks
 * @param claimant.service - its identity
 * @returns as {@link namesOf} its cluster
 */
export function namesFor({ service }: { readonly service: { readonly clusterUid: string } }): MayName {
  return namesOf(service.clusterUid);
}

/**
 * Names owners side by side: where two have one name, each of them with its cluster, which tells them apart.
 *
 * @param named - those to name
 * @param mayName - what the reader is told
 * @param all - those among which the names must differ; the same ones unless told
 * @returns a name for each of `named`, in their order
 */
function labelsOf(named: readonly Owner[], mayName: MayName, all: readonly Owner[] = named): readonly string[] {
  const counts = new Map<string, number>();
  for (const label of all.map(labelOf)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return named.map((owner) => {
    if (!mayName(owner.cluster)) return unnamedOf(owner.cluster);
    const label = labelOf(owner);
    // without the name of its namespace, an owner is named with its cluster anyway
    const isAlike = owner.namespace !== '' && (counts.get(label) ?? 0) > 1;
    return isAlike ? `${label} of cluster ${owner.cluster}` : label;
  });
}

// The same with quotes around what has a name.
function quotedOf(named: readonly Owner[], mayName: MayName, all?: readonly Owner[]): readonly string[] {
  const labels = labelsOf(named, mayName, all);
  return named.map(({ cluster }, index) => {
    const label = labels[index] ?? '';
    return mayName(cluster) ? quoteValue(label, LONGEST_LABEL) : label;
  });
}

function unnamedOf(cluster: string): string {
  return `${UNNAMED} of cluster ${cluster}`;
}

/**
 * Names the other holders of an address, to one of them unless told.
 *
 * @param holder - one of the address
 * @param record - the address
 * @param mayName - what the reader is told
 * @returns a name for each other holder
 */
export function othersOf(
  { id, owner }: Pick<Holder, 'id' | 'owner'>,
  { holders }: Pick<AddressRecord, 'holders'>,
  mayName: MayName = namesOf(owner.cluster),
): readonly string[] {
  const others = grantedHolders({ holders }).filter((other) => other.id !== id);
  return labelsOf(ownersOf(others), mayName, ownersOf(holders));
}

/**
 * Lists the holders that keep the secret of an address from being changed.
 *
 * @param holders - at least one
 * @param record - the address that they share
 * @param mayName - what the reader is told
 * @returns the names in quotes, with commas
 */
export function sharersText(
  holders: readonly Holder[],
  record: Pick<AddressRecord, 'holders'>,
  mayName: MayName,
): string {
  return quotedOf(ownersOf(holders), mayName, ownersOf(record.holders)).join(', ');
}

/**
 * Says what stands in the way of an address.
 *
 * @param record - a live address
 * @param mayName - what the reader is told
 * @returns half a sentence, for example `is held by "a/web"`; never holds a secret
 */
export function explain(record: AddressRecord, mayName: MayName): string {
  const { quarantine } = record;
  if (quarantine !== undefined) {
    const [former] = quotedOf([quarantine.former.owner], mayName);
    return `was released by ${former} and is quarantined until ${timeText(quarantine.untilMs)}`;
  }
  const { foreign } = record;
  if (foreign !== undefined) {
    const { source, cluster } = hideForeign(foreign, mayName);
    return `is in use by ${source} of cluster ${cluster}, without a claim`;
  }
  const names = quotedOf(ownersOf(record.holders), mayName);
  return `is ${record.holders.map((holder, index) => explainHolder(holder, names[index] ?? '')).join(' and ')}`;
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

function explainHolder(holder: Holder, name: string): string {
  const until = holder.expiresAtMs === undefined ? '' : ` until ${timeText(holder.expiresAtMs)}`;
  switch (holder.state) {
    case 'bound':
      return `held by ${name}`;
    case 'reserved':
      return `reserved for ${name}`;
    case 'retained':
      return `retained for ${name}${until}`;
    case 'contested':
      return `shown by ${name}, which does not hold it`;
  }
}
