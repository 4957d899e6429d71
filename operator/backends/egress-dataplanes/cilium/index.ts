import { CILIUM_POLICY } from '../../../contract/egress-dataplanes';
import { mapOf } from '../../../contract/loose-json';
import { fieldOf, type ClusterFacts } from '../shared/cluster-facts';
import type { DataplaneDriver } from '../shared/driver';
import { Cilium } from './cilium';

/** Keys of its ConfigMap that switch the egress gateway on; the second one is that of Cilium up to 1.15. */
const FEATURE_KEYS = ['enable-egress-gateway', 'enable-ipv4-egress-gateway'] as const;

const optionsOf = (facts: ClusterFacts) => ({
  hasList: fieldOf(CILIUM_POLICY, ['spec', 'egressGateways'], facts) !== undefined,
  hasIpv6: admits(fieldOf(CILIUM_POLICY, ['spec', 'destinationCIDRs'], facts)?.['items'], '::/0'),
});

// What cannot be read as a pattern is left to the API server, and so is a text without one.
function admits(schema: unknown, text: string): boolean {
  const { pattern } = mapOf(schema);
  try {
    return typeof pattern !== 'string' || new RegExp(pattern).test(text);
  } catch {
    return true;
  }
}

/** Cilium, by CiliumEgressGatewayPolicies. */
export const CILIUM: DataplaneDriver = {
  name: 'cilium',
  networkType: 'Cilium',
  isRunning: ({ configs }) => FEATURE_KEYS.some((key) => configs.get('cilium')?.[key] === 'true'),
  optionsOf,
  open: (cluster, facts) => new Cilium(cluster, optionsOf(facts)),
};
