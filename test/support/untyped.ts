import { Chart, Testing } from 'cdk8s';
import type { Construct } from 'constructs';

import {
  AddressClaim,
  AddressPlan,
  EgressIpam,
  EgressNamespace,
  IpAllocation,
  IpGroup,
  IpPrefix,
  IpamOperator,
  VipService,
  IpamService,
  MetalLbPool,
  ZonePool,
} from '../../constructs';

/** A construct made by plain JavaScript. */
type Maker = (scope: Construct, props: never) => Construct;
/** Makes each construct of the public entry from whatever is handed in. */
export const MAKERS: Readonly<Record<string, Maker>> = {
  IpamOperator: (scope, props) => new IpamOperator(scope, 'made', props),
  IpamService: (scope, props) => new IpamService(scope, 'made', props),
  MetalLbPool: (scope, props) => new MetalLbPool(scope, 'made', props),
  ZonePool: (scope, props) => new ZonePool(scope, 'made', props),
  AddressClaim: (scope, props) => new AddressClaim(scope, 'made', props),
  EgressIpam: (scope, props) => new EgressIpam(scope, 'made', props),
  EgressNamespace: (scope, props) => new EgressNamespace(scope, 'made', props),
  IpGroup: (scope, props) => new IpGroup(scope, 'made', props),
  IpPrefix: (scope, props) => new IpPrefix(scope, 'made', props),
  IpAllocation: (scope, props) => new IpAllocation(scope, 'made', props),
  VipService: (scope, props) => new VipService(scope, 'made', props),
  AddressPlan: (scope, props) => new AddressPlan(scope, 'made', props),
};

/** Reads the error of synth for the props; an empty text where there is none. */
export function errorOf(maker: Maker | undefined, props: unknown): string {
  const chart = new Chart(Testing.app(), 'chart');
  maker?.(chart, props as never);
  try {
    Testing.synth(chart);
  } catch (thrown) {
    return String(thrown);
  }
  return '';
}
