/** Names of the chart's named templates. */
export const HELPERS = {
  repository: 'cdk8s-ipam.repository',
  tag: 'cdk8s-ipam.tag',
  zones: 'cdk8s-ipam.zones',
  pool: 'cdk8s-ipam.poolPrefixes',
  advertisements: 'cdk8s-ipam.advertisements',
} as const;

/** What templates know and the tree does not: texts put together from several values, and what becomes of each zone. */
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
{{- $document := dict "version" 1 "zones" $zones }}
{{- with .Values.defaultZone }}{{ $_ := set $document "services" (dict "defaultZone" .) }}{{ end }}
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
{{- $usable := concat (ternary $v4 list (has "IPv4" $families)) (ternary $v6 list (has "IPv6" $families)) }}
{{- if not $usable }}
{{- fail (printf "zone %q has no prefix that this cluster can use: clusterFamilies is %s; add a prefix or remove the zone" $zone.name (join " and " $families)) }}
{{- end }}
{{- toJson $usable }}
{{- end }}

{{/* Settings of each advertisement of a zone; takes a list of the kind (l2 or bgp) and the zone, gives a JSON list. */}}
{{- define "${HELPERS.advertisements}" -}}
{{- $kind := index . 0 }}
{{- $zone := index . 1 }}
{{- $word := $zone.advertise | default (ternary (ternary "both" "bgp" (hasKey $zone "l2")) "l2" (hasKey $zone "bgp")) }}
{{- if has $word (list $kind "both") }}{{ toJson (ternary (get $zone $kind) (list dict) (hasKey $zone $kind)) }}{{ else }}[]{{ end }}
{{- end }}
`;

/** Objects of the user, as they are. */
export const EXTRA_OBJECTS_TPL = `{{- range .Values.extraObjects }}
---
{{ toYaml . }}
{{- end }}
`;
