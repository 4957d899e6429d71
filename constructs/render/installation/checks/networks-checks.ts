import { networksDoorProblems } from '../../../operator/networks-door/networks-problems';

/** Named template that lists what is wrong with the gRPC API of networks. */
export const NETWORKS_PROBLEMS = 'cdk8s-ipam.networksProblems';

const [NO_DOOR] = networksDoorProblems({ networks: { enabled: false, grpc: {} } });
const [NO_CERTIFICATE] = networksDoorProblems({ networks: { enabled: true, grpc: {} }, certificates: 'self-managed' });
const AT = 'networks.grpc.certificateSecret';

/** Templates that check the gRPC API of networks, in the words of the constructs. */
export const NETWORKS_CHECKS = `{{/* What is wrong with the gRPC API of networks. */}}
{{- define "${NETWORKS_PROBLEMS}" -}}
{{- $problems := list }}
{{- $grpc := .Values.networks.grpc }}
{{- if and $grpc.enabled (not .Values.networks.enabled) }}
{{- $problems = append $problems ${JSON.stringify(NO_DOOR?.message)} }}
{{- end }}
{{- if and $grpc.enabled (eq .Values.certificates "self-managed") (not $grpc.certificateSecret) }}
{{- $problems = append $problems ${JSON.stringify(NO_CERTIFICATE?.message)} }}
{{- end }}
{{- if and $grpc.enabled $grpc.certificateSecret }}
{{- $problems = concat $problems (include "cdk8s-ipam.secretProblems" (list "${AT}" $grpc.certificateSecret "${AT}" "tls.crt") | fromJsonArray) }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;
