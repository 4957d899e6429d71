import { tree } from './helm-release';
import type { Refused } from './helm-refused';

/** Values about the gRPC API of networks that chart and constructs refuse. */
export const REFUSED_NETWORKS: readonly Refused[] = [
  [
    'a gRPC API without the door whose record it serves',
    tree({ 'networks.grpc.enabled': true }),
    'networks.grpc: needs networks.enabled, whose record it serves',
  ],
  [
    'a gRPC API with a certificate that is for the API server only',
    tree({ 'networks.enabled': true, 'networks.grpc.enabled': true, certificates: 'self-managed' }),
    'networks.grpc.certificateSecret: needed where certificates is "self-managed", whose CA is meant for the API server only',
  ],
];
