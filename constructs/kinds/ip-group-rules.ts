import type { IPGroupSpec } from '../crds/ip-group';
import { props } from '../props-kit/containers';
import { ANNOTATIONS, DNS_NAME, LABELS } from '../props-kit/kubernetes-values';
import { needed } from '../props-kit/rule';
import { SOME_TEXT } from '../props-kit/values';
import type { IpGroupProps } from './ip-group-props';
import { specOf } from './spec-rule';

/** Props of a group; the schema of its kind judges the spec. */
export const IP_GROUP_PROPS = props<IpGroupProps>({
  name: DNS_NAME,
  spec: needed(specOf<IPGroupSpec>(), {}),
  cluster: SOME_TEXT,
  labels: LABELS,
  annotations: ANNOTATIONS,
});
