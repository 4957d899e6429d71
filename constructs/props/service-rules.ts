import type { LabelSelector } from 'cdk8s-plus-28';

import type { ZoneCatalogue } from '../../operator/contract/zones';
import type {
  GeneratedSecretProps,
  IAddressOwner,
  IpamServicePort,
  IpamServiceProps,
  IpFamily,
} from '../ipam-service-props';
import type { AddressClaimProps } from '../kinds-props';
import type { AddressClaimSpec } from '../crds/address-claim';
import { ANY_MAP, list, props } from './containers';
import { ANNOTATION_KEYS, ANNOTATIONS, DNS_LABEL, LABELS, QUALIFIED_NAME, SERVICE_NAME } from './kubernetes-values';
import { needed, neededElsewhere, type Rule } from './rule';
import { FLAG, formed, having, HIDDEN_TEXT, NUMBER, single, SOME_TEXT, text, word } from './values';

const PORT = props<IpamServicePort>({
  port: needed(NUMBER, 80),
  targetPort: single<string | number>({ types: ['number', 'string'], allowed: 'the number or the name of a port' }),
  protocol: word('TCP', 'UDP', 'SCTP'),
  name: formed(
    /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)?$/u,
    'a DNS label (a-z, 0-9 and -, at most 63 characters), or an empty text',
    63,
  ),
  nodePort: NUMBER,
});

const FAMILY: Rule<IpFamily> = word('IPv4', 'IPv6');

/** Props of a Service. */
export const SERVICE = props<IpamServiceProps>({
  name: SERVICE_NAME,
  namespace: DNS_LABEL,
  ports: needed(list(PORT), [{ port: 80 }]),
  selector: LABELS,
  labelSelector: having<LabelSelector>('a LabelSelector of cdk8s-plus', '_toKube'),
  pods: having('Pods or a workload of cdk8s-plus', 'toPodSelectorConfig'),
  zone: text(),
  addresses: list(SOME_TEXT), // an annotation cannot tell an empty one from none
  ipFamily: text(),
  ipFamilies: list(FAMILY),
  ipFamilyPolicy: word('SingleStack', 'PreferDualStack', 'RequireDualStack'),
  secret: text(),
  generatedSecret: props<GeneratedSecretProps>({ name: text(), value: HIDDEN_TEXT, file: text() }),
  joins: having<IAddressOwner>('another IpamService', 'sharedTerms'),
  retentionPeriodDays: NUMBER,
  denyExternalCleanup: FLAG,
  allowLocalSharedIp: text(),
  externalTrafficPolicy: word('Cluster', 'Local'),
  allocateLoadBalancerNodePorts: FLAG,
  loadBalancerClass: QUALIFIED_NAME,
  annotations: ANNOTATION_KEYS,
  labels: LABELS,
  zones: having<ZoneCatalogue>('the zones of an IpamOperator or of zonesFromFile', 'names'),
  cluster: SOME_TEXT,
  clusterFamilies: list(FAMILY),
});

const SPEC: Rule<AddressClaimSpec> = { allowed: ANY_MAP.allowed, judge: ANY_MAP.judge };

/** Props of a claim; the schema of its kind judges the spec. */
export const CLAIM = props<AddressClaimProps>({
  spec: neededElsewhere(SPEC),
  cluster: SOME_TEXT,
  labels: LABELS,
  annotations: ANNOTATIONS,
});
