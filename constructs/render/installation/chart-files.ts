import { OPERATOR_NAMESPACE, WEBHOOK_NAMES } from '../../../operator/contract/group';
import { imageReference, PACKAGE_VERSION } from '../../operator-parts/image';
import { NAMES } from '../../operator-parts/names';
import type { ChartValue } from '../helm/chart-value';
import type { Json } from '../helm/value-reader';
import { valuesSchema, valuesYaml } from '../helm/values-files';
import type { RenderedFiles } from '../kustomize';
import { yamlDocument } from '../yaml';
import { EXTRA_OBJECTS_TPL, HELPERS_TPL } from './chart-helpers';

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

const notes = (): string => `{{ .Chart.Name }} {{ .Chart.AppVersion }} gives addresses of these zones:
{{ range .Values.zones }}
  {{ .name }}: {{ join ", " .prefixes }}
{{- end }}

{{ if .Values.defaultZone -}}
A LoadBalancer Service that names no zone gets an address of {{ .Values.defaultZone }}.
{{- else -}}
A LoadBalancer Service asks with the annotation ipam.vitistack.io/zone; one that asks for nothing is left alone.
{{- end }}
{{- range .Values.zones }}
{{- if eq .name "example" }}

The zone "example" is a placeholder whose addresses nobody routes. Name your own in the value zones:

  helm upgrade {{ $.Release.Name }} … --values my-values.yaml
{{- end }}
{{- end }}

Wait until it is ready (cert-manager and MetalLB have to be there):

  kubectl --namespace ${OPERATOR_NAMESPACE} rollout status deployment/${NAMES.deployment}
{{- if eq .Release.Namespace "${OPERATOR_NAMESPACE}" }}

Helm has made the namespace, so let it refuse careless Pods, as the manifests would:

  kubectl label namespace ${OPERATOR_NAMESPACE} pod-security.kubernetes.io/enforce=restricted
{{- end }}

Should the webhooks stand in the way in an emergency, delete their configurations; Services keep their addresses:

  kubectl delete mutatingwebhookconfiguration ${WEBHOOK_NAMES.mutatingConfiguration}
  kubectl delete validatingwebhookconfiguration ${WEBHOOK_NAMES.validatingConfiguration}

Namespace and volume with every claim stay when the release is uninstalled.
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');
const written = (value: Json): string => `\`${cell(JSON.stringify(value))}\``;

function readme(values: readonly ChartValue<unknown>[]): string {
  const rows = values.map(({ path, initial, comment }) => `| \`${path}\` | ${written(initial)} | ${cell(comment)} |`);
  return `# ${CHART_NAME}

${DESCRIPTION}. The cluster needs Kubernetes 1.30, cert-manager and MetalLB.

    helm install ipam ./${CHART_NAME} --namespace ${OPERATOR_NAMESPACE} --create-namespace --values my-values.yaml

Every object is in the namespace ${OPERATOR_NAMESPACE} (pools: that of MetalLB), whatever the release's own is. Namespace,
volume and definitions stay when the release is uninstalled: they hold who owns which address.

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
    'templates/NOTES.txt': notes(),
    'templates/_helpers.tpl': HELPERS_TPL,
    'templates/extra-objects.yaml': EXTRA_OBJECTS_TPL,
  };
}
