import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { DEFAULT_BREAK_GLASS_GROUP } from '../../operator/crds/crds-props';
import type { DashboardProps } from '../../operator/monitoring/monitoring-props';
import type { OperatorZone } from '../../operator/zones/zone-pools-props';
import { choice, handedOn, ITEMS, optional, part, TEXT, type ChartValue } from '../helm/chart-value';
import type { HelmSource } from '../helm/source';
import { valueAt, type Json, type ValueReader } from '../helm/value-reader';
import { API_SOURCES, API_VALUES } from './api-values';
import { HELPERS } from './chart-helpers';
import { EXAMPLE_ZONES, type InstallationProps } from './installation';
import { EGRESS_VALUES } from './egress-values';
import { METRICS_VALUES } from './metrics-values';
import { NETWORKS_VALUES } from './networks-values';
import { POD_VALUES } from './pod-values';
import { RELATED_SYSTEM_SOURCES, RELATED_SYSTEM_VALUES } from './related-system-values';
import { SERVICE_VALUES, SETTING_VALUES } from './service-values';
import { STORE_VALUES } from './store-values';
import {
  ANNOTATIONS,
  FAMILIES,
  IMAGE_PARTS,
  LABELS,
  NAMES_OF_OBJECTS,
  NAMESPACE,
  NAMESPACES,
  PORT,
  TEXTS,
} from './value-schemas';
import { VIPS_VALUES } from './vips-values';
import { zonesSchema } from './zones-schema';

type Values = readonly ChartValue<InstallationProps>[];

const ZONES: Values = [
  part<InstallationProps>(
    'zones',
    {
      comment:
        'Zones: names for the addresses that may be given out. Replace the example. Each has `name` and `prefixes`, and may have `network`, `excluded`, `namespaces`, `quarantineSeconds`, `quota` and `draining`, or `fromNetBox` in place of prefixes; for MetalLB `advertise` (l2, bgp, both or none) and `l2` and `bgp` with settings of advertisements.',
      initial: JSON.parse(JSON.stringify(EXAMPLE_ZONES)) as Json,
      schema: zonesSchema(),
    },
    (zones) => ({ zones: zones as unknown as readonly OperatorZone[] }),
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
        'Writer of the MetalLB pool of a zone: `prefixes` is this chart, with all of the zone in it; `claims` is the operator, with the addresses that are in use. `whenUnavailable: admit` needs `claims`.',
      allowed: ['prefixes', 'claims'],
    },
    (zonePools): InstallationProps => ({ zonePools }),
  ),
];

const IMAGE: Values = [
  part<InstallationProps>(
    'image.registry',
    {
      comment: "Host of the image's registry; empty is the default of the container runtime.",
      initial: '',
      schema: IMAGE_PARTS.registry,
    },
    (registry) => (registry === '' ? {} : { image: { registry: registry as string } }),
  ),
  handedOn(
    'image.repository',
    {
      comment: 'Path of the image in its registry.',
      initial: 'cdk8s-ipam',
      schema: IMAGE_PARTS.repository,
      read: TEXT,
    },
    (repository): InstallationProps => ({ image: { repository } }),
  ),
  handedOn(
    'image.tag',
    {
      comment: 'Tag of the image; empty is the version of the chart.',
      initial: '',
      schema: IMAGE_PARTS.tag,
      read: TEXT,
    },
    (tag): InstallationProps => (tag === '' ? {} : { image: { tag } }),
  ),
  part<InstallationProps>(
    'image.digest',
    {
      comment: 'Digest such as sha256:…; it decides where it is given, the tag is then for people.',
      initial: '',
      schema: IMAGE_PARTS.digest,
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
      schema: NAMES_OF_OBJECTS,
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
        'Namespaces that read metrics; empty is monitoring, on OpenShift openshift-monitoring and openshift-user-workload-monitoring.',
      initial: [],
      schema: NAMESPACES,
      read: ITEMS,
    },
    (monitoringNamespaces): InstallationProps =>
      monitoringNamespaces.length === 0 ? {} : { networkPolicy: { monitoringNamespaces } },
  ),
  optional(
    'networkPolicy.apiServerCidrs',
    { comment: 'Networks of the API server; empty is any.', initial: [], schema: TEXTS, read: ITEMS },
    (apiServerCidrs): InstallationProps => ({ networkPolicy: { apiServerCidrs } }),
  ),
  handedOn(
    'networkPolicy.apiServerPorts',
    {
      comment: 'Ports of the API server: that of its Service and that behind it.',
      initial: [443, 6443],
      schema: { items: { type: 'integer', ...PORT }, minItems: 1, uniqueItems: true },
      // any item will do: the templates write it as it is
      read: (read, path) => read.items(path) as unknown as readonly number[],
    },
    (apiServerPorts): InstallationProps => ({ networkPolicy: { apiServerPorts } }),
  ),
  part<InstallationProps>(
    'networkPolicy.storeCidrs',
    { comment: 'Networks of PostgreSQL or of the remote IPAM-API; empty is any.', initial: [], schema: TEXTS },
    (storeCidrs) => ({ networkPolicy: { storeCidrs: storeCidrs as readonly string[] } }),
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
      initial: DEFAULT_BREAK_GLASS_GROUP,
      schema: { pattern: '^[A-Za-z0-9:._-]+$' },
      read: TEXT,
    },
    (breakGlassGroup): InstallationProps => ({ crds: { breakGlassGroup } }),
  ),
];

const MONITORING: Values = [
  ...METRICS_VALUES,
  choice(
    'monitoring.prometheusRule.enabled',
    { comment: 'Alerts; the cluster needs the CRDs of the Prometheus operator.', allowed: [false, true] },
    (enabled, read): InstallationProps =>
      enabled
        ? {
            monitoring: {
              prometheusRule: {
                nearlyFullPercent: read.number('monitoring.prometheusRule.nearlyFullPercent'),
                labels: read.entries('monitoring.prometheusRule.labels'),
              },
            },
          }
        : {},
  ),
  part('monitoring.prometheusRule.nearlyFullPercent', {
    comment:
      'Share of the addresses of a zone, an IPGroup or an IPPrefix in use, in percent from 1 to 99, above which `IpamZoneNearlyFull`, `IpamGroupNearlyFull` or `IpamPrefixNearlyFull` fires.',
    initial: 90,
    schema: { minimum: 1, maximum: 99 },
  }),
  part('monitoring.prometheusRule.labels', {
    comment: 'Labels by which your Prometheus chooses its rules.',
    initial: {},
    schema: LABELS,
  }),
  choice(
    'monitoring.dashboard.enabled',
    { comment: 'A ConfigMap with a dashboard for Grafana.', allowed: [false, true] },
    (enabled, read): InstallationProps => (enabled ? { monitoring: { dashboard: dashboard(read) } } : {}),
  ),
  part('monitoring.dashboard.namespace', {
    comment: 'Namespace in which Grafana looks for dashboards.',
    initial: OPERATOR_NAMESPACE,
    schema: NAMESPACE,
  }),
  part('monitoring.dashboard.labels', {
    comment: "Labels by which Grafana's sidecar finds dashboards.",
    initial: { grafana_dashboard: '1' },
    schema: LABELS,
  }),
  part('monitoring.dashboard.annotations', {
    comment: 'Annotations, for example the folder that the sidecar puts the dashboard into.',
    initial: {},
    schema: ANNOTATIONS,
  }),
];

function dashboard(read: ValueReader): DashboardProps {
  const annotations = read.entries('monitoring.dashboard.annotations');
  return {
    namespace: read.text('monitoring.dashboard.namespace'),
    labels: read.entries('monitoring.dashboard.labels'),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

const EXTRA: Values = [
  part<InstallationProps>(
    'extraObjects',
    {
      comment: 'Objects of your own to be installed with the operator; a namespaced one names its namespace.',
      initial: [],
      schema: {
        items: {
          type: 'object',
          required: ['apiVersion', 'kind', 'metadata'],
          properties: {
            apiVersion: { type: 'string', pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?v[a-z0-9]+$' },
            kind: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]*$' },
            metadata: { type: 'object', required: ['name'] },
          },
        },
      },
    },
    (objects) => ({ extraObjects: objects as unknown as NonNullable<InstallationProps['extraObjects']> }),
  ),
];

/** Expressions for values that templates put together from several, or leave out. */
export const SOURCES: Readonly<Record<string, HelmSource>> = {
  'image.repository': { expression: `include "${HELPERS.repository}" $` },
  'image.tag': { expression: `include "${HELPERS.tag}" $` },
  'networkPolicy.monitoringNamespaces': {
    expression: '$item',
    each: { variable: '$item', over: `include "${HELPERS.monitors}" $ | fromJsonArray` },
  },
  'monitoring.dashboard.annotations': {
    expression: valueAt('monitoring.dashboard.annotations'),
    when: valueAt('monitoring.dashboard.annotations'),
  },
  ...API_SOURCES,
  ...RELATED_SYSTEM_SOURCES,
};

/**
 * Every value of the chart, with the props that it fills. A new prop of the operator is one more entry in one of the lists:
 * comment and default go to values.yaml, the schema to values.schema.json, the props into the tree that the templates are
 * made of.
 */
export const CHART_VALUES: Values = [
  ...ZONES,
  ...SERVICE_VALUES,
  ...SETTING_VALUES,
  ...IMAGE,
  ...STORE_VALUES,
  ...RELATED_SYSTEM_VALUES,
  ...API_VALUES,
  ...POD_VALUES,
  ...SURROUNDINGS,
  ...VIPS_VALUES,
  ...NETWORKS_VALUES,
  ...EGRESS_VALUES,
  ...MONITORING,
  ...EXTRA,
];
