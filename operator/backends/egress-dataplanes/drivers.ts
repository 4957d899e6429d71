import type { DataplaneDriver } from './shared/driver';
import { ANTREA } from './antrea';
import { CILIUM } from './cilium';
import { OPENSHIFT_SDN } from './openshift-sdn';
import { OVN_KUBERNETES } from './ovn-kubernetes';

/** Every dataplane that the operator can drive. */
export const DRIVERS: readonly DataplaneDriver[] = [OVN_KUBERNETES, OPENSHIFT_SDN, CILIUM, ANTREA];
