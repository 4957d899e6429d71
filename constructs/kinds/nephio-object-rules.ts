import type { IPAllocationSpec } from '../crds/ip-allocation';
import type { IPPrefixSpec } from '../crds/ip-prefix';
import { distinct, list, props } from '../props-kit/containers';
import { ANNOTATIONS, DNS_LABEL, DNS_NAME, LABELS } from '../props-kit/kubernetes-values';
import { needed, type Judged, type Rule } from '../props-kit/rule';
import { FLAG, SOME_TEXT, word } from '../props-kit/values';
import type { AddressPlanProps, PlannedPrefix } from './address-plan-props';
import type { IpAllocationProps } from './ip-allocation-props';
import type { IpPrefixProps } from './ip-prefix-props';
import type { NetworkInstanceProps } from './network-instance-props';
import { specOf } from './spec-rule';

const OBJECT = {
  name: DNS_NAME,
  namespace: DNS_LABEL,
  labels: LABELS,
  annotations: ANNOTATIONS,
  cluster: SOME_TEXT,
} as const;

/** Props of a NetworkInstance. */
export const NETWORK_INSTANCE_PROPS = props<NetworkInstanceProps>({
  ...OBJECT,
  network: DNS_NAME,
  parents: word('declared', 'required', 'free'),
});

/** Props of an IPPrefix; the schema of its kind judges the spec. */
export const IP_PREFIX_PROPS = props<IpPrefixProps>({ ...OBJECT, spec: needed(specOf<IPPrefixSpec>(), {}) });

/** Props of an IPAllocation; the schema of its kind judges the spec. */
export const IP_ALLOCATION_PROPS = props<IpAllocationProps>({
  ...OBJECT,
  spec: needed(specOf<IPAllocationSpec>(), {}),
  families: distinct(list(word('ipv4', 'ipv6'), 1)),
});

// A prefix holds prefixes, so its rule is looked up when it is used.
const INSIDE: Rule<PlannedPrefix> = {
  allowed: 'a map of props',
  within: (key) => PLANNED_PREFIX.within?.(key),
  judge: (value, at): Judged => PLANNED_PREFIX.judge(value, at),
};

const PLANNED_PREFIX: Rule<PlannedPrefix> = props<PlannedPrefix>({
  prefix: needed(SOME_TEXT, ''),
  kind: word('network', 'loopback', 'pool', 'aggregate'),
  name: DNS_NAME,
  network: SOME_TEXT,
  gateway: SOME_TEXT,
  labels: LABELS,
  excluded: list(SOME_TEXT),
  children: list(INSIDE),
});

/** Props of an address plan. */
export const ADDRESS_PLAN_PROPS = props<AddressPlanProps>({
  instance: needed(DNS_NAME, 'invalid'),
  createInstance: FLAG,
  namespace: DNS_LABEL,
  prefixes: needed(list(PLANNED_PREFIX), []),
  labels: LABELS,
  cluster: SOME_TEXT,
});
