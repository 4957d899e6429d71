/** Who holds a claim, as far as terms tell Services apart. */
type NamedService = Readonly<Record<'serviceName' | 'namespaceUid' | 'clusterUid', string>>;

/** What records are looked for by, as the ports have it. */
type Asked =
  | { readonly by: 'service'; readonly service: NamedService }
  | { readonly by: 'name'; readonly clusterUid: string; readonly namespace: string; readonly serviceName: string }
  | { readonly by: 'uid'; readonly serviceUid: string }
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'zone'; readonly network: string; readonly zone: string }
  | { readonly by: 'cluster'; readonly clusterUid: string }
  | { readonly by: 'expired'; readonly state: string };

/** Writes the terms under which an index in memory finds records; JSON keeps `["a","b"]` and `["a,b"]` apart. */
export const claimTerm = {
  service: ({ serviceName, namespaceUid, clusterUid }: NamedService): string =>
    JSON.stringify(['service', serviceName, namespaceUid, clusterUid]),
  name: (clusterUid: string, namespace: string, serviceName: string): string =>
    JSON.stringify(['name', clusterUid, namespace, serviceName]),
  uid: (serviceUid: string): string => JSON.stringify(['uid', serviceUid]),
  key: (key: string): string => JSON.stringify(['key', key]),
  cluster: (clusterUid: string): string => JSON.stringify(['cluster', clusterUid]),
  state: (state: string): string => JSON.stringify(['state', state]),
  zone: (network: string, zone: string): string => JSON.stringify(['zone', network, zone]),
} as const;

/**
 * Tells under which term an index has what is asked for.
 *
 * @param query - as the ports take it
 * @returns the term; of what is to be expired by now, that of the state, so the time is for the caller to compare
 */
export function claimTermOf(query: Asked): string {
  switch (query.by) {
    case 'service':
      return claimTerm.service(query.service);
    case 'name':
      return claimTerm.name(query.clusterUid, query.namespace, query.serviceName);
    case 'uid':
      return claimTerm.uid(query.serviceUid);
    case 'key':
      return claimTerm.key(query.key);
    case 'zone':
      return claimTerm.zone(query.network, query.zone);
    case 'cluster':
      return claimTerm.cluster(query.clusterUid);
    case 'expired':
      return claimTerm.state(query.state);
  }
}
