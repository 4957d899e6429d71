/** Settings of the Egress front door: EgressIPAMs of `redhatcop.redhat.io`, and the Namespaces that opt in to them. */
export interface EgressDoorProps {
  /**
   * Whether Namespaces that opt in to an EgressIPAM are given its addresses. Its kind is installed with it.
   *
   * @default false
   */
  readonly enabled?: boolean;
}
