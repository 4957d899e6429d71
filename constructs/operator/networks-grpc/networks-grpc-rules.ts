import { props } from '../../props-kit/containers';
import { FLAG, HIDDEN_TEXT, SOME_TEXT } from '../../props-kit/values';
import type { NetworksGrpcProps } from './networks-grpc-props';

/** Props of the gRPC API of networks. */
export const NETWORKS_GRPC = props<NetworksGrpcProps>({
  certificateSecret: HIDDEN_TEXT,
  // without one, tokens for the API server itself would be taken
  audience: SOME_TEXT,
  allowAnonymous: FLAG,
});
