import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { METALLB_NAMESPACE } from '../operator/contract/group';
import { COMMON_LABELS } from './operator-parts/names';

/** What MetalLB may announce for one zone. */
export interface ZonePoolProps {
  /** Name of the zone, which the pool and its advertisement carry too. */
  readonly zone: string;
  /** Prefixes of the zone in CIDR notation, at least one. */
  readonly prefixes: readonly string[];
  /**
   * Who tells the network: MetalLB by ARP and NDP (`l2`), or an advertisement of your own (`none`).
   *
   * @default 'l2'
   */
  readonly advertise?: 'l2' | 'none';
}

/**
 * The MetalLB pool of one zone and its advertisement. MetalLB gives nothing out of it by itself, since the addresses of a
 * Service are chosen by the operator; so addresses that the zone excludes may be part of the pool.
 */
export class ZonePool extends Construct {
  /**
   * Declares pool and advertisement.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - zone and prefixes
   */
  constructor(scope: Construct, id: string, props: ZonePoolProps) {
    super(scope, id);
    const metadata = { name: props.zone, namespace: METALLB_NAMESPACE, labels: COMMON_LABELS };
    const pool = new ApiObject(this, 'Pool', {
      apiVersion: 'metallb.io/v1beta1',
      kind: 'IPAddressPool',
      metadata,
      spec: { addresses: [...props.prefixes], autoAssign: false, avoidBuggyIPs: false },
    });
    if (props.advertise === 'none') return;
    const advertisement = new ApiObject(this, 'Advertisement', {
      apiVersion: 'metallb.io/v1beta1',
      kind: 'L2Advertisement',
      metadata,
      spec: { ipAddressPools: [props.zone] },
    });
    advertisement.addDependency(pool);
  }
}
