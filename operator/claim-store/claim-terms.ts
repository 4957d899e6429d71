/** Owner of a claim, as far as terms tell owners apart. */
type NamedOwner = Readonly<Record<'cluster' | 'namespaceUid' | 'name', string>>;

/** Queries for records, as the ports have them. */
type Asked =
  | { readonly by: 'owner'; readonly owner: NamedOwner }
  | { readonly by: 'name'; readonly cluster: string; readonly namespace: string; readonly name: string }
  | { readonly by: 'uid'; readonly uid: string }
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'pool'; readonly network: string; readonly pool: string }
  | { readonly by: 'cluster'; readonly cluster: string }
  | { readonly by: 'expired'; readonly state: string };

/** Writes the terms under which an index in memory finds records; JSON keeps `["a","b"]` and `["a,b"]` apart. */
export const claimTerm = {
  owner: ({ cluster, namespaceUid, name }: NamedOwner): string =>
    JSON.stringify(['owner', name, namespaceUid, cluster]),
  name: (cluster: string, namespace: string, name: string): string =>
    JSON.stringify(['name', cluster, namespace, name]),
  uid: (uid: string): string => JSON.stringify(['uid', uid]),
  key: (key: string): string => JSON.stringify(['key', key]),
  cluster: (cluster: string): string => JSON.stringify(['cluster', cluster]),
  state: (state: string): string => JSON.stringify(['state', state]),
  pool: (network: string, pool: string): string => JSON.stringify(['pool', network, pool]),
} as const;

/**
 * Tells under which term an index has what is asked for.
 *
 * @param query - as the ports take it
 * @returns the term; of what is to be expired by now, that of the state, so the time is for the caller to compare
 */
export function claimTermOf(query: Asked): string {
  switch (query.by) {
    case 'owner':
      return claimTerm.owner(query.owner);
    case 'name':
      return claimTerm.name(query.cluster, query.namespace, query.name);
    case 'uid':
      return claimTerm.uid(query.uid);
    case 'key':
      return claimTerm.key(query.key);
    case 'pool':
      return claimTerm.pool(query.network, query.pool);
    case 'cluster':
      return claimTerm.cluster(query.cluster);
    case 'expired':
      return claimTerm.state(query.state);
  }
}
