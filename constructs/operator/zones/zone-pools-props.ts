import type { ZoneProps } from '../../../operator/contract/zones';
import type { AdvertisedProps } from '../../metallb/metallb-props';

/** A zone, with what MetalLB is to do about it. */
export interface OperatorZone extends ZoneProps, AdvertisedProps {}

/** How the zones become pools of MetalLB. */
export interface ZonePoolsProps {
  /**
   * Writer of the MetalLB pool of a zone. `prefixes`: it is emitted here, named like the zone, holds the zone's prefixes and
   * never changes with a Service, so MetalLB stays fast. `claims`: none is emitted, the operator writes it with the addresses that
   * are reserved or in use, as the original did, and gets the right to; `whenUnavailable: 'admit'` needs this.
   *
   * @default 'prefixes'
   */
  readonly zonePools?: 'prefixes' | 'claims';
  /**
   * Name of the cluster, any word, where one app describes several. Each operator of an app needs another one, and a
   * {@link MetalLbPool} of another cluster may overlap the zones.
   *
   * @default - every pool and Service of the app is for this cluster
   */
  readonly cluster?: string;
}
