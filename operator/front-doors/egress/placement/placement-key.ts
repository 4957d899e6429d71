/** One piece of work: the placement of an EgressIPAM, or what one Node or Namespace is to have in its dataplane. */
export interface PlacementKey {
  readonly of: 'egressIpam' | 'node' | 'namespace';
  readonly name: string;
}
