import type { EgressDoorProps } from './egress-door-props';

/** Props that the Egress door reads. */
export interface EgressDoorOwner {
  readonly egress?: EgressDoorProps;
  readonly platform?: 'kubernetes' | 'openshift';
}
