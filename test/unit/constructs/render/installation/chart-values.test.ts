import { joinedProps } from '../../../../../constructs/render/helm/helm-templates';
import type { Json } from '../../../../../constructs/render/helm/value-reader';
import { CHART_VALUES } from '../../../../../constructs/render/installation/chart-values';
import type { InstallationProps } from '../../../../../constructs/render/installation/installation';
import type { IpamOperatorProps } from '../../../../../constructs/operator/ipam-operator-props';
import type { EgressDoorProps } from '../../../../../constructs/operator/egress-door/egress-door-props';
import { isMap } from '../../../../../operator/contract/loose-json';
import { changed, DEFAULTS, realReader, valueIn, type Values } from '../../../../support/helm-release';
import { CHART_SAMPLES } from '../../../../support/helm-samples';

/** Every prop of a type, with those inside of it where they are listed; the compiler keeps it complete. */
type Listed<P> = { readonly [K in keyof Required<P>]: true | Listed<NonNullable<P[K]>> };

const SECRET = { name: true, key: true } as const;
/** Props of the operator that values of the chart fill. `cluster` tells clusters of one app apart, and a release has one; `egress.cloud` is for the constructs alone. */
const PROPS: Listed<
  Omit<IpamOperatorProps, 'cluster' | 'egress'> & { readonly egress: Omit<EgressDoorProps, 'cloud'> }
> = {
  zones: true,
  vips: {
    enabled: true,
    loadBalancerClasses: true,
    classless: true,
    besideMetalLbClass: true,
    orphanGraceSeconds: true,
    foreignAnnotations: true,
    migration: true,
  },
  clusterApi: { enabled: true },
  egress: { enabled: true, dataplanes: true, usePermission: true, whenUnavailable: true },
  networks: {
    enabled: true,
    orphanGraceSeconds: true,
    grpc: { certificateSecret: true, audience: true, allowAnonymous: true },
    ownerKinds: true,
  },
  services: {
    enabled: true,
    defaultZone: true,
    loadBalancerClasses: true,
    occupiedClasses: true,
    excludedNamespaces: true,
  },
  whenUnavailable: true,
  clusterFamilies: true,
  image: { registry: true, repository: true, tag: true, digest: true, pullPolicy: true, pullSecrets: true },
  store: {
    sqlite: { size: true, storageClassName: true },
    postgres: { connection: SECRET, ca: SECRET, port: true },
    remote: { url: true, apiVersion: true, token: SECRET, ca: SECRET, certificateSecret: true },
    objects: true,
  },
  netbox: { url: true, token: SECRET, ca: SECRET, tag: true, fields: true, refreshSeconds: true, adopt: true },
  cleanupEvents: { url: true, token: SECRET, ca: SECRET },
  splunk: { url: true, token: SECRET, ca: SECRET, index: true, source: true, sourcetype: true },
  replicas: true,
  certificates: true,
  ipamApi: {
    expose: {
      port: true,
      serviceType: true,
      serviceAnnotations: true,
      dnsNames: true,
      issuer: { name: true, kind: true, group: true },
      certificateSecret: true,
      clients: { secret: SECRET, configMap: SECRET },
      clientCa: SECRET,
      allowAnonymousV2: true,
      deadlineSeconds: true,
    },
  },
  networkPolicy: {
    enabled: true,
    monitoringNamespaces: true,
    apiServerCidrs: true,
    apiServerPorts: true,
    storeCidrs: true,
    netboxCidrs: true,
    cleanupEventsCidrs: true,
    splunkCidrs: true,
  },
  platform: true,
  createNamespace: true,
  settings: {
    admissionDeadlineSeconds: true,
    reservationLeaseSeconds: true,
    maxReservationsPerNamespace: true,
    shutdownDelaySeconds: true,
    historyDays: true,
    historyRowsPerNamespace: true,
    recoverableSecrets: true,
    clusterId: true,
    namespacePreset: true,
  },
  crds: { install: true, keep: true, breakGlassGroup: true },
  monitoring: {
    secure: { certificateSecret: true },
    serviceMonitor: { interval: true, labels: true, token: SECRET },
    prometheusRule: { nearlyFullPercent: true, labels: true },
    dashboard: { namespace: true, labels: true, annotations: true },
  },
  extraObjects: true,
  logLevel: true,
  zonePools: true,
  priorityClassName: true,
  resources: { cpuRequest: true, cpuLimit: true, memoryRequest: true, memoryLimit: true },
  nodeSelector: true,
  tolerations: true,
  affinity: true,
  topologySpread: true,
  extraEnv: true,
  podAnnotations: true,
  podLabels: true,
};

/** Paths of what a table lists, in the given props. */
function filled(table: object, props: unknown, at = ''): readonly string[] {
  return Object.entries(table).flatMap(([key, inner]: [string, true | object]) => {
    const value = isMap(props) ? props[key] : undefined;
    const path = `${at}${key}`;
    return inner === true ? (value === undefined ? [] : [path]) : filled(inner, value, `${path}.`);
  });
}

function listed(table: object, at = ''): readonly string[] {
  return Object.entries(table).flatMap(([key, inner]: [string, true | object]) =>
    inner === true ? [`${at}${key}`] : listed(inner, `${at}${key}.`),
  );
}

describe('the values of the chart', () => {
  test('fill every prop of the operator', () => {
    const all = Object.entries(CHART_SAMPLES).reduce<Values>(
      (values, [path, { value }]) => changed(values, path, value),
      DEFAULTS,
    );
    const propsOf = (values: Json): readonly InstallationProps[] =>
      CHART_VALUES.map((value) => value.props(valueIn(values, value.path) ?? null, realReader(values)));
    // a release has one store
    const stores = ['sqlite', 'postgres', 'remote', 'objects'].flatMap((kind) =>
      propsOf(changed(all, 'store.kind', kind)),
    );
    expect(filled(PROPS, joinedProps(stores))).toEqual(listed(PROPS));
  });

  test('say what they mean, and name themselves only once', () => {
    expect(CHART_VALUES.filter(({ comment }) => !/^[A-Z].*\.$/u.test(comment)).map(({ path }) => path)).toEqual([]);
    expect(new Set(CHART_VALUES.map(({ path }) => path)).size).toBe(CHART_VALUES.length);
  });
});
