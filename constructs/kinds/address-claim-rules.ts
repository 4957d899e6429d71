import type { AddressClaimSpec } from '../crds/address-claim';
import { ANY_MAP, props } from '../props-kit/containers';
import { jsonOf } from '../props-kit/json-values';
import { ANNOTATIONS, LABELS } from '../props-kit/kubernetes-values';
import { neededElsewhere, type Rule } from '../props-kit/rule';
import { SOME_TEXT } from '../props-kit/values';
import type { AddressClaimProps } from './address-claim-props';

const PLAIN = jsonOf(ANY_MAP);
const SPEC: Rule<AddressClaimSpec> = { allowed: PLAIN.allowed, judge: PLAIN.judge };

/** Props of a claim; the schema of its kind judges the spec. */
export const CLAIM = props<AddressClaimProps>({
  spec: neededElsewhere(SPEC),
  cluster: SOME_TEXT,
  labels: LABELS,
  annotations: ANNOTATIONS,
});
