import { RATE, type Panel } from '../monitoring/panel';
import {
  EGRESS_ADDRESSES,
  EGRESS_NODE_PERCENT,
  EGRESS_NODES_UNKNOWN,
  growth,
  metric,
  UNPLACED_EGRESS,
  WAITING_EGRESS,
} from '../monitoring/promql';

/** Panels about egress addresses; empty where the door is off. */
export const EGRESS_PANELS: readonly Panel[] = [
  {
    title: 'Egress addresses',
    description: 'Addresses of each EgressIPAM by state',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: EGRESS_ADDRESSES, legend: '{{egressipam}} {{state}}' }],
  },
  {
    title: 'Namespaces with egress addresses',
    description: 'Those that wait, and refusals',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: WAITING_EGRESS, legend: 'waiting {{reason}}' },
      { expr: `max by (egressipam, state) (${metric('egressip_namespaces')})`, legend: '{{egressipam}} {{state}}' },
      { expr: growth(metric('egress_refusals_total'), RATE, ['reason']), legend: 'refused {{reason}}' },
    ],
  },
  {
    title: 'Nodes with egress addresses',
    description: 'Share of their addresses that is in use; nodes without a limit are not shown',
    type: 'timeseries',
    unit: 'percent',
    width: 12,
    queries: [{ expr: EGRESS_NODE_PERCENT, legend: '{{node}}' }],
  },
  {
    title: 'Placement of egress addresses',
    description: 'Addresses without a usable node, nodes of unknown capacity, moves, and dataplanes',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: UNPLACED_EGRESS, legend: 'unplaced {{egressipam}} {{cidr}}' },
      { expr: EGRESS_NODES_UNKNOWN, legend: 'unknown {{node}}' },
      { expr: growth(metric('egressip_failover_total'), RATE, ['node']), legend: 'moved from {{node}}' },
      { expr: `max by (dataplane) (${metric('egressip_dataplane_info')})`, legend: '{{dataplane}}' },
    ],
  },
];
