/** Dataplanes that the operator drives, as `spec.dataplane` and the settings name them. */
export const EGRESS_DATAPLANES = ['openshift-sdn', 'ovn-kubernetes'] as const;

/** One of {@link EGRESS_DATAPLANES}. */
export type EgressDataplaneName = (typeof EGRESS_DATAPLANES)[number];
