import { distinct, list, props } from '../../props-kit/containers';
import { FLAG, NUMBER, text } from '../../props-kit/values';
import type { NetworksDoorProps } from './networks-door-props';

/** Props of the Networks door. */
export const NETWORKS = props<NetworksDoorProps>({
  enabled: FLAG,
  orphanGraceSeconds: NUMBER,
  ownerKinds: distinct(list(text())),
});
