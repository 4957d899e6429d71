/** API group of the older egress operator's kind, kept so that its manifests are accepted unchanged. */
export const EGRESS_GROUP = 'redhatcop.redhat.io';

/** Annotations of a Namespace. */
export const EGRESS_KEYS = {
  /** Name of the one EgressIPAM that gives the namespace its addresses. */
  egressIpam: 'egressip-ipam-operator.redhat-cop.io/egressipam',
  /** Addresses of the namespace with commas between them: what it was given, or what it asks for. */
  addresses: 'egressip-ipam-operator.redhat-cop.io/egressips',
  /** `true`: the namespace may have addresses that its EgressIPAM reserves; never those of another holder. */
  allowReserved: 'egressip-ipam-operator.redhat-cop.io/allow-reserved',
} as const;

/**
 * Marks on objects of a dataplane: what of them belongs to the Egress door. The label names the EgressIPAM as far as a label can; the
 * annotations do in full.
 */
export const EGRESS_MARKS = {
  /** Label and annotation: the EgressIPAM. */
  egressIpam: 'ipam.vitistack.io/egressipam',
  /** Annotation: the namespace whose traffic the object is about. */
  namespace: 'ipam.vitistack.io/egress-namespace',
  /** Label, `true`: the EgressIPAM went and left its addresses (`deletionPolicy: Retain`). */
  orphan: 'ipam.vitistack.io/egress-orphan',
  /** Annotation of a Node: EgressIPAMs with commas between them, for which the operator made it a carrier of addresses. */
  carrierFor: 'ipam.vitistack.io/egress-carrier-for',
  /** Annotation of a HostSubnet: CIDRs and addresses with commas between them that the operator put on its node. */
  carries: 'ipam.vitistack.io/egress-carries',
} as const;

/** Annotation of an EgressIPAM, `true`: addresses of CIDRs that were taken out of the spec are released. */
export const EGRESS_FORCE = 'egressip-ipam-operator.redhat-cop.io/force';

/**
 * Annotation of an AddressClaim, `true`: dataplanes that the operator does not drive any more do not have its address, so it may be released.
 * The operator takes it off with its next write of the claim.
 */
export const EGRESS_DATAPLANE_GONE = 'ipam.vitistack.io/dataplane-gone';

/** Annotation of an EgressIPAM on Azure: the load balancers whose pools its addresses join. */
export const EGRESS_LOAD_BALANCER: { readonly key: string; readonly values: readonly string[] } = {
  key: 'egressip-ipam-operator.redhat-cop.io/azure-egress-load-balancer',
  values: ['none', 'same-as-primary-ip'],
};

/** Reason of Events, of the status and of the metrics of the Egress door: why a namespace does not have what it asks for. */
export type EgressReason =
  | 'EgressIPAMNotFound'
  | 'InvalidEgressIPAM'
  | 'Overlap'
  | 'NamespaceNotSelected'
  | 'InvalidList'
  | 'OneAddressPerCIDR'
  | 'AddressMissing'
  | 'AddressOutOfRange'
  | 'AddressReserved'
  | 'AddressOfOtherDoor'
  | 'AddressInUse'
  | 'AddressQuarantined'
  | 'UsesUnknown'
  | 'PoolExhausted'
  | EgressUnplacedReason;

/** Why an address that a namespace holds is on no node that can carry it. */
export type EgressUnplacedReason = 'NoReadyNode' | 'NodesFull' | 'NotPlaced';

/** Finalizer of an EgressIPAM: its namespaces give their addresses back before it goes. */
export const EGRESS_FINALIZER = 'ipam.vitistack.io/egressipam';

/** Finalizer of the older operator, which is taken off. */
export const OLD_EGRESS_FINALIZER = 'EgressIPAM_controller';

/** API version and kind of a Namespace, the holder of egress addresses. */
export const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' } as const;
