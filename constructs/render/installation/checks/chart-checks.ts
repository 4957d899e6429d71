import type { RenderedFiles } from '../../objects/kustomize';
import { ADDRESS_TPL } from './address-helpers';
import { SHAPE_CHECKS_TPL, SHAPE_PROBLEMS } from './shape-checks';
import { ZONE_CHECKS_TPL, ZONE_PROBLEMS } from './zone-checks';

// A template that writes nothing, and stops the release with everything that is wrong at once.
const CHECK = `{{- $problems := include "${ZONE_PROBLEMS}" . | fromJsonArray }}
{{- $problems = concat $problems (include "${SHAPE_PROBLEMS}" . | fromJsonArray) }}
{{- if $problems }}
{{- fail (printf "\\nthe values cannot be installed:\\n- %s" (join "\\n- " $problems)) }}
{{- end }}
`;

/** Templates that refuse values which the schema cannot judge, by the rules of the constructs and in their words. */
export const CHECK_FILES: RenderedFiles = {
  'templates/_addresses.tpl': ADDRESS_TPL,
  'templates/_zone-checks.tpl': ZONE_CHECKS_TPL,
  'templates/_shape-checks.tpl': SHAPE_CHECKS_TPL,
  'templates/checks.yaml': CHECK,
};
