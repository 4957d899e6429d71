import { list, props } from '../props-kit/containers';
import { ANNOTATIONS, DNS_LABEL, DNS_NAME, LABELS, QUALIFIED_NAME, SELECTOR } from '../props-kit/kubernetes-values';
import { needed } from '../props-kit/rule';
import { FLAG, SOME_TEXT, word } from '../props-kit/values';
import { FAMILY, SERVICE_PORT } from '../service/service-rules';
import type { VipServiceProps } from './vip-service-props';

/** Props of a Service of the VIPs door. */
export const VIP_SERVICE = props<VipServiceProps>({
  name: DNS_LABEL,
  namespace: DNS_LABEL,
  ports: needed(list(SERVICE_PORT), [{ port: 80 }]),
  selector: SELECTOR,
  group: DNS_NAME,
  addresses: list(SOME_TEXT), // an annotation cannot tell an empty one from none
  sharingKey: SOME_TEXT,
  loadBalancerClass: QUALIFIED_NAME,
  classless: FLAG,
  ipFamilies: list(FAMILY),
  ipFamilyPolicy: word('SingleStack', 'PreferDualStack', 'RequireDualStack'),
  externalTrafficPolicy: word('Cluster', 'Local'),
  allocateLoadBalancerNodePorts: FLAG,
  annotations: ANNOTATIONS,
  labels: LABELS,
  cluster: SOME_TEXT,
});
