import { distinct, list, props } from '../../props-kit/containers';
import { FLAG, NUMBER, text } from '../../props-kit/values';
import { NETWORKS_GRPC } from '../networks-grpc/networks-grpc-rules';
import type { NetworksDoorProps } from './networks-door-props';

/** Props of the Networks door. */
export const NETWORKS = props<NetworksDoorProps>({
  enabled: FLAG,
  orphanGraceSeconds: NUMBER,
  grpc: NETWORKS_GRPC,
  ownerKinds: distinct(list(text())),
});
