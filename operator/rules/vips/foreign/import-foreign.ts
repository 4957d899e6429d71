import type { ForeignLoadBalancer } from '../../../contract/foreign-load-balancers';
import { isMap, listOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { ipsOfServices } from './assignments';
import { ciliumPools } from './cilium-pools';
import type { PoolReader } from './foreign-pool';
import { groupsOfPools } from './group-of-pool';
import { kubeVipPools } from './kube-vip-pools';
import { metalLbPools } from './metallb-pools';
import { openElbPools } from './openelb-pools';
import { pureLbPools } from './purelb-pools';

/** How the pools of each load balancer are read. */
const READERS: Readonly<Record<ForeignLoadBalancer, PoolReader>> = {
  metallb: metalLbPools,
  cilium: ciliumPools,
  purelb: pureLbPools,
  'kube-vip': kubeVipPools,
  openelb: openElbPools,
};

/** Objects that are made of those of another load balancer. */
export interface Imported {
  /** IPGroups, one for each pool. */
  readonly groups: readonly JsonMap[];
  /** IPs, one for each address that Services show. */
  readonly ips: readonly JsonMap[];
  /** Sentences on everything that is not taken over as it was. */
  readonly notes: readonly string[];
  /** Values of `spec.loadBalancerClass` of Services that have an IP. */
  readonly classes: readonly string[];
}

/**
 * Makes IPGroups of the pools of another load balancer, and IPs of what Services show of them.
 *
 * @param values - objects, or lists of them, of all kinds; what is neither pool nor Service is passed over
 * @param how - the load balancer, and the moment of the import (RFC 3339) for Services that do not tell their age
 * @returns manifests, and what has no counterpart
 */
export function importForeign(
  values: readonly unknown[],
  { from, now }: { readonly from: ForeignLoadBalancer; readonly now: string },
): Imported {
  const objects = values.flatMap((value) => objectsIn(value));
  const { groups, notes, ofZones } = groupsOfPools(READERS[from](objects));
  const assigned = ipsOfServices(objects, { groups, ofZones, from, now });
  return {
    groups: groups.map(({ manifest }) => manifest),
    ips: assigned.ips,
    classes: assigned.classes,
    notes: [...notes, ...assigned.notes],
  };
}

const LIST = 'List';

// Items of a list of one kind may leave kind and version out.
function objectsIn(value: unknown): readonly JsonMap[] {
  if (!isMap(value)) return [];
  const kind = textOf(value['kind']);
  if (!kind.endsWith(LIST) || !Array.isArray(value['items'])) return [value];
  const { apiVersion } = value;
  const typed = kind === LIST ? {} : { apiVersion, kind: kind.slice(0, -LIST.length) };
  return listOf(value['items']).flatMap((each) => (isMap(each) ? objectsIn({ ...typed, ...each }) : []));
}
