import { SELF_SIGNED_SECRET } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { secureEndpoint } from '../../operator/monitoring/endpoint-security';
import { networksGrpcProcess } from '../../operator/networks-grpc/networks-grpc-process';
import { podFieldVariables } from '../../operator/pod/environment';
import { scheduling } from '../../operator/pod/scheduling';
import type { SecretKeyReference } from '../../props-kit/secret-key';

/** Names of the chart's named templates. */
export const HELPERS = {
  repository: 'cdk8s-ipam.repository',
  tag: 'cdk8s-ipam.tag',
  zones: 'cdk8s-ipam.zones',
  pool: 'cdk8s-ipam.poolPrefixes',
  advertisements: 'cdk8s-ipam.advertisements',
  monitors: 'cdk8s-ipam.monitoringNamespaces',
  variables: 'cdk8s-ipam.extraEnv',
  spread: 'cdk8s-ipam.topologySpread',
  blocks: 'cdk8s-ipam.blocks',
  port: 'cdk8s-ipam.portOfUrl',
  ownerRules: 'cdk8s-ipam.ownerRules',
  endpointSecurity: 'cdk8s-ipam.endpointSecurity',
  netboxFields: 'cdk8s-ipam.netboxFields',
} as const;

// How the constructs spread several Pods; a raw string of Go holds it, since no label has a backquote.
const usualSpread = (): string => {
  const several = scheduling({ store: { postgres: { connection: { name: 'any' } } } });
  return `\`${JSON.stringify(several.topologySpreadConstraints)}\``;
};

// The fields of the Pod that the gRPC API of networks reads, as the constructs write them.
const podFields = (): string => `\`${JSON.stringify(podFieldVariables([networksGrpcProcess({})]))}\``;

// How Prometheus connects, as the constructs write it, with verbs of `printf` for Secret, and for name and key of the token.
const secureEndpointText = (token?: SecretKeyReference): string =>
  `\`${JSON.stringify(secureEndpoint('%q', token)).replaceAll('"%q"', '%q')}\``;

/** Helpers of the templates beside the tree: texts put together from several values, and the objects of each zone. */
export const HELPERS_TPL = `{{/* Image without tag: registry and repository. */}}
{{- define "${HELPERS.repository}" -}}
{{- with .Values.image.registry }}{{ regexReplaceAll "/+$" . "" }}/{{ end }}{{ .Values.image.repository }}
{{- end }}

{{/* Tag of the image, with the digest behind it where there is one. */}}
{{- define "${HELPERS.tag}" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* The zones document, without what is meant for MetalLB. */}}
{{- define "${HELPERS.zones}" -}}
{{- $zones := list }}
{{- range .Values.zones }}{{ $zones = append $zones (omit . "advertise" "l2" "bgp") }}{{ end }}
{{- $document := dict "version" 2 "zones" $zones }}
{{- with .Values.services.defaultZone }}{{ $_ := set $document "services" (dict "defaultZone" .) }}{{ end }}
{{- toYaml $document }}
{{- end }}

{{/* Prefixes of a zone that the cluster can use, IPv4 first; takes a list of root and zone, gives a JSON list. */}}
{{- define "${HELPERS.pool}" -}}
{{- $families := (index . 0).Values.clusterFamilies }}
{{- $zone := index . 1 }}
{{- $v4 := list }}
{{- $v6 := list }}
{{- range $zone.prefixes }}
{{- if contains ":" . }}{{ $v6 = append $v6 . }}{{ else }}{{ $v4 = append $v4 . }}{{ end }}
{{- end }}
{{- concat (ternary $v4 list (has "IPv4" $families)) (ternary $v6 list (has "IPv6" $families)) | toJson }}
{{- end }}

{{/* Settings of each advertisement of a zone; takes a list of the kind (l2 or bgp) and the zone, gives a JSON list. */}}
{{- define "${HELPERS.advertisements}" -}}
{{- $kind := index . 0 }}
{{- $zone := index . 1 }}
{{- $word := $zone.advertise | default (ternary (ternary "both" "bgp" (hasKey $zone "l2")) "l2" (hasKey $zone "bgp")) }}
{{- if has $word (list $kind "both") }}{{ toJson (ternary (get $zone $kind) (list dict) (hasKey $zone $kind)) }}{{ else }}[]{{ end }}
{{- end }}

{{/* Namespaces that read metrics, as a JSON list. */}}
{{- define "${HELPERS.monitors}" -}}
{{- $usual := ternary (list "openshift-monitoring" "openshift-user-workload-monitoring") (list "monitoring") (eq .Values.platform "openshift") }}
{{- .Values.networkPolicy.monitoringNamespaces | default $usual | toJson }}
{{- end }}

{{/* Variables of the process, as a JSON list. */}}
{{- define "${HELPERS.variables}" -}}
{{- $variables := list }}
{{- if and .Values.networks.enabled .Values.networks.grpc.enabled }}
{{- $variables = concat $variables (${podFields()} | fromJsonArray) }}
{{- end }}
{{- range .Values.extraEnv }}
{{- if hasKey . "secret" }}
{{- $reference := merge (dict) .secret (dict "key" .name) }}
{{- $variables = append $variables (dict "name" .name "valueFrom" (dict "secretKeyRef" $reference)) }}
{{- else }}
{{- $variables = append $variables (dict "name" .name "value" (.value | default "")) }}
{{- end }}
{{- end }}
{{- toJson $variables }}
{{- end }}

{{/* Rights on the owners of IPAllocations, as a JSON list. */}}
{{- define "${HELPERS.ownerRules}" -}}
{{- $rules := list }}
{{- range .Values.networks.ownerKinds }}
{{- $parts := splitn "." 2 . }}
{{- $rules = append $rules (dict "apiGroups" (list ($parts._1 | default "")) "resources" (list $parts._0) "verbs" (list "get")) }}
{{- end }}
{{- toJson $rules }}
{{- end }}

{{/* How Pods are spread, as a JSON list. */}}
{{- define "${HELPERS.spread}" -}}
{{- $several := has .Values.store.kind (list "postgres" "remote" "objects") | and (gt (int (get .Values.store .Values.store.kind).replicas) 1) }}
{{- if not .Values.topologySpread.enabled }}[]
{{- else if .Values.topologySpread.constraints }}{{ toJson .Values.topologySpread.constraints }}
{{- else if $several }}{{ ${usualSpread()} }}
{{- else }}[]
{{- end }}
{{- end }}

{{/* Networks as peers of a NetworkPolicy, a JSON list. */}}
{{- define "${HELPERS.blocks}" -}}
{{- $peers := list }}
{{- range . }}{{ $peers = append $peers (dict "ipBlock" (dict "cidr" .)) }}{{ end }}
{{- toJson $peers }}
{{- end }}

{{/* Port of a server, from its URL. */}}
{{- define "${HELPERS.port}" -}}
{{- regexFind ":[0-9]+$" (regexFind "^https://[^/]*" .) | trimPrefix ":" | default "443" }}
{{- end }}

{{/* How Prometheus connects, as JSON. */}}
{{- define "${HELPERS.endpointSecurity}" -}}
{{- $monitor := .Values.monitoring.serviceMonitor }}
{{- $secure := .Values.monitoring.secure }}
{{- $usual := ternary "${SELF_SIGNED_SECRET}" "${NAMES.metricsSecret}" (eq .Values.certificates "self-managed") }}
{{- $secret := $secure.certificateSecret | default $usual }}
{{- if not $secure.enabled }}{"scheme":"http"}
{{- else if $monitor.tokenSecret }}{{ printf ${secureEndpointText({ name: '%q', key: '%q' })} $secret $monitor.tokenSecret $monitor.tokenKey }}
{{- else }}{{ printf ${secureEndpointText()} $secret }}
{{- end }}
{{- end }}

{{/* Custom fields of NetBox as the operator reads them. */}}
{{- define "${HELPERS.netboxFields}" -}}
{{- $fields := list }}
{{- range $name, $value := .Values.netbox.fields }}{{ $fields = append $fields (printf "%s=%s" $name $value) }}{{ end }}
{{- sortAlpha $fields | join "," }}
{{- end }}
`;

/** Objects of the user, as they are. */
export const EXTRA_OBJECTS_TPL = `{{- range .Values.extraObjects }}
---
{{ toYaml . }}
{{- end }}
`;
