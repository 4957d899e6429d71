import { OPTIONS } from '../../../operator/settings/options';
import type { IpamOperatorProps, OperatorZone } from '../../ipam-operator-props';
import { choice, handedOn, ITEMS, NUMBER, optional, part, TEXT, type ChartValue } from '../helm/chart-value';
import type { Json } from '../helm/value-reader';
import { HELPERS } from './chart-helpers';
import { EXAMPLE_ZONES, type InstallationProps } from './installation';
import { POD_VALUES } from './pod-values';
import { STORE_VALUES } from './store-values';
import { FAMILIES, numberOrDefault, TEXTS, TEXTS_BY_KEY, zonesSchema } from './value-schemas';

type Values = readonly ChartValue<InstallationProps>[];
type Settings = NonNullable<IpamOperatorProps['settings']>;

const ZONES: Values = [
  part<InstallationProps>(
    'zones',
    {
      comment:
        'Zones: names for the addresses that may be given out. Replace the example. Each has `name` and `prefixes`, and may have `network`, `excluded`, `namespaces`, `quarantineSeconds`, `quota` and `draining`; for MetalLB `advertise` (l2, bgp, both or none) and `l2` and `bgp` with settings of advertisements.',
      initial: JSON.parse(JSON.stringify(EXAMPLE_ZONES)) as Json,
      schema: zonesSchema(),
    },
    (zones) => ({ zones: zones as unknown as readonly OperatorZone[] }),
  ),
  part<InstallationProps>(
    'defaultZone',
    {
      comment:
        'Zone of Services that name none. Set, it makes every LoadBalancer Service without a class ours; empty, a Service that asks for nothing is left alone.',
      initial: '',
    },
    (value) => (value === '' ? {} : { services: { defaultZone: value as string } }),
  ),
  part<InstallationProps>(
    'clusterFamilies',
    {
      comment: "Families of the cluster's Services, the primary one first; MetalLB pools hold these only.",
      initial: ['IPv4', 'IPv6'],
      schema: FAMILIES,
    },
    (value) => ({ clusterFamilies: value as unknown as readonly ('IPv4' | 'IPv6')[] }),
  ),
  choice(
    'zonePools',
    {
      comment:
        'Who writes the MetalLB pool of a zone: `prefixes` is this chart, with all of the zone in it; `claims` is the operator, with the addresses that are in use.',
      allowed: ['prefixes', 'claims'],
    },
    (zonePools): InstallationProps => ({ zonePools }),
  ),
];

const SERVICES: Values = [
  choice(
    'whenUnavailable',
    {
      comment:
        'What happens to a Service while no address can be given: `deny` refuses it, `admit` stores it without one. `admit` makes `zonePools` be `claims`, else MetalLB would give such a Service any address.',
      allowed: ['deny', 'admit'],
    },
    (whenUnavailable): InstallationProps =>
      whenUnavailable === 'admit' ? { whenUnavailable, zonePools: 'claims' } : {},
  ),
  optional(
    'excludedNamespaces',
    {
      comment: 'Namespaces whose Services never reach the webhooks, beside kube-system and others that always are.',
      initial: [],
      schema: TEXTS,
      read: ITEMS,
    },
    (excludedNamespaces): InstallationProps => ({ services: { excludedNamespaces } }),
  ),
  choice(
    'certificates',
    {
      comment: "Who makes the webhooks' certificate: cert-manager, or the operator itself (`self-managed`).",
      allowed: ['cert-manager', 'self-managed'],
    },
    (certificates): InstallationProps => ({ certificates }),
  ),
  handedOn(
    'logLevel',
    {
      comment: 'Least severe level that is logged.',
      initial: OPTIONS.logLevel.default,
      schema: { enum: OPTIONS.logLevel.choices },
      read: TEXT,
    },
    (logLevel): InstallationProps => ({ logLevel: logLevel as 'info' }),
  ),
  setting('admissionDeadlineSeconds', 'Seconds after which a review is answered by `whenUnavailable`, 1 to 29'),
  setting('reservationLeaseSeconds', 'Seconds that a reservation lives for a Service that has not been stored yet'),
  setting('maxReservationsPerNamespace', 'Most reservations of one namespace that are not bound yet'),
];

function setting(name: keyof Settings & keyof typeof OPTIONS, comment: string): ChartValue<InstallationProps> {
  const { min, max, default: usual } = OPTIONS[name] as { min: number; max: number; default: number };
  return optional(
    `settings.${name}`,
    {
      comment: `${comment}; 0 leaves it at ${String(usual)}.`,
      initial: 0,
      schema: numberOrDefault(min, max),
      read: NUMBER,
    },
    (value): InstallationProps => ({ settings: { [name]: value } }),
  );
}

const IMAGE: Values = [
  part<InstallationProps>(
    'image.registry',
    { comment: "Host of the image's registry; empty is the default of the container runtime.", initial: '' },
    (registry) => (registry === '' ? {} : { image: { registry: registry as string } }),
  ),
  handedOn(
    'image.repository',
    { comment: 'Path of the image in its registry.', initial: 'cdk8s-ipam', schema: { minLength: 1 }, read: TEXT },
    (repository): InstallationProps => ({ image: { repository } }),
  ),
  handedOn(
    'image.tag',
    { comment: 'Tag of the image; empty is the version of the chart.', initial: '', read: TEXT },
    (tag): InstallationProps => (tag === '' ? {} : { image: { tag } }),
  ),
  part<InstallationProps>(
    'image.digest',
    {
      comment: 'Digest such as sha256:…; it decides where it is given, the tag is then for people.',
      initial: '',
      schema: { pattern: '^(sha256:[0-9a-f]{64})?$' },
    },
    (digest) => (digest === '' ? {} : { image: { digest: digest as string } }),
  ),
  handedOn(
    'image.pullPolicy',
    {
      comment: 'When the image is pulled.',
      initial: 'IfNotPresent',
      schema: { enum: ['Always', 'IfNotPresent', 'Never'] },
      read: TEXT,
    },
    (pullPolicy): InstallationProps => ({ image: { pullPolicy: pullPolicy as 'Always' } }),
  ),
  optional(
    'imagePullSecrets',
    {
      comment: "Names of Secrets of the operator's namespace with which the image is pulled.",
      initial: [],
      schema: TEXTS,
      read: ITEMS,
    },
    (pullSecrets): InstallationProps => ({ image: { pullSecrets } }),
  ),
];

const SURROUNDINGS: Values = [
  choice(
    'platform',
    {
      comment:
        'On `openshift` the platform chooses users and groups of the Pods, and the namespace asks to be monitored.',
      allowed: ['kubernetes', 'openshift'],
    },
    (platform): InstallationProps => ({ platform }),
  ),
  choice(
    'createNamespace',
    {
      comment:
        'Whether the chart makes the namespace ipam-system. It never does where the release itself is in it, since it is there then.',
      allowed: [true, false],
    },
    (createNamespace): InstallationProps => ({ createNamespace }),
  ),
  choice(
    'networkPolicy.enabled',
    { comment: 'Whether a NetworkPolicy is made.', allowed: [true, false] },
    (enabled): InstallationProps => ({ networkPolicy: { enabled } }),
  ),
  handedOn(
    'networkPolicy.monitoringNamespaces',
    {
      comment:
        'Namespaces that read metrics; on OpenShift give openshift-monitoring and openshift-user-workload-monitoring.',
      initial: ['monitoring'],
      schema: { ...TEXTS, minItems: 1 },
      read: ITEMS,
    },
    (monitoringNamespaces): InstallationProps => ({ networkPolicy: { monitoringNamespaces } }),
  ),
  optional(
    'networkPolicy.apiServerCidrs',
    { comment: 'Networks of the API server; empty is any.', initial: [], schema: TEXTS, read: ITEMS },
    (apiServerCidrs): InstallationProps => ({ networkPolicy: { apiServerCidrs } }),
  ),
  choice(
    'crds.install',
    {
      comment: 'Whether the definitions of our kinds, and the policy that guards them, are a part of the release.',
      allowed: [true, false],
    },
    (install): InstallationProps => ({ crds: { install } }),
  ),
  choice(
    'crds.keep',
    {
      comment: 'Whether the definitions, and so every claim, stay when the release is uninstalled.',
      allowed: [true, false],
    },
    (keep): InstallationProps => ({ crds: { keep } }),
  ),
  handedOn(
    'crds.breakGlassGroup',
    {
      comment: 'Group whose members may change claims by hand in an emergency.',
      initial: 'ipam-break-glass',
      schema: { pattern: '^[A-Za-z0-9:._-]+$' },
      read: TEXT,
    },
    (breakGlassGroup): InstallationProps => ({ crds: { breakGlassGroup } }),
  ),
];

const MONITORING: Values = [
  choice(
    'monitoring.serviceMonitor.enabled',
    { comment: 'A ServiceMonitor; the cluster needs the CRDs of the Prometheus operator.', allowed: [false, true] },
    (enabled, read): InstallationProps =>
      enabled
        ? {
            monitoring: {
              serviceMonitor: {
                interval: read.text('monitoring.serviceMonitor.interval'),
                labels: read.entries('monitoring.serviceMonitor.labels'),
              },
            },
          }
        : {},
  ),
  part('monitoring.serviceMonitor.interval', { comment: 'Time between two reads.', initial: '30s' }),
  part('monitoring.serviceMonitor.labels', {
    comment: 'Labels by which your Prometheus chooses its monitors, for example release: kube-prometheus-stack.',
    initial: {},
    schema: TEXTS_BY_KEY,
  }),
  choice(
    'monitoring.prometheusRule.enabled',
    { comment: 'Alerts; the cluster needs the CRDs of the Prometheus operator.', allowed: [false, true] },
    (enabled, read): InstallationProps =>
      enabled ? { monitoring: { prometheusRule: { labels: read.entries('monitoring.prometheusRule.labels') } } } : {},
  ),
  part('monitoring.prometheusRule.labels', {
    comment: 'Labels by which your Prometheus chooses its rules.',
    initial: {},
    schema: TEXTS_BY_KEY,
  }),
  choice(
    'monitoring.dashboard.enabled',
    { comment: 'A ConfigMap with a dashboard for Grafana.', allowed: [false, true] },
    (enabled, read): InstallationProps =>
      enabled ? { monitoring: { dashboard: { namespace: read.text('monitoring.dashboard.namespace') } } } : {},
  ),
  part('monitoring.dashboard.namespace', {
    comment: 'Namespace in which Grafana looks for dashboards.',
    initial: 'ipam-system',
    schema: { minLength: 1 },
  }),
];

const EXTRA: Values = [
  part<InstallationProps>(
    'extraObjects',
    {
      comment: 'Objects of your own to be installed with the operator; a namespaced one names its namespace.',
      initial: [],
      schema: { items: { type: 'object', required: ['apiVersion', 'kind', 'metadata'] } },
    },
    (objects) => ({ extraObjects: objects as unknown as NonNullable<InstallationProps['extraObjects']> }),
  ),
];

/** What stands for values that templates put together from several. */
export const EXPRESSIONS: Readonly<Record<string, string>> = {
  'image.repository': `include "${HELPERS.repository}" $`,
  'image.tag': `include "${HELPERS.tag}" $`,
};

/**
 * Every value of the chart, with the props that it fills. A new prop of the operator is one more entry in one of the lists:
 * comment and default go to values.yaml, the schema to values.schema.json, the props into the tree that the templates are
 * made of.
 */
export const CHART_VALUES: Values = [
  ...ZONES,
  ...SERVICES,
  ...IMAGE,
  ...STORE_VALUES,
  ...POD_VALUES,
  ...SURROUNDINGS,
  ...MONITORING,
  ...EXTRA,
];
