import { EGRESS_DATAPLANES } from '../contract/egress-dataplanes';
import type { Refusal } from '../errors/outcome';
import type { Option } from './option';
import { invalidField } from './refusals';

/** Options of the Egress door; a part of `OPTIONS`. */
export const EGRESS_OPTIONS = {
  egress: {
    flag: '--egress',
    env: 'IPAM_EGRESS',
    type: 'switch',
    default: false,
    help: 'Give Namespaces that opt in to an EgressIPAM of redhatcop.redhat.io their addresses; needs this kind, and AddressClaim',
  },
  egressDataplanes: {
    flag: '--egress-dataplanes',
    env: 'IPAM_EGRESS_DATAPLANES',
    type: 'list',
    choices: EGRESS_DATAPLANES,
    default: [],
    help: 'Dataplanes that --egress drives where the cluster has them; with none, it writes addresses to Namespaces alone',
  },
  egressUsePermission: {
    flag: '--egress-use-permission',
    env: 'IPAM_EGRESS_USE_PERMISSION',
    type: 'switch',
    default: true,
    help: 'Ask for the right to use an EgressIPAM (verb use) where a user opts a Namespace in to it, or lists addresses; false: everything that may annotate a Namespace may',
  },
  egressWhenUnavailable: {
    flag: '--egress-when-unavailable',
    env: 'IPAM_EGRESS_WHEN_UNAVAILABLE',
    type: 'choice',
    choices: ['deny', 'admit'],
    default: 'admit',
    help: 'Answer to the egress annotations of a Namespace while the rights of its author cannot be asked for: refuse them, or admit them',
  },
} as const satisfies Record<string, Option>;

/** Settings that decide whether the door can be opened. */
interface EgressSettings {
  readonly egress: boolean;
  readonly standalone: boolean;
}

/**
 * Finds what stands against the Egress door: its record is objects of a cluster.
 *
 * @param settings - what was set
 * @returns at most one problem, `settings/invalid`
 */
export function egressProblems({ egress, standalone }: EgressSettings): readonly Refusal[] {
  if (!egress || !standalone) return [];
  return [invalidField(EGRESS_OPTIONS.egress.flag, 'needs a cluster, which keeps its addresses as objects')];
}
