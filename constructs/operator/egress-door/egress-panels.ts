import { RATE, type Panel } from '../monitoring/panel';
import {
  EGRESS_ADDRESSES,
  EGRESS_NAMESPACES,
  EGRESS_DATAPLANES,
  FAILING_EGRESS,
  growth,
  metric,
  NODE_ADDRESSES,
  NODE_CAPACITY,
  UNKNOWN_NODES,
  UNPLACED_EGRESS,
  WAITING_EGRESS,
} from '../monitoring/promql';

/** Panels about egress addresses; empty where the door is off. */
export const EGRESS_PANELS: readonly Panel[] = [
  {
    title: 'Egress addresses',
    description: 'Addresses of each CIDR of an EgressIPAM by state',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: EGRESS_ADDRESSES, legend: '{{egressipam}} {{cidr}} {{state}}' }],
  },
  {
    title: 'Namespaces with egress addresses',
    description: 'Those that have addresses, wait, or ask for what they cannot have, and refusals',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: EGRESS_NAMESPACES, legend: '{{egressipam}} {{state}}' },
      { expr: FAILING_EGRESS, legend: '{{egressipam}} cannot be served' },
      { expr: WAITING_EGRESS, legend: 'waiting {{reason}}' },
      { expr: growth(metric('egress_refusals_total'), RATE, ['reason']), legend: 'refused {{reason}}' },
    ],
  },
  {
    title: 'Nodes with egress addresses',
    description: 'Addresses that each node carries and can carry, its own one included, and nodes of unknown capacity',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: NODE_ADDRESSES, legend: '{{node}} of {{egressipam}}' },
      { expr: NODE_CAPACITY, legend: '{{node}} of {{egressipam}}: most' },
      { expr: UNKNOWN_NODES, legend: '{{node}} of {{egressipam}}: unknown' },
    ],
  },
  {
    title: 'Placement of egress addresses',
    description: 'Addresses on no node, moves away from nodes, the dataplanes that carry them, and calls of the cloud',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: UNPLACED_EGRESS, legend: 'on no node: {{egressipam}} {{cidr}}' },
      { expr: growth(metric('egressip_failover_total'), RATE, ['egressipam', 'node']), legend: 'left {{node}}' },
      { expr: EGRESS_DATAPLANES, legend: 'dataplane {{dataplane}}' },
      {
        expr: growth(metric('egressip_cloud_requests_total'), RATE, ['op', 'result']),
        legend: 'cloud {{op}} {{result}}',
      },
    ],
  },
];
