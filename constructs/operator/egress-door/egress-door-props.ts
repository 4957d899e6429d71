import type { EgressDataplaneName } from '../../../operator/contract/egress-dataplanes';
import type { EgressCloudProps } from './egress-cloud-props';

/** Settings of the Egress front door: EgressIPAMs of `redhatcop.redhat.io`, and the Namespaces that opt in to them. */
export interface EgressDoorProps {
  /**
   * Whether Namespaces that opt in to an EgressIPAM are given its addresses. Its kind is installed with it.
   *
   * @default false
   */
  readonly enabled?: boolean;
  /**
   * Dataplanes that carry the addresses, where the cluster has them: `ovn-kubernetes`, `openshift-sdn`, `cilium`, `antrea`. Each brings the
   * rights to write its objects, OVN-Kubernetes and Antrea those to mark Nodes, and Cilium that to read its ConfigMap. Without one, addresses are
   * written to Namespaces alone.
   *
   * @default - none
   */
  readonly dataplanes?: readonly EgressDataplaneName[];
  /**
   * Cloud whose machines the addresses are attached to before a dataplane carries them. Not where the platform attaches them by itself, as
   * OpenShift does with OVN-Kubernetes.
   *
   * @default - none
   */
  readonly cloud?: EgressCloudProps;
  /**
   * Whether a user needs the right `use` on an EgressIPAM (`egressipams.redhatcop.redhat.io`) to opt a Namespace in to it, or to list its
   * addresses. Without, everything that may annotate a Namespace may.
   *
   * @default true
   */
  readonly usePermission?: boolean;
  /**
   * What becomes of a Namespace with annotations of this door while the operator does not answer: `admit` stores it, and its addresses are
   * given without a look at rights; `deny` refuses it. Namespaces without these annotations are never refused.
   *
   * @default 'admit'
   */
  readonly whenUnavailable?: 'deny' | 'admit';
}
