import type { IPAllocationSpec } from '../crds/ip-allocation';
import type { NephioObjectProps } from './nephio-object-props';

/** Props of an {@link IpAllocation}. */
export interface IpAllocationProps extends NephioObjectProps {
  /** Kind of what is asked for, and the labels of the prefixes that it may come from. */
  readonly spec: IPAllocationSpec;
  /**
   * Families of which one address or prefix each is asked for; with two, two objects are made, `<name>-ipv4` and `<name>-ipv6`. Not
   * beside `spec.addressFamily`.
   *
   * @default - one object, whose family is that of its spec
   */
  readonly families?: readonly ('ipv4' | 'ipv6')[];
}
