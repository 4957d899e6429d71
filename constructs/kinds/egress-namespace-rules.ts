import { list, props } from '../props-kit/containers';
import { ANNOTATIONS, DNS_LABEL, DNS_NAME, LABELS } from '../props-kit/kubernetes-values';
import { needed } from '../props-kit/rule';
import { FLAG, SOME_TEXT } from '../props-kit/values';
import type { EgressNamespaceProps } from './egress-namespace-props';

/** Props of a Namespace that opts in; its list of addresses is judged beside the EgressIPAM. */
export const EGRESS_NAMESPACE_PROPS = props<EgressNamespaceProps>({
  name: DNS_LABEL,
  egressIpam: needed(DNS_NAME, 'absent'),
  addresses: list(SOME_TEXT),
  allowReserved: FLAG,
  cluster: SOME_TEXT,
  labels: LABELS,
  annotations: ANNOTATIONS,
});
