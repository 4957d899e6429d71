import { secureMetricsProblems } from '../../../operator/secure-metrics/secure-metrics-problems';

/** Named template that lists what is wrong with the metrics over HTTPS. */
export const SECURE_METRICS_PROBLEMS = 'cdk8s-ipam.secureMetricsProblems';

const CERTIFICATE = 'monitoring.secure.certificateSecret';
const TOKEN = 'monitoring.serviceMonitor.token';
const [NOT_SECURE] = secureMetricsProblems({ serviceMonitor: { token: { name: 'any' } } });

/** Templates that check the metrics over HTTPS, in the words of the constructs. */
export const SECURE_METRICS_CHECKS = `{{/* What is wrong with the metrics over HTTPS. */}}
{{- define "${SECURE_METRICS_PROBLEMS}" -}}
{{- $problems := list }}
{{- $secure := .Values.monitoring.secure }}
{{- $monitor := .Values.monitoring.serviceMonitor }}
{{- if and $secure.enabled $secure.certificateSecret }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list "${CERTIFICATE}" $secure.certificateSecret "${CERTIFICATE}" "tls.crt") | fromJsonArray) }}
{{- end }}
{{- if and $monitor.enabled $monitor.tokenSecret }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list "${TOKEN}Secret" $monitor.tokenSecret "${TOKEN}Key" $monitor.tokenKey) | fromJsonArray) }}
{{- if not $secure.enabled }}
{{- $problems = append $problems ${JSON.stringify(NOT_SECURE?.message.replace(TOKEN, `${TOKEN}Secret`))} }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;
