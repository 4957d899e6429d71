import type { IPGroupSpec } from '../crds/ip-group';
import { ANY_MAP, props } from '../props-kit/containers';
import { jsonOf } from '../props-kit/json-values';
import { ANNOTATIONS, DNS_NAME, LABELS } from '../props-kit/kubernetes-values';
import { needed, type Rule } from '../props-kit/rule';
import { SOME_TEXT } from '../props-kit/values';
import type { IpGroupProps } from './ip-group-props';

const PLAIN = jsonOf(ANY_MAP);
const SPEC: Rule<IPGroupSpec> = { allowed: PLAIN.allowed, judge: PLAIN.judge };

/** Props of a group; the schema of its kind judges the spec. */
export const IP_GROUP_PROPS = props<IpGroupProps>({
  name: DNS_NAME,
  spec: needed(SPEC, {}),
  cluster: SOME_TEXT,
  labels: LABELS,
  annotations: ANNOTATIONS,
});
