import type { NetworksGrpcProps } from '../networks-grpc/networks-grpc-props';

/** Settings of the Networks front door. */
export interface NetworksDoorProps {
  /**
   * Whether NetworkInstances, IPPrefixes and IPAllocations of `ipam.nephio.org` are served. Its kinds are installed with it.
   *
   * @default false
   */
  readonly enabled?: boolean;
  /**
   * Seconds for which a prefix or an address stays on record for an object that was found missing, as after a restore.
   *
   * @default 300
   */
  readonly orphanGraceSeconds?: number;
  /**
   * Opens the gRPC API, by which clients get prefixes and addresses without objects in the cluster; `{}` takes every default.
   *
   * @default - it does not listen
   */
  readonly grpc?: NetworksGrpcProps;
  /**
   * Resources whose objects IPAllocations may name as owners (`spec.ownerRef`), such as `services` or `deployments.apps`. The operator gets
   * the right to read single ones by name.
   *
   * @default ['services']
   */
  readonly ownerKinds?: readonly string[];
}
