import { METALLB_NAMESPACE, OPERATOR_NAMESPACE, WEBHOOK_NAMES } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { imageReference, PACKAGE_VERSION } from '../../operator/pod/image';
import type { ChartValue } from '../helm/chart-value';
import type { Json } from '../helm/value-reader';
import { valuesSchema, valuesYaml } from '../helm/values-files';
import type { RenderedFiles } from '../objects/kustomize';
import { yamlDocument } from '../objects/yaml';
import { EXTRA_OBJECTS_TPL, HELPERS_TPL } from './chart-helpers';
import { CHECK_FILES } from './checks/chart-checks';

/** Name of the chart and of its folder. */
export const CHART_NAME = 'cdk8s-ipam';

const DESCRIPTION = 'IP address management for Kubernetes: addresses for LoadBalancer Services, with an owner each';
// webhooks with matchConditions
const KUBE_VERSION = '>=1.30.0-0';

const chartYaml = (): string =>
  yamlDocument({
    apiVersion: 'v2',
    name: CHART_NAME,
    description: DESCRIPTION,
    type: 'application',
    version: PACKAGE_VERSION,
    appVersion: PACKAGE_VERSION,
    kubeVersion: KUBE_VERSION,
    keywords: ['ipam', 'loadbalancer', 'metallb', 'networking', 'operator'],
    annotations: {
      'artifacthub.io/category': 'networking',
      'artifacthub.io/license': 'Apache-2.0',
      'artifacthub.io/operator': 'true',
      'artifacthub.io/operatorCapabilities': 'Basic Install',
      'artifacthub.io/prerelease': String(PACKAGE_VERSION.startsWith('0.')),
      'artifacthub.io/images': yamlDocument([{ name: 'operator', image: imageReference() }]),
      'artifacthub.io/recommendations': yamlDocument([
        { url: 'https://artifacthub.io/packages/helm/cert-manager/cert-manager' },
        { url: 'https://artifacthub.io/packages/helm/metallb/metallb' },
      ]),
    },
  });

const NOTES = `{{ $served := or .Values.services.enabled .Values.ipamApi.expose.enabled -}}
{{ if .Values.vips.enabled -}}
{{ .Chart.Name }} {{ .Chart.AppVersion }}: LoadBalancer Services of {{ join ", " .Values.vips.loadBalancerClasses }}
{{- if .Values.vips.classless }}{{ if .Values.vips.loadBalancerClasses }} and {{ end }}no class{{ end }} get addresses of IPGroups.
{{ end }}
{{- if .Values.networks.enabled -}}
{{ .Chart.Name }} {{ .Chart.AppVersion }}: NetworkInstances, IPPrefixes and IPAllocations of ipam.nephio.org are served.
{{ end }}
{{- if .Values.egress.enabled -}}
{{ .Chart.Name }} {{ .Chart.AppVersion }}: Namespaces that opt in to an EgressIPAM of redhatcop.redhat.io are given its addresses.
{{ end }}
{{- if $served -}}
{{ .Chart.Name }} {{ .Chart.AppVersion }} gives addresses of these zones:
{{ range .Values.zones }}
  {{ .name }}: {{ if .fromNetBox }}what NetBox has for it{{ else }}{{ join ", " .prefixes }}{{ end }}
{{- end }}

{{ if not .Values.services.enabled -}}
LoadBalancer Services are not served (services.enabled).
{{- else if .Values.services.defaultZone -}}
A LoadBalancer Service that names no zone gets an address of {{ .Values.services.defaultZone }}.
{{- else -}}
A LoadBalancer Service asks with the annotation ipam.vitistack.io/zone; one that asks for nothing is left alone.
{{- end }}
{{- range .Values.zones }}
{{- if eq .name "example" }}

The zone "example" is a placeholder whose addresses are not routed. Name your own in the value zones:

  helm upgrade {{ $.Release.Name }} … --values my-values.yaml
{{- end }}
{{- end }}
{{- end }}

Wait until it is ready{{ if $served }} (MetalLB{{ if eq .Values.certificates "cert-manager" }} and cert-manager have{{ else }} has{{ end }} to be there){{ end }}:

  kubectl --namespace ${OPERATOR_NAMESPACE} rollout status deployment/${NAMES.deployment}
{{- if eq .Release.Namespace "${OPERATOR_NAMESPACE}" }}

Helm has made the namespace, so let it refuse careless Pods, as the manifests would:

  kubectl label namespace ${OPERATOR_NAMESPACE} pod-security.kubernetes.io/enforce=restricted
{{- else }}

Every object is in the namespace ${OPERATOR_NAMESPACE}{{ if .Values.services.enabled }} (pools: ${METALLB_NAMESPACE}), which the webhooks and the operator know by name{{ end }};
{{ .Release.Namespace }} holds only Helm's record of the release. A cluster has one release of this chart.
{{- end }}
{{- $secrets := list }}
{{- if eq .Values.store.kind "postgres" }}{{ $secrets = append $secrets .Values.store.postgres.connectionSecret }}{{ end }}
{{- if and (eq .Values.store.kind "postgres") .Values.store.postgres.caSecret }}{{ $secrets = append $secrets .Values.store.postgres.caSecret }}{{ end }}
{{- if and (eq .Values.store.kind "remote") .Values.store.remote.tokenSecret }}{{ $secrets = append $secrets .Values.store.remote.tokenSecret }}{{ end }}
{{- if and (eq .Values.store.kind "remote") .Values.store.remote.caSecret }}{{ $secrets = append $secrets .Values.store.remote.caSecret }}{{ end }}
{{- if and .Values.ipamApi.expose.enabled .Values.ipamApi.expose.certificateSecret }}{{ $secrets = append $secrets .Values.ipamApi.expose.certificateSecret }}{{ end }}
{{- with $secrets }}

The Pods start once ${OPERATOR_NAMESPACE} has these Secrets: {{ join ", " . }}.
{{- end }}
{{- if .Values.ipamApi.expose.enabled }}

Other clusters reach the IPAM-API at the Service ${NAMES.ipamApiService}, port {{ .Values.ipamApi.expose.port }}, over TLS.
{{- if .Values.ipamApi.expose.allowAnonymousV2 }}
Every client that reaches it may take and give back addresses without a login (allowAnonymousV2).
{{- end }}
{{- end }}

{{- if $served }}

Change zones in the values: this chart refuses what could not work. Of a ConfigMap that was changed by hand the operator
refuses the same; it then keeps the last good zones, or does not start, and its log names every problem.
{{- end }}
{{- if .Values.services.enabled }}

Should the webhooks stand in the way in an emergency, delete their configurations; Services keep their addresses:

  kubectl delete mutatingwebhookconfiguration ${WEBHOOK_NAMES.mutatingConfiguration}
  kubectl delete validatingwebhookconfiguration ${WEBHOOK_NAMES.validatingConfiguration}
{{- end }}

{{ if eq .Values.store.kind "objects" }}Namespace and definitions, with every object of our kinds, stay{{ else }}Namespace and volume with every claim, and pools with their advertisements, stay{{ end }} when the release is uninstalled.
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');
const written = (value: Json): string => `\`${cell(JSON.stringify(value))}\``;

function readme(values: readonly ChartValue<unknown>[]): string {
  const rows = values.map(({ path, initial, comment }) => `| \`${path}\` | ${written(initial)} | ${cell(comment)} |`);
  return `# ${CHART_NAME}

${DESCRIPTION}. The cluster needs Kubernetes 1.30, MetalLB, and cert-manager unless \`certificates\` is \`self-managed\`.

    helm install ipam ./${CHART_NAME} --namespace ${OPERATOR_NAMESPACE} --create-namespace --values my-values.yaml

## Namespace

Every object is in the namespace ${OPERATOR_NAMESPACE} (pools: ${METALLB_NAMESPACE}): webhooks, certificates and the operator know it by
name. The release may be in any namespace, which then holds no more than Helm's record. A cluster has one release, since
cluster-wide objects have fixed names; Helm refuses a second one. Namespace, volume, definitions, pools and advertisements stay when the
release is uninstalled: without them addresses would be withdrawn, and their holders forgotten.

## What is refused

\`helm template\`, \`install\`, \`upgrade\` and \`lint\` refuse mistyped keys and values of a wrong form by \`values.schema.json\`. What
a schema cannot say is said by templates, in the words of the constructs and all at once: prefixes with host bits or of
addresses that cannot be assigned, prefixes and zones that overlap, excluded addresses outside of a zone, names that are given twice, a
default zone that does not exist, a zone without a family of the cluster, advertisements that MetalLB would not take,
\`whenUnavailable: admit\` without \`zonePools: claims\`, a remote store without URL or token, secrets in plain variables. The operator
checks the zones again at its start and at each change; of a changed document that is wrong it takes nothing.

## Values

| value | default | meaning |
| --- | --- | --- |
${rows.join('\n')}
`;
}

/**
 * Writes what a chart has beside its templates.
 *
 * @param values - what users may set
 * @returns the files by their path inside of the chart
 */
export function chartFiles(values: readonly ChartValue<unknown>[]): RenderedFiles {
  return {
    'Chart.yaml': chartYaml(),
    'README.md': readme(values),
    'values.yaml': valuesYaml(values),
    'values.schema.json': valuesSchema(values),
    'templates/NOTES.txt': NOTES,
    'templates/_helpers.tpl': HELPERS_TPL,
    'templates/extra-objects.yaml': EXTRA_OBJECTS_TPL,
    ...CHECK_FILES,
  };
}
