import type { Family } from '../../addressing/address';
import type { ServiceView } from '../../contract/service';

/** Families in which a Service wants an address each. */
export interface WantedFamilies {
  /** The primary one first. */
  readonly families: readonly Family[];
  /** `all`: one that is missing leaves the Service waiting; `any`: one is enough. */
  readonly needs: 'all' | 'any';
}

/**
 * Tells the families of the addresses of a Service. What the API server stored decides, and not what groups could give.
 *
 * @param service - as it is stored
 * @param ofCluster - families of the cluster, the primary one first
 * @returns one family, or two in the order of the Service
 */
export function wantedFamilies(
  { ipFamilies, ipFamilyPolicy }: Pick<ServiceView, 'ipFamilies' | 'ipFamilyPolicy'>,
  ofCluster: readonly Family[],
): WantedFamilies {
  const stored = ipFamilies.length > 0 ? ipFamilies : ofCluster.slice(0, 1);
  if (ipFamilyPolicy === 'PreferDualStack') return { families: stored, needs: 'any' };
  return { families: ipFamilyPolicy === 'RequireDualStack' ? stored : stored.slice(0, 1), needs: 'all' };
}
