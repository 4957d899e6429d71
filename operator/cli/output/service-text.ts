import type { ClaimAnswer } from '../../contract/ipam-api/v3/answers';

/**
 * Names Services side by side: where two have one name, each of them with its cluster, which tells them apart.
 *
 * @param services - whose claims they are
 * @returns a name for each, in their order
 */
export function serviceTexts(services: readonly ClaimAnswer['service'][]): readonly string[] {
  return apart(services.map(serviceText), services);
}

/**
 * Puts the cluster behind each name that is there more than once.
 *
 * @param names - of holders
 * @param holders - of these names, in the same order
 * @returns the names
 */
export function apart(
  names: readonly string[],
  holders: readonly { readonly clusterUid: string }[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const { clusterUid = '' } = holders[index] ?? {};
    return clusterUid !== '' && (counts.get(name) ?? 0) > 1 ? `${name} of cluster ${clusterUid}` : name;
  });
}

/**
 * Names a Service for people.
 *
 * @param service - whose claim it is
 * @returns `namespace/name`; UIDs stand in for names that are not known
 */
export function serviceText({ clusterUid, namespace, namespaceUid, serviceName }: ClaimAnswer['service']): string {
  if (clusterUid === '' && namespaceUid === '') return `standing claim ${serviceName}`;
  return `${namespace === '' ? namespaceUid : namespace}/${serviceName === '' ? '(unnamed)' : serviceName}`;
}

/**
 * Writes the state of a claim for people.
 *
 * @param claim - on record
 * @returns its state; a reservation that only lasts since its cluster has not reported is marked
 */
export function stateText({ state, stale }: Pick<ClaimAnswer, 'state' | 'stale'>): string {
  return stale ? `${state} (stale)` : state;
}
