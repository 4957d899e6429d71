import type { Refusal } from '../../../../operator/errors/outcome';
import { clusterApiProblems } from '../../../../operator/settings/cluster-api-options';
import { vipsProblems } from '../../../../operator/settings/vips-settings';
import { CLUSTER_API_PROPS } from '../../../operator/doors/cluster-api-problems';
import { VIPS_PROPS } from '../../../operator/vips-door/vips-problems';

/** Named template that lists what is wrong with the VIPs door. */
export const VIPS_PROBLEMS = 'cdk8s-ipam.vipsProblems';

const SETTINGS = {
  vips: true,
  vipsMigration: false,
  standalone: false,
  services: true,
  defaultZone: '',
  loadBalancerClasses: [],
} as const;
const messageOf = ([problem]: readonly Refusal[]): string => JSON.stringify(problem?.message ?? '');
const SERVES_NOTHING = messageOf(vipsProblems({ ...SETTINGS, vipsClasses: [], vipsClassless: false }, VIPS_PROPS));
const TWO_DEFAULTS = messageOf(
  vipsProblems({ ...SETTINGS, defaultZone: 'any', vipsClasses: ['any'], vipsClassless: true }, VIPS_PROPS),
);
const PART_OF_DOOR = messageOf(
  vipsProblems(
    { ...SETTINGS, vips: false, vipsMigration: true, vipsClasses: ['any'], vipsClassless: false },
    VIPS_PROPS,
  ),
);
const NO_POOLS = messageOf(clusterApiProblems({ clusterApi: true, vips: false, networks: false }, CLUSTER_API_PROPS));
/** A class that no user would write, in whose place the template puts that of the release. */
const ANY_CLASS = 'any-class';
const IN_BOTH = messageOf(
  vipsProblems(
    { ...SETTINGS, loadBalancerClasses: [ANY_CLASS], vipsClasses: [ANY_CLASS], vipsClassless: false },
    VIPS_PROPS,
  ),
).replace(`\\"${ANY_CLASS}\\"`, '%q');

/** Templates that check the VIPs door, in the words of the operator. */
export const VIPS_CHECKS = `{{/* What is wrong with the VIPs door: a Service belongs to one door. */}}
{{- define "${VIPS_PROBLEMS}" -}}
{{- $problems := list }}
{{- $vips := .Values.vips }}
{{- if and $vips.migration (not $vips.enabled) }}
{{- $problems = append $problems ${PART_OF_DOOR} }}
{{- end }}
{{- if $vips.enabled }}
{{- if and $vips.classless .Values.services.enabled .Values.services.defaultZone }}
{{- $problems = append $problems ${TWO_DEFAULTS} }}
{{- end }}
{{- if not (or $vips.classless $vips.loadBalancerClasses) }}
{{- $problems = append $problems ${SERVES_NOTHING} }}
{{- end }}
{{- if .Values.services.enabled }}
{{- range $vips.loadBalancerClasses }}
{{- if has . $.Values.services.loadBalancerClasses }}
{{- $problems = append $problems (printf ${IN_BOTH} .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.clusterApi.enabled (not (or $vips.enabled .Values.networks.enabled)) }}
{{- $problems = append $problems ${NO_POOLS} }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;
