import type { ZoneCatalogue } from '../../operator/contract/zones';
import { distinct, list, props } from '../props-kit/containers';
import { ANNOTATION_KEYS, DNS_LABEL, LABELS, QUALIFIED_NAME, SELECTOR } from '../props-kit/kubernetes-values';
import { needed, type Rule } from '../props-kit/rule';
import { FLAG, formed, having, HIDDEN_TEXT, NUMBER, single, SOME_TEXT, text, word } from '../props-kit/values';
import type {
  GeneratedSecretProps,
  IAddressOwner,
  IpamServicePort,
  IpamServiceProps,
  IpFamily,
} from './ipam-service-props';
import type { ILabelSelector } from './pods';

/** Name of a port of a container (IANA_SVC_NAME); a text of digits is none, and finds no port. */
const PORT_NAME = /^(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/u;

/** One port of a Service. */
export const SERVICE_PORT = props<IpamServicePort>({
  port: needed(NUMBER, 80),
  targetPort: single<string | number>({
    types: ['number', 'string'],
    allowed: 'the number of a port, or its name (at most 15 of a-z, 0-9 and single "-" between them, with a letter)',
    holds: (value) => typeof value === 'number' || PORT_NAME.test(value),
  }),
  protocol: word('TCP', 'UDP', 'SCTP'),
  name: formed(
    /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)?$/u,
    'a DNS label (a-z, 0-9 and -, at most 63 characters), or an empty text',
    63,
  ),
  nodePort: NUMBER,
});

/** One IP family. */
export const FAMILY: Rule<IpFamily> = word('IPv4', 'IPv6');
/** Families of a cluster, the primary one first. */
export const FAMILIES = distinct(list(FAMILY, 1));
/** Zones that Services are checked against. */
export const ZONES: Rule<ZoneCatalogue> = having<ZoneCatalogue>(
  'the zones of an IpamOperator or of zonesFromFile',
  'names',
);

/** Props of a Service. */
export const SERVICE = props<IpamServiceProps>({
  name: DNS_LABEL,
  namespace: DNS_LABEL,
  ports: needed(list(SERVICE_PORT), [{ port: 80 }]),
  selector: SELECTOR,
  labelSelector: having<ILabelSelector & { readonly _toKube?: unknown }>('a LabelSelector of cdk8s-plus', '_toKube'),
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
  allowLocalSharedIp: single<string>({
    types: ['string'],
    allowed: 'a text that is not blank, or an empty one for no sharing',
    holds: (value) => value === '' || value.trim() !== '',
  }),
  externalTrafficPolicy: word('Cluster', 'Local'),
  allocateLoadBalancerNodePorts: FLAG,
  loadBalancerClass: QUALIFIED_NAME,
  annotations: ANNOTATION_KEYS,
  labels: LABELS,
  zones: ZONES,
  cluster: SOME_TEXT,
  clusterFamilies: FAMILIES,
});
