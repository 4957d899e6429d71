import { OPTIONS } from '../../operator/settings/options';
import type { IpamOperatorProps, OperatorZone, ServicesDoorProps } from './ipam-operator-props';
import type { AdvertisedProps } from '../metallb/metallb-props';
import type { CrdsProps } from './crds/crds-props';
import type { OperatorImage } from './pod/image';
import type {
  CertificateIssuer,
  IpamApiClientsProps,
  IpamApiExposeProps,
  IpamApiProps,
} from './ipam-api/ipam-api-props';
import type {
  DashboardProps,
  MonitoringProps,
  PrometheusRuleProps,
  ServiceMonitorProps,
} from './monitoring/monitoring-props';
import type { OperatorNetworkPolicyProps } from './network/network-policy-props';
import type { OperatorSettingsProps } from './settings/settings-props';
import type { ZonePoolsProps } from './zones/zone-pools-props';
import { ANY_MAP, distinct, list, props, someProps } from '../props-kit/containers';
import {
  ANNOTATIONS,
  CIDR,
  DIGEST,
  DNS_LABEL,
  DNS_NAME,
  DURATION,
  BREAK_GLASS_GROUP,
  HOST_NAME,
  LABELS,
  QUALIFIED_NAME,
  REGISTRY,
  REPOSITORY,
  TAG,
} from '../props-kit/kubernetes-values';
import { RELATED_SYSTEMS } from './related-systems/related-system-rules';
import { POD_RULES } from './pod/pod-rules';
import { ADVERTISED } from '../metallb/pool-rules';
import { jsonOf } from '../props-kit/json-values';
import { needed } from '../props-kit/rule';
import { SECRET_KEY, STORE } from './store/store-rules';
import { FLAG, HIDDEN_TEXT, NUMBER, SOME_TEXT, text, word } from '../props-kit/values';

const SERVICES = props<ServicesDoorProps>({
  enabled: FLAG,
  defaultZone: text(),
  loadBalancerClasses: distinct(list(QUALIFIED_NAME)),
  excludedNamespaces: distinct(list(DNS_LABEL)),
});

const IMAGE = props<OperatorImage>({
  registry: REGISTRY,
  repository: REPOSITORY,
  tag: TAG,
  digest: DIGEST,
  pullPolicy: word('Always', 'IfNotPresent', 'Never'),
  pullSecrets: distinct(list(DNS_NAME)),
});

const ISSUER = props<CertificateIssuer>({
  name: needed(DNS_NAME, 'absent'),
  kind: word('Issuer', 'ClusterIssuer'),
  group: DNS_NAME,
});

const IPAM_API = props<IpamApiProps>({
  expose: props<IpamApiExposeProps>({
    port: NUMBER,
    serviceType: word('ClusterIP', 'NodePort', 'LoadBalancer'),
    serviceAnnotations: ANNOTATIONS,
    dnsNames: distinct(list(HOST_NAME)),
    issuer: ISSUER,
    certificateSecret: HIDDEN_TEXT,
    clients: props<IpamApiClientsProps>({ secret: SECRET_KEY, configMap: SECRET_KEY }),
    clientCa: SECRET_KEY,
    allowAnonymousV2: FLAG,
    deadlineSeconds: NUMBER,
  }),
});

const NETWORK_POLICY = props<OperatorNetworkPolicyProps>({
  enabled: FLAG,
  monitoringNamespaces: distinct(list(DNS_LABEL)),
  apiServerCidrs: distinct(list(CIDR)),
  apiServerPorts: distinct(list(NUMBER, 1)), // to Kubernetes an empty list is every port
  storeCidrs: distinct(list(CIDR)),
  netboxCidrs: distinct(list(CIDR)),
  cleanupEventsCidrs: distinct(list(CIDR)),
  splunkCidrs: distinct(list(CIDR)),
});

const SETTINGS = props<OperatorSettingsProps>({
  admissionDeadlineSeconds: NUMBER,
  reservationLeaseSeconds: NUMBER,
  maxReservationsPerNamespace: NUMBER,
  shutdownDelaySeconds: NUMBER,
  historyDays: NUMBER,
  recoverableSecrets: FLAG,
  clusterId: SOME_TEXT,
});

const MONITORING = props<MonitoringProps>({
  serviceMonitor: props<ServiceMonitorProps>({ interval: DURATION, labels: LABELS }),
  prometheusRule: props<PrometheusRuleProps>({ nearlyFullPercent: NUMBER, labels: LABELS }),
  dashboard: props<DashboardProps>({ namespace: DNS_LABEL, labels: LABELS, annotations: ANNOTATIONS }),
});

/** Who writes the pools, and of which cluster. */
const ZONE_POOLS = { zonePools: text<NonNullable<ZonePoolsProps['zonePools']>>(), cluster: SOME_TEXT };

/** Props of the operator. */
export const OPERATOR = props<IpamOperatorProps>({
  // the contract judges the rest of a zone, in the operator's own words
  zones: needed(list(jsonOf(someProps<OperatorZone, keyof AdvertisedProps>(ADVERTISED))), []),
  services: SERVICES,
  whenUnavailable: word('deny', 'admit'),
  clusterFamilies: list(text()),
  image: IMAGE,
  store: STORE,
  ...RELATED_SYSTEMS,
  replicas: NUMBER,
  certificates: word('cert-manager', 'self-managed'),
  ipamApi: IPAM_API,
  networkPolicy: NETWORK_POLICY,
  platform: word('kubernetes', 'openshift'),
  createNamespace: FLAG,
  settings: SETTINGS,
  crds: props<CrdsProps>({ install: FLAG, keep: FLAG, breakGlassGroup: BREAK_GLASS_GROUP }),
  monitoring: MONITORING,
  extraObjects: list(jsonOf(ANY_MAP)),
  logLevel: word(...OPTIONS.logLevel.choices),
  ...POD_RULES,
  ...ZONE_POOLS,
});
