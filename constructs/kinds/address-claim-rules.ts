import type { AddressClaimSpec } from '../crds/address-claim';
import { props } from '../props-kit/containers';
import { ANNOTATIONS, LABELS } from '../props-kit/kubernetes-values';
import { neededElsewhere } from '../props-kit/rule';
import { SOME_TEXT } from '../props-kit/values';
import type { AddressClaimProps } from './address-claim-props';
import { specOf } from './spec-rule';

/** Props of a claim; the schema of its kind judges the spec. */
export const CLAIM = props<AddressClaimProps>({
  spec: neededElsewhere(specOf<AddressClaimSpec>()),
  cluster: SOME_TEXT,
  labels: LABELS,
  annotations: ANNOTATIONS,
});
