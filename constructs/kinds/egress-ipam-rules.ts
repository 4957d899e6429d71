import type { EgressIPAMSpec } from '../crds/egress-ipam';
import { props } from '../props-kit/containers';
import { ANNOTATIONS, DNS_NAME, LABELS } from '../props-kit/kubernetes-values';
import { needed } from '../props-kit/rule';
import { SOME_TEXT } from '../props-kit/values';
import type { EgressIpamProps } from './egress-ipam-props';
import { specOf } from './spec-rule';

/** Props of an EgressIPAM; the schema of its kind judges the spec. */
export const EGRESS_IPAM_PROPS = props<EgressIpamProps>({
  name: DNS_NAME,
  spec: needed(specOf<EgressIPAMSpec>(), {}),
  cluster: SOME_TEXT,
  labels: LABELS,
  annotations: ANNOTATIONS,
});
