import { FOREIGN_NAMES } from '../../../operator/contract/foreign-load-balancers';
import { distinct, list, props } from '../../props-kit/containers';
import { QUALIFIED_NAME } from '../../props-kit/kubernetes-values';
import { FLAG, NUMBER, word } from '../../props-kit/values';
import type { VipsDoorProps } from './vips-door-props';

/** Props of the VIPs door. */
export const VIPS = props<VipsDoorProps>({
  enabled: FLAG,
  loadBalancerClasses: distinct(list(QUALIFIED_NAME)),
  classless: FLAG,
  besideMetalLbClass: FLAG,
  orphanGraceSeconds: NUMBER,
  foreignAnnotations: distinct(list(word(...FOREIGN_NAMES))),
  migration: FLAG,
});
