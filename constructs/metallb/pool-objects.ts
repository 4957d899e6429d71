import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';

import { METALLB_API, METALLB_NAMESPACE } from '../../operator/contract/group';
import { KEEP } from '../objects/kept-annotations';
import { COMMON_LABELS } from '../objects/names';
import { declareAdvertisements } from './advertisements';
import type { ZonePoolProps } from './metallb-props';

/** Fields of an IPAddressPool that this package writes. */
interface PoolFields {
  readonly addresses: readonly string[];
  readonly autoAssign: boolean;
  readonly avoidBuggyIPs: boolean;
}

/** Name and place of an object. */
interface PoolMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Declares an IPAddressPool.
 *
 * @param scope - construct that becomes its parent
 * @param metadata - name and place
 * @param spec - what it holds
 * @returns the object
 */
export function declarePool(scope: Construct, metadata: PoolMetadata, spec: PoolFields): ApiObject {
  return new ApiObject(scope, 'Pool', {
    apiVersion: METALLB_API,
    kind: 'IPAddressPool',
    metadata: { ...metadata },
    spec,
  });
}

/**
 * Declares the pool of a zone and its advertisements.
 *
 * @param scope - construct that becomes their parent
 * @param props - zone, prefixes and advertisements
 */
export function declareZonePool(scope: Construct, props: ZonePoolProps): void {
  const { zone: pool, prefixes } = props;
  // without them MetalLB withdraws every address of the zone
  const place = { namespace: METALLB_NAMESPACE, labels: COMMON_LABELS, annotations: KEEP };
  const advertisements = declareAdvertisements(scope, { ...place, pool, props });
  if (prefixes === undefined) return;
  const spec = { addresses: prefixes, autoAssign: false, avoidBuggyIPs: false };
  const object = declarePool(scope, { name: pool, ...place }, spec);
  advertisements.forEach((advertisement) => {
    advertisement.addDependency(object);
  });
}
