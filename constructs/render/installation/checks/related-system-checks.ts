import { RELATED_SYSTEM_NAMES } from '../../../operator/process/servers';

/** Named template that lists what is wrong with the servers beside the operator. */
export const RELATED_SYSTEM_PROBLEMS = 'cdk8s-ipam.neighbourProblems';

const NAMES = RELATED_SYSTEM_NAMES.map((name) => JSON.stringify(name)).join(' ');

/** The template, in the words of the operator; neither tokens nor a URL with a login in it are ever shown. */
export const RELATED_SYSTEM_CHECKS = `
{{/* What is wrong with the URL of a server; takes its name and the URL. */}}
{{- define "cdk8s-ipam.neighbourUrlProblem" -}}
{{- $name := index . 0 }}
{{- $url := index . 1 }}
{{- $authority := regexReplaceAll "^https?://([^/?#]*).*$" $url "\${1}" }}
{{- $safe := or (hasPrefix "https://" $url) (regexMatch "^http://(localhost|127[.]0[.]0[.]1|[[]::1[]])(:[0-9]{1,5})?([/?#]|$)" $url) }}
{{- if regexMatch "^https?://[^/?#]*@" $url }}
{{- printf "%s.url: a URL must not hold a login; give the token as a file" $name }}
{{- else if not (and $safe (regexMatch "^[^[:space:]]+$" $url) (regexMatch "^([A-Za-z0-9._-]+|[[][0-9A-Fa-f:.]+[]])(:[0-9]{1,5})?$" $authority)) }}
{{- if eq $name "netbox" }}
{{- printf "%s.url: %snot a URL with https://" $name (contains "@" $url | ternary "" (printf "%q is " $url)) }}
{{- else }}
{{- printf "%s.url: %s is not a URL with https://, nor with http:// on this very machine" $name (contains "@" $url | ternary "the value" (printf "%q" $url)) }}
{{- end }}
{{- else if eq $name "netbox" }}
{{- if regexMatch "[?#]" $url }}
{{- printf "%s.url: %q has a query or fragment; give scheme, host and path only" $name $url }}
{{- else if regexMatch "/api/*$" $url }}
{{- printf "%s.url: %q ends with /api, which is added; leave it out" $name $url }}
{{- end }}
{{- end }}
{{- end }}

{{/* What is wrong with NetBox, clean-up events and Splunk. */}}
{{- define "${RELATED_SYSTEM_PROBLEMS}" -}}
{{- $problems := list }}
{{- range $name := list ${NAMES} }}
{{- $server := get $.Values $name }}
{{- if $server.url }}
{{- with include "cdk8s-ipam.neighbourUrlProblem" (list $name $server.url) }}
{{- $problems = append $problems . }}
{{- end }}
{{- end }}
{{- range $secret := list "token" "ca" }}
{{- $path := printf "%s.%s" $name $secret }}
{{- with get $server (printf "%sSecret" $secret) }}
{{- if $server.url }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list (printf "%sSecret" $path) . (printf "%sKey" $path) (get $server (printf "%sKey" $secret))) | fromJsonArray) }}
{{- else }}
{{- $problems = append $problems (printf "%sSecret needs %s.url, which is not set" $path $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.splunk.url (not .Values.splunk.tokenSecret) }}
{{- $problems = append $problems "splunk.url needs splunk.tokenSecret, which is not set" }}
{{- end }}
{{- if .Values.netbox.url }}
{{- if not .Values.netbox.tokenSecret }}
{{- $problems = append $problems "netbox.tokenSecret: is needed with netbox.url, but is not set" }}
{{- end }}
{{- if and .Values.services.enabled (ne .Values.zonePools "claims") }}
{{- $problems = append $problems (printf "zonePools: %q is not possible with netbox.url, since the prefixes of its zones are known at run time only; give claims" .Values.zonePools) }}
{{- end }}
{{- if eq .Values.store.kind "objects" }}
{{- $problems = append $problems "store.kind: \\"objects\\" is not possible with netbox.url: it has no zones, which NetBox would add to; leave out one of both" }}
{{- end }}
{{- if eq .Values.store.kind "remote" }}
{{- $problems = append $problems "store.kind: \\"remote\\" is not possible with netbox.url: the IPAM-API elsewhere keeps NetBox up to date; leave out one of both" }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;
