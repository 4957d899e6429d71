import type { AdvertisedProps } from '../../metallb/metallb-props';
import { ADVERTISED } from '../../metallb/pool-rules';
import { list, someProps } from '../../props-kit/containers';
import { jsonOf } from '../../props-kit/json-values';
import { SOME_TEXT, text } from '../../props-kit/values';
import type { OperatorZone, ZonePoolsProps } from './zone-pools-props';

/** The zones. The contract judges the rest of a zone, in the operator's own words. */
export const ZONES = list(jsonOf(someProps<OperatorZone, keyof AdvertisedProps>(ADVERTISED)));

/** Writer of the pools, and their cluster. */
export const ZONE_POOLS = { zonePools: text<NonNullable<ZonePoolsProps['zonePools']>>(), cluster: SOME_TEXT };
