interface Spread {
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
}

/**
 * Lists the labels without which a node takes no Pod of a spec; the kubelet itself labels each node with its name and its system.
 *
 * @param podSpec - of a Pod template
 * @returns the keys, without those that every node has
 */
export function placesDemanded(podSpec: Readonly<Record<string, unknown>>): readonly string[] {
  const spread = (podSpec['topologySpreadConstraints'] ?? []) as readonly Spread[];
  const demanded = spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway');
  const keys = [...demanded.map(({ topologyKey }) => topologyKey), ...Object.keys(podSpec['nodeSelector'] ?? {})];
  return keys.filter((key) => key !== 'kubernetes.io/hostname' && key !== 'kubernetes.io/os');
}
