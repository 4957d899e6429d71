import type { IPPrefixSpec } from '../crds/ip-prefix';
import type { NephioObjectProps } from './nephio-object-props';

/** Props of an {@link IpPrefix}. */
export interface IpPrefixProps extends NephioObjectProps {
  /** Prefix, its kind, and the NetworkInstance that it belongs to. */
  readonly spec: IPPrefixSpec;
}
