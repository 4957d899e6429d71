import { Chart } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';

import { IpamError } from '../../operator/errors/ipam-error';
import { distinct, list, props } from '../props-kit/containers';
import { DNS_LABEL, LABELS, QUALIFIED_NAME } from '../props-kit/kubernetes-values';
import { passed, type Rule, type RulesOf } from '../props-kit/rule';
import { hasFields, notAllowed } from '../props-kit/values';
import { FAMILIES, ZONES } from '../service/service-rules';
import type { AdmissionOptions, IpamProblemsOptions } from './testing-props';

const OPTIONS: RulesOf<AdmissionOptions> = {
  clusterFamilies: FAMILIES,
  loadBalancerClasses: distinct(list(QUALIFIED_NAME)),
  excludedNamespaces: distinct(list(DNS_LABEL)),
  namespaceLabels: LABELS,
};

/**
 * Makes a rule for an argument of a helper.
 *
 * @param allowed - in words
 * @param holds - for what is allowed
 * @returns the rule
 */
function being<T>(allowed: string, holds: (value: unknown) => boolean): Rule<T> {
  return {
    allowed,
    judge: (value, at) =>
      holds(value) ? passed(value) : { valid: undefined, faults: [notAllowed(at, value, allowed)], malformed: true },
  };
}

/** Arguments of the helpers. */
export const ARGUMENTS = {
  chart: being<Chart>('a chart of cdk8s', (value) => Chart.isChart(value)),
  scope: being<IConstruct>('an app, a chart or another construct', (value) => Construct.isConstruct(value)),
  service: being<object>('a Service as JSON or YAML has it', hasFields),
  zones: ZONES,
  admission: props<AdmissionOptions>(OPTIONS),
  problems: props<IpamProblemsOptions>({ ...OPTIONS, zones: ZONES }),
} as const;

/**
 * Checks what was handed to a helper, of which only its caller can say more.
 *
 * @param given - argument by argument: its rule, its value and its name; without a name for options
 * @throws {@link IpamError} `settings/invalid` with everything that is wrong, one a line
 */
export function checkArguments(
  ...given: readonly (readonly [rule: keyof typeof ARGUMENTS, value: unknown, name: string])[]
): void {
  const faults = given.flatMap(([rule, value, name]) => ARGUMENTS[rule].judge(value, name).faults);
  if (faults.length > 0) throw new IpamError('settings/invalid', faults.map(({ message }) => message).join('\n'));
}
