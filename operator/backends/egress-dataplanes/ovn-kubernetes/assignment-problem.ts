import { isIn } from '../../../addressing/address';
import { EGRESS_ASSIGNABLE } from '../../../contract/egress-dataplanes';
import { selectorMatches } from '../../../contract/label-selector';
import { mapOf, metadataOf, type JsonMap } from '../../../contract/loose-json';
import type { CloudPrivateIp } from '../shared/cloud-private-ip';
import type { EgressIp } from './egress-ip';
import { nodeFacts } from './node-facts';

/** State of the cluster around one EgressIP. */
interface Around {
  /** EgressIPs that the door did not make. */
  readonly others: readonly EgressIp[];
  readonly nodes: readonly JsonMap[];
  /** Labels of the namespace. */
  readonly labels: unknown;
  readonly cloudIps: readonly CloudPrivateIp[];
  readonly isCloud: boolean;
}

/** What hinders a namespace. */
interface AssignmentProblem {
  readonly reason: 'AddressesUnassigned' | 'SelectedTwice';
  readonly message: string;
}

/**
 * Tells what hinders the traffic of a namespace.
 *
 * @param own - EgressIP of the namespace
 * @param around - nodes, other EgressIPs, and what the cloud says
 * @returns undefined where every address is on a node and no other EgressIP selects the namespace
 */
export function assignmentProblem(own: EgressIp, around: Around): AssignmentProblem | undefined {
  const assigned = own.items.map(({ address }) => address);
  const missing = own.addresses.filter((address) => !isIn(address, assigned));
  if (missing.length > 0) {
    const [list, all] = [missing.join(', '), String(own.addresses.length)];
    const found = `OVN-Kubernetes has put ${String(missing.length)} of ${all} addresses on no node: ${list}`;
    return { reason: 'AddressesUnassigned', message: [found, ...causes(own, around)].join('; ') };
  }
  const labels = mapOf(around.labels) as Readonly<Record<string, string>>;
  const other = around.others.find(({ namespaceSelector }) => selectorMatches(namespaceSelector, labels));
  if (other === undefined) return undefined;
  const message = `EgressIP "${other.name}" selects the namespace too, and OVN-Kubernetes uses one of both without saying which; take the namespace out of it`;
  return { reason: 'SelectedTwice', message };
}

function causes(own: EgressIp, { nodes, isCloud, cloudIps, others }: Around): readonly string[] {
  const labelled = nodes.filter((node) => Object.hasOwn(mapOf(metadataOf(node)['labels']), EGRESS_ASSIGNABLE));
  const read = labelled.map((node) => nodeFacts(node, isCloud));
  const usable = read.filter(({ ok }) => ok).length;
  const twin = others.find(({ addresses }) => addresses.some((address) => isIn(address, own.addresses)));
  return [
    ...(usable < own.addresses.length
      ? [`each needs a node of its own, and ${String(usable)} nodes with the label ${EGRESS_ASSIGNABLE} can carry one`]
      : []),
    ...(own.hasStatus ? [] : ['OVN-Kubernetes has not looked at them yet']),
    ...(twin === undefined ? [] : [`EgressIP "${twin.name}" has one of them`]),
    ...read.flatMap((each) => (each.ok ? [] : [each.why])),
    ...cloudIps.flatMap(({ address, refusal }) =>
      refusal === undefined || address === undefined || !isIn(address, own.addresses)
        ? []
        : [`the cloud refused ${address.toString()}: ${refusal}`],
    ),
  ];
}
