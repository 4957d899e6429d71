import { props } from '../../props-kit/containers';
import { FLAG, word } from '../../props-kit/values';
import type { EgressDoorProps } from './egress-door-props';

/** Props of the Egress door. */
export const EGRESS = props<EgressDoorProps>({
  enabled: FLAG,
  usePermission: FLAG,
  whenUnavailable: word('deny', 'admit'),
});
