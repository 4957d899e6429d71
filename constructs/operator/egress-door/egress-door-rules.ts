import { EGRESS_DATAPLANES } from '../../../operator/contract/egress-dataplanes';
import { distinct, list, props } from '../../props-kit/containers';
import { FLAG, word } from '../../props-kit/values';
import type { EgressDoorProps } from './egress-door-props';

/** Props of the Egress door. */
export const EGRESS = props<EgressDoorProps>({
  enabled: FLAG,
  dataplanes: distinct(list(word(...EGRESS_DATAPLANES))),
  usePermission: FLAG,
  whenUnavailable: word('deny', 'admit'),
});
