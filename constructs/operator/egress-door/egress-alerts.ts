import type { AlertRow } from '../monitoring/alert';
import type { PrometheusRuleProps } from '../monitoring/monitoring-props';
import {
  EXHAUSTED_EGRESS,
  FAILING_EGRESS,
  FREE_EGRESS,
  INVALID_EGRESS,
  NODE_UTILIZATION,
  UNPLACED_EGRESS,
  USED_EGRESS_PERCENT,
  WAITING_EGRESS,
} from '../monitoring/promql';
import { NEARLY_FULL_PERCENT } from '../monitoring/thresholds';

const NODE = 'Node {{ $labels.node }} (EgressIPAM {{ $labels.egressipam }})';
const CIDR = '{{ $labels.cidr }} of EgressIPAM {{ $labels.egressipam }}';
const CARRIES =
  '{{ $value | humanizePercentage }} of the addresses that the node can carry are on it, its own one included.';

// Names, bounds and pauses of the older operator; above the higher bound one of them fires alone. A node without a known capacity has no share.
const OF_NODES: readonly AlertRow[] = [
  {
    alert: 'HighEgressIPUtilization',
    severity: 'warning',
    expr: `(${NODE_UTILIZATION} > 0.8) <= 0.95`,
    for: '10m',
    summary: `${NODE} carries nearly as many addresses as it can`,
    says: [CARRIES, 'Label further nodes for the CIDR, or use larger ones.'],
  },
  {
    alert: 'ExtremelyHighEgressIPUtilization',
    severity: 'critical',
    expr: `${NODE_UTILIZATION} > 0.95`,
    for: '5m',
    summary: `${NODE} carries as many addresses as it can`,
    says: [
      CARRIES,
      'An address that moves finds no place there. Label further nodes for the CIDR, or use larger ones.',
    ],
  },
  {
    alert: 'EgressIPUnplaced',
    severity: 'critical',
    expr: `${UNPLACED_EGRESS} > 0`,
    for: '5m',
    summary: `{{ $value }} addresses of ${CIDR} are on no node`,
    says: [
      'Traffic of their namespaces does not leave the cluster with them.',
      'Nodes of the CIDR are missing, not ready or full; ipam doctor names namespace and reason.',
    ],
  },
];

/**
 * Lists the alerts about egress addresses of Namespaces.
 *
 * @param props - thresholds
 * @returns those of full CIDRs first, and those with names of the older operator last
 */
export const egressAlerts = ({
  nearlyFullPercent: percent = NEARLY_FULL_PERCENT,
}: PrometheusRuleProps): readonly AlertRow[] => [
  {
    alert: 'IpamEgressExhausted',
    severity: 'critical',
    expr: `${EXHAUSTED_EGRESS} > 0`,
    for: '5m',
    summary: '{{ $value }} Namespaces find no free egress address',
    says: [
      'A CIDR of their EgressIPAM is full; the status of the EgressIPAM names the Namespaces.',
      'Give the EgressIPAM a larger CIDR, or take namespaces out.',
    ],
  },
  {
    alert: 'IpamEgressNamespacesWait',
    severity: 'warning',
    expr: `${WAITING_EGRESS} > 0`,
    for: '15m',
    summary: '{{ $value }} Namespaces wait for egress addresses: {{ $labels.reason }}',
    says: ['An Event of each Namespace and the status of its EgressIPAM say what would help.'],
  },
  {
    alert: 'EgressIPPoolNearlyExhausted',
    severity: 'warning',
    expr: `${USED_EGRESS_PERCENT} > ${percent} and ${FREE_EGRESS} > 0`,
    for: '15m',
    summary: `${CIDR} is nearly full`,
    says: ['{{ printf "%.1f" $value }} % of its addresses are in use.', 'Give the EgressIPAM another CIDR in time.'],
  },
  {
    alert: 'EgressIPAMReconcileFailing',
    severity: 'warning',
    expr: `${FAILING_EGRESS} > 0`,
    for: '10m',
    summary: 'EgressIPAM {{ $labels.egressipam }} cannot be served',
    says: ['Its condition ReconcileError says why; what its namespaces have stays.'],
  },
  {
    alert: 'EgressIPNamespaceInvalid',
    severity: 'warning',
    expr: `${INVALID_EGRESS} > 0`,
    for: '10m',
    summary: '{{ $value }} namespaces of EgressIPAM {{ $labels.egressipam }} ask for what they cannot have',
    says: ['An Event of each of them, and the status of the EgressIPAM, name the field and the cure.'],
  },
  ...OF_NODES,
];
