import { OPERATOR_NAMESPACE } from '../../../../operator/contract/group';
import { DNS_NAME } from '../../../../operator/contract/object-name';
import { doorProblems } from '../../../../operator/settings/door-settings';
import type { Option } from '../../../../operator/settings/option';
import { OPTIONS, WHY_ADMIT_NEEDS_CLAIMS } from '../../../../operator/settings/options';
import {
  ELSEWHERE,
  loginMessage,
  withoutRecordMessage,
  type ElsewhereSetting,
} from '../../../../operator/settings/store-settings';
import { SCOPES } from '../../../objects/kind-scopes';
import { COMMON_LABELS, SELECTOR_LABELS } from '../../../objects/names';
import { DEFAULT_BREAK_GLASS_GROUP } from '../../../operator/crds/crds-props';
import { RELATED_SYSTEM_NAMES } from '../../../operator/process/servers';
import { BREAK_GLASS_GROUP } from '../../../props-kit/kubernetes-values';
import { ADDRESS_HELPERS } from './address-helpers';
import { NETWORKS_CHECKS, NETWORKS_PROBLEMS } from './networks-checks';
import { RELATED_SYSTEM_CHECKS, RELATED_SYSTEM_PROBLEMS } from './related-system-checks';
import { SECURE_METRICS_CHECKS, SECURE_METRICS_PROBLEMS } from './secure-metrics-checks';
import { VIPS_CHECKS, VIPS_PROBLEMS } from './vips-checks';

/** Named template that lists what is wrong with everything but the zones. */
export const SHAPE_PROBLEMS = 'cdk8s-ipam.shapeProblems';

const DOORS = { services: 'services.enabled', ipamApi: 'ipamApi.expose.enabled' };
// What is said of an operator that serves no Services, nor the IPAM-API.
const withoutServices = (store: 'sqlite' | 'remote'): string =>
  JSON.stringify(
    doorProblems({ services: false, ipamApi: false, vips: false, networks: false, egress: false, store }, DOORS)[0]
      ?.message,
  );
const servicesOfObjects = (): string =>
  JSON.stringify(
    doorProblems(
      { services: true, ipamApi: false, vips: true, networks: false, egress: false, store: 'objects' },
      DOORS,
    )[0]?.message,
  );

// What has no place beside a record elsewhere: the value that asks for it.
const VALUE_OF = {
  cleanupEventsUrl: 'cleanupEvents.url',
  ipamApiBindAddress: 'ipamApi.expose.enabled',
  historyDays: 'settings.historyDays',
  historyRowsPerNamespace: 'settings.historyRowsPerNamespace',
  recoverableSecrets: 'settings.recoverableSecrets',
} as const;
const elsewhereCheck = ({
  option,
  usual,
  message,
}: ElsewhereSetting & { readonly option: keyof typeof VALUE_OF }): string => {
  const value = VALUE_OF[option];
  const given = typeof usual === 'number' ? `ne (int .Values.${value}) ${String(usual)}` : `.Values.${value}`;
  return `{{- if ${given} }}
{{- $problems = append $problems ${JSON.stringify(message(value, 'store.remote.url'))} }}
{{- end }}`;
};

// What has no place where no record of zones is.
const withoutRecordCheck = (given: string, value: string): string => `{{- if ${given} }}
{{- $problems = append $problems ${JSON.stringify(withoutRecordMessage(value))} }}
{{- end }}`;
const objectsCheck = ({ option, usual }: ElsewhereSetting & { readonly option: keyof typeof VALUE_OF }): string => {
  const value = VALUE_OF[option];
  return withoutRecordCheck(
    typeof usual === 'number' ? `ne (int .Values.${value}) ${String(usual)}` : `.Values.${value}`,
    value,
  );
};

const words = (list: readonly string[]): string => list.map((word) => JSON.stringify(word)).join(' ');
const FLAG_OF_VARIABLE = words(Object.values(OPTIONS).flatMap(({ env, flag }: Option) => [env, flag]));
const OWN_LABELS = words(Object.keys({ ...COMMON_LABELS, ...SELECTOR_LABELS }));
// As the name of a Secret, a word that no connection string is, and few tokens.
const SECRET_KEY = '[-._A-Za-z0-9]{1,253}';
const NAME_ASKED = 'give the name of a Secret (a-z, 0-9, - and ., at most 253 characters)';
const KEY_ASKED = 'give a key of the Secret (letters, digits, \\"-\\", \\"_\\" and \\".\\")';

const SCOPE_OF_KIND = words(
  Object.entries(SCOPES).flatMap(([group, { cluster = [], namespaced = [] }]) => [
    ...cluster.flatMap((kind) => [`${group}/${kind}`, 'cluster']),
    ...namespaced.flatMap((kind) => [`${group}/${kind}`, 'namespace']),
  ]),
);
const FACTORS = [
  ...['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((unit, i) => `"${unit}" "1e${String(3 * i - 9)}"`),
  ...['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit, i) => `"${unit}" "${String(1024 ** (i + 1))}"`),
].join(' ');

const PODS = `{{/* What is wrong with variables and labels of the Pods; values are never shown. */}}
{{- define "cdk8s-ipam.podProblems" -}}
{{- $problems := list }}
{{- range $key, $_ := .Values.podLabels }}
{{- if has $key (list ${OWN_LABELS}) }}
{{- $problems = append $problems (printf "podLabels[%s]: is a label of the operator, by which its Pods are found" $key) }}
{{- end }}
{{- end }}
{{- $flags := dict ${FLAG_OF_VARIABLE} }}
{{- $known := dict }}
{{- range $i, $one := .Values.extraEnv }}
{{- $at := printf "extraEnv[%d]" $i }}
{{- if not (regexMatch "^[A-Za-z_][A-Za-z0-9_]*$" $one.name) }}
{{- $problems = append $problems (printf "%s: %q is not the name of a variable; use letters, digits and \\"_\\"" $at $one.name) }}
{{- else if hasKey $known $one.name }}
{{- $problems = append $problems (printf "%s: %s is %s already" $at $one.name (get $known $one.name)) }}
{{- else if hasKey $flags $one.name }}
{{- $problems = append $problems (printf "%s: %s is the option %s of the operator, which has values" $at $one.name (get $flags $one.name)) }}
{{- else if hasPrefix "IPAM_" $one.name }}
{{- $problems = append $problems (printf "%s: %s is not possible, since IPAM_… are options of the operator, which have values" $at $one.name) }}
{{- else if eq (hasKey $one "value") (hasKey $one "secret") }}
{{- $problems = append $problems (printf "%s: %s needs either value or secret" $at $one.name) }}
{{- else if hasKey $one "value" }}
{{- $secretive := regexMatch "(?i)password|passwd|secret|token|private_?key|api_?key|credential|dsn" $one.name }}
{{- if or $secretive (regexMatch "://[^/[:space:]@]+:[^/[:space:]@]*@" $one.value) }}
{{- $problems = append $problems (printf "%s: %s looks like a secret, which every reader of the Deployment would see; give secret" $at $one.name) }}
{{- end }}
{{- else }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list (printf "%s.secret.name" $at) $one.secret.name (printf "%s.secret.key" $at) ($one.secret.key | default $one.name)) | fromJsonArray) }}
{{- end }}
{{- $_ := set $known $one.name $at }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* Amount of a quantity of Kubernetes, to compare two of them. */}}
{{- define "cdk8s-ipam.amount" -}}
{{- $digits := regexFind "^[0-9.]+" . }}
{{- $unit := trimPrefix $digits . }}
{{- $factors := dict ${FACTORS} }}
{{- if hasKey $factors $unit }}{{ mulf (float64 $digits) (float64 (get $factors $unit)) }}{{ else }}{{ float64 . }}{{ end }}
{{- end }}

{{/* Requests above limits, of which Kubernetes makes no Pod. */}}
{{- define "cdk8s-ipam.resourceProblems" -}}
{{- $problems := list }}
{{- range list "cpu" "memory" }}
{{- $request := get $.Values.resources.requests . }}
{{- $limit := get $.Values.resources.limits . }}
{{- if $limit }}
{{- if gt (float64 (include "cdk8s-ipam.amount" $request)) (float64 (include "cdk8s-ipam.amount" $limit)) }}
{{- $problems = append $problems (printf "resources.limits.%s: %q is less than resources.requests.%s (%q); give at least as much" . $limit . $request) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* Objects of the user that are given twice, or have no identity. */}}
{{- define "cdk8s-ipam.extraObjectProblems" -}}
{{- $problems := list }}
{{- $known := dict }}
{{- $scopes := dict ${SCOPE_OF_KIND} }}
{{- range $i, $object := .Values.extraObjects }}
{{- $at := printf "extraObjects[%d]" $i }}
{{- $namespace := get $object.metadata "namespace" | default "" }}
{{- if or (eq $object.kind "List") (and (hasSuffix "List" $object.kind) (hasKey $object "items")) }}
{{- $problems = append $problems (printf "%s: %q with items is a list of objects; give each object on its own" $at $object.kind) }}
{{- end }}
{{- if and $namespace (not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" (toString $namespace))) }}
{{- $problems = append $problems (printf "%s.metadata.namespace: %s is not allowed; allowed is a DNS label (a-z, 0-9 and -, at most 63 characters)" $at (toJson $namespace)) }}
{{- end }}
{{- $group := ternary (regexFind "^[^/]*" $object.apiVersion) "" (contains "/" $object.apiVersion) }}
{{- $id := printf "%s %s %s %s" $group $object.kind ($object.metadata.namespace | default "") $object.metadata.name }}
{{- with get $known $id }}
{{- $problems = append $problems (printf "%s: %s %q is %s already" $at $object.kind $object.metadata.name .) }}
{{- else }}
{{- $_ := set $known $id $at }}
{{- end }}
{{- $scope := get $scopes (printf "%s/%s" $group $object.kind) }}
{{- if and (eq $scope "namespace") (not $object.metadata.namespace) }}
{{- $problems = append $problems (printf "%s.metadata.namespace: %s %q needs one, for example \\"${OPERATOR_NAMESPACE}\\" beside the operator" $at $object.kind $object.metadata.name) }}
{{- else if and (eq $scope "cluster") $object.metadata.namespace }}
{{- $problems = append $problems (printf "%s.metadata.namespace: %q is not possible, since %s %q stands in no namespace; leave it out" $at $object.metadata.namespace $object.kind $object.metadata.name) }}
{{- end }}
{{- if eq $group "admissionregistration.k8s.io" }}
{{- range $j, $webhook := $object.webhooks }}
{{- if hasKey ($webhook.clientConfig | default dict) "caBundle" }}
{{- $problems = append $problems (printf "%s.webhooks[%d].clientConfig.caBundle: the injector of the CA and this manifest would overwrite each other; leave it out" $at $j) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;

const SURROUNDINGS = `
{{/* A reference to a Secret, which is never shown: it may be the secret itself. Takes path and name, path and key. */}}
{{- define "cdk8s-ipam.secretProblems" -}}
{{- $problems := list }}
{{- if or (gt (len (index . 1)) 253) (not (regexMatch "^${DNS_NAME}$" (index . 1))) }}
{{- $problems = append $problems (printf "%s: ${NAME_ASKED}; what it holds belongs into the Secret" (index . 0)) }}
{{- end }}
{{- if or (not (regexMatch "^${SECRET_KEY}$" (index . 3))) (has (index . 3) (list "." "..")) }}
{{- $problems = append $problems (printf "%s: ${KEY_ASKED}; what it holds belongs into the Secret" (index . 2)) }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* What is wrong with the store. A URL with a login in it is never shown. */}}
{{- define "cdk8s-ipam.storeProblems" -}}
{{- $problems := list }}
{{- $kind := .Values.store.kind }}
{{- $store := get .Values.store $kind }}
{{- range list "connection" "token" "ca" }}
{{- $name := get $store (printf "%sSecret" .) }}
{{- if and (hasKey $store (printf "%sSecret" .)) (or $name (eq . "connection")) }}
{{- $path := printf "store.%s.%s" $kind . }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list (printf "%sSecret" $path) $name (printf "%sKey" $path) (get $store (printf "%sKey" .))) | fromJsonArray) }}
{{- end }}
{{- end }}
{{- if eq $kind "remote" }}
{{- $authority := regexReplaceAll "^https://([^/?#]*).*$" $store.url "\${1}" }}
{{- if not $store.url }}
{{- $problems = append $problems "the store remote needs store.remote.url, which is not set" }}
{{- else if regexMatch "^https://[^/?#]*@" $store.url }}
{{- $problems = append $problems "store.remote.url: a URL must not hold a login; give the token as a Secret" }}
{{- else if not (and (regexMatch "^https://[^[:space:]]+$" $store.url) (regexMatch "^([A-Za-z0-9._-]+|[[][0-9A-Fa-f:.]+[]])(:[0-9]{1,5})?$" $authority)) }}
{{- $shown := contains "@" $store.url | ternary "" (printf "%q is " $store.url) }}
{{- $problems = append $problems (printf "store.remote.url: %snot a URL with https://" $shown) }}
{{- else if regexMatch "[?#]" $store.url }}
{{- $problems = append $problems (printf "store.remote.url: %q has a query or fragment; give scheme, host and path only" $store.url) }}
{{- else if regexMatch "(?i)/v[0-9]+/*$" $store.url }}
{{- $problems = append $problems (printf "store.remote.url: %q ends with the version, which is a setting of its own; leave it out" $store.url) }}
{{- end }}
{{- if and (eq (int $store.apiVersion) 2) $store.tokenSecret }}
{{- $problems = append $problems "store.remote.tokenSecret: version 2 of the IPAM-API knows no login, so a token has no use; leave it out, or speak version 3" }}
{{- end }}
{{- if and (eq (int $store.apiVersion) 3) (not (or $store.tokenSecret $store.certificateSecret)) }}
{{- $problems = append $problems ${JSON.stringify(loginMessage('store.remote.tokenSecret', 'store.remote.certificateSecret'))} }}
{{- end }}
{{- with $store.certificateSecret }}
{{- $path := "store.remote.certificateSecret" }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list $path . $path "tls.crt") | fromJsonArray) }}
{{- end }}
${ELSEWHERE.map(elsewhereCheck).join('\n')}
{{- end }}
{{- if eq $kind "objects" }}
${ELSEWHERE.map(objectsCheck).join('\n')}
${withoutRecordCheck('.Values.zones', 'zones')}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* What is wrong with the IPAM-API for other clusters. */}}
{{- define "cdk8s-ipam.apiProblems" -}}
{{- $problems := list }}
{{- $expose := .Values.ipamApi.expose }}
{{- if $expose.enabled }}
{{- if and $expose.certificateSecret $expose.issuer.name }}
{{- $problems = append $problems "ipamApi.expose.issuer.name: has no use beside certificateSecret; give one of them" }}
{{- end }}
{{- if and (eq .Values.certificates "self-managed") (not $expose.certificateSecret) (not $expose.issuer.name) }}
{{- $problems = append $problems "ipamApi.expose.certificateSecret: needed where certificates is \\"self-managed\\", whose CA is meant for the API server only" }}
{{- end }}
{{- if and $expose.clientsSecret $expose.clientsConfigMap }}
{{- $problems = append $problems "ipamApi.expose.clientsConfigMap: has no use beside clientsSecret; give one of them" }}
{{- end }}
{{- range $name := list "clients" "clientCa" }}
{{- $path := printf "ipamApi.expose.%s" $name }}
{{- with get $expose (printf "%sSecret" $name) }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list (printf "%sSecret" $path) . (printf "%sKey" $path) (get $expose (printf "%sKey" $name))) | fromJsonArray) }}
{{- end }}
{{- end }}
{{- if and $expose.clientCaSecret (not (or $expose.clientsSecret $expose.clientsConfigMap)) }}
{{- $problems = append $problems "ipamApi.expose.clientCaSecret: has no effect without clients, of which none may call version 3; leave it out, or give clients" }}
{{- end }}
{{- with $expose.certificateSecret }}
{{- $path := "ipamApi.expose.certificateSecret" }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list $path . $path "tls.crt") | fromJsonArray) }}
{{- end }}
{{- end }}
{{- if and .Values.services.enabled (eq .Values.store.kind "objects") }}
{{- $problems = append $problems ${servicesOfObjects()} }}
{{- end }}
{{- if not (or .Values.services.enabled (and (or .Values.vips.enabled .Values.networks.enabled .Values.egress.enabled) (not $expose.enabled))) }}
{{- if eq .Values.store.kind "remote" }}
{{- $problems = append $problems ${withoutServices('remote')} }}
{{- else if not $expose.enabled }}
{{- $problems = append $problems ${withoutServices('sqlite')} }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

${VIPS_CHECKS}
${NETWORKS_CHECKS}
${SECURE_METRICS_CHECKS}
{{/* Values that change nothing beside the others. */}}
{{- define "cdk8s-ipam.effectlessProblems" -}}
{{- $problems := list }}
{{- $policy := .Values.networkPolicy }}
{{- if not $policy.enabled }}
{{- range $key := list "monitoringNamespaces" "apiServerCidrs" "apiServerPorts" "storeCidrs" "netboxCidrs" "cleanupEventsCidrs" "splunkCidrs" }}
{{- $value := get $policy $key }}
{{- if and $value (not (and (eq $key "apiServerPorts") (eq (toJson $value) "[443,6443]"))) }}
{{- $problems = append $problems (printf "networkPolicy.%s: has no effect while networkPolicy.enabled is false; leave one of the two out" $key) }}
{{- end }}
{{- end }}
{{- else }}
{{- if and $policy.storeCidrs (eq .Values.store.kind "sqlite") }}
{{- $problems = append $problems "networkPolicy.storeCidrs: has no effect with the store sqlite, which is in the Pod; leave one of the two out" }}
{{- end }}
{{- if and $policy.storeCidrs (eq .Values.store.kind "objects") }}
{{- $problems = append $problems "networkPolicy.storeCidrs: has no effect with the store objects, which the API server has; leave one of the two out" }}
{{- end }}
{{- range $name := list ${words(RELATED_SYSTEM_NAMES)} }}
{{- if and (get $policy (printf "%sCidrs" $name)) (not (get $.Values $name).url) }}
{{- $problems = append $problems (printf "networkPolicy.%sCidrs: has no effect without %s; leave one of the two out" $name $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- if not .Values.crds.install }}
{{- if not .Values.crds.keep }}
{{- $problems = append $problems "crds.keep: has no effect while crds.install is false; leave one of the two out" }}
{{- end }}
{{- if ne .Values.crds.breakGlassGroup "${DEFAULT_BREAK_GLASS_GROUP}" }}
{{- $problems = append $problems "crds.breakGlassGroup: has no effect while crds.install is false; leave one of the two out" }}
{{- end }}
{{- end }}
{{- if and (hasPrefix "system:" .Values.crds.breakGlassGroup) (not (regexMatch "^system:(masters$|serviceaccounts:[a-z0-9])" .Values.crds.breakGlassGroup)) }}
{{- $problems = append $problems (printf "crds.breakGlassGroup: %q is not allowed; allowed is ${BREAK_GLASS_GROUP.allowed}" .Values.crds.breakGlassGroup) }}
{{- end }}
{{- $expose := .Values.ipamApi.expose }}
{{- if and $expose.enabled $expose.certificateSecret $expose.dnsNames }}
{{- $problems = append $problems "ipamApi.expose.dnsNames: has no effect beside certificateSecret, whose certificate has its own names; leave one of the two out" }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* Networks that are none. */}}
{{- define "cdk8s-ipam.cidrProblems" -}}
{{- $problems := list }}
{{- range $key := list "apiServerCidrs" "storeCidrs" "netboxCidrs" "cleanupEventsCidrs" "splunkCidrs" }}
{{- range $i, $text := get $.Values.networkPolicy $key }}
{{- with (include "${ADDRESS_HELPERS.prefix}" $text | fromJson).problem }}
{{- $problems = append $problems (printf "networkPolicy.%s[%d]: %s" $key $i .) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* What is wrong with everything but the zones, as JSON. */}}
{{- define "${SHAPE_PROBLEMS}" -}}
{{- $problems := list }}
{{- if and (eq .Values.whenUnavailable "admit") (ne .Values.zonePools "claims") }}
{{- $problems = append $problems "whenUnavailable: \\"admit\\" needs zonePools \\"claims\\", since ${WHY_ADMIT_NEEDS_CLAIMS}; set zonePools, or leave \\"deny\\"" }}
{{- end }}
{{- range list "cdk8s-ipam.storeProblems" "${RELATED_SYSTEM_PROBLEMS}" "cdk8s-ipam.apiProblems" "${VIPS_PROBLEMS}" "${NETWORKS_PROBLEMS}" "${SECURE_METRICS_PROBLEMS}" "cdk8s-ipam.cidrProblems" "cdk8s-ipam.podProblems" "cdk8s-ipam.resourceProblems" "cdk8s-ipam.effectlessProblems" "cdk8s-ipam.extraObjectProblems" }}
{{- $problems = concat $problems (include . $ | fromJsonArray) }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;

/** Templates that check how the operator is deployed. */
export const SHAPE_CHECKS_TPL = PODS + SURROUNDINGS + RELATED_SYSTEM_CHECKS;
