import type { Refusal } from '../../../operator/errors/outcome';
import type { Option } from '../../../operator/settings/option';
import { OPTIONS } from '../../../operator/settings/options';
import { COMMON_LABELS, SELECTOR_LABELS } from '../../objects/names';
import { refused } from '../../props-kit/refused';
import { secretProblems } from '../../props-kit/secret-key';
import type { PodOwner } from './pod-owner';
import type { OperatorEnvVar, OperatorResources } from './pod-props';
import { amountOf, withDefaults } from './resources';

const OPTION_OF_VARIABLE = new Map(Object.values(OPTIONS).map((option: Option) => [option.env as string, option.flag]));
/** Of an option that a later version has, or one that is mistyped. */
const RESERVED = 'IPAM_';
/** C identifiers, which every shell and runtime takes. */
const VARIABLE = /^[A-Za-z_]\w*$/;
const SECRETIVE = /password|passwd|secret|token|private_?key|api_?key|credential|dsn/i;
/** A login in a URL, as in `https://me:secret@proxy.example`. */
const LOGIN = /:\/\/[^/\s@]+:[^/\s@]*@/;
const OWN_LABELS: Readonly<Record<string, string>> = { ...COMMON_LABELS, ...SELECTOR_LABELS };

/**
 * Checks labels and variables of the Pods.
 *
 * @param props - as given to the operator
 * @returns every problem at once; values of variables are never quoted
 */
export function podProblems({ podLabels = {}, extraEnv = [], resources = {} }: PodOwner): readonly Refusal[] {
  return [
    ...Object.keys(podLabels).flatMap((key) =>
      key in OWN_LABELS
        ? [refused(`podLabels[${key}]`, 'is a label of the operator, by which its Pods are found')]
        : [],
    ),
    ...extraEnv.flatMap((variable, i) => variableProblems(variable, i, extraEnv)),
    ...resourceProblems(resources),
  ];
}

// Kubernetes takes the Deployment all the same, and then makes no Pod.
function resourceProblems(resources: OperatorResources): readonly Refusal[] {
  const all = withDefaults(resources);
  return (['cpu', 'memory'] as const).flatMap((of): readonly Refusal[] => {
    const [request, limit] = [all[`${of}Request`], all[`${of}Limit`]];
    if (limit === undefined || !(amountOf(request) > amountOf(limit))) return [];
    const message = `"${limit}" is less than resources.${of}Request ("${request}"); give at least as much`;
    return [refused(`resources.${of}Limit`, message, { value: limit, suggestion: request })];
  });
}

function variableProblems(variable: OperatorEnvVar, i: number, all: readonly OperatorEnvVar[]): readonly Refusal[] {
  const { name, value, secret } = variable;
  const field = `extraEnv[${String(i)}]`;
  if (!VARIABLE.test(name)) {
    return [refused(field, `"${name}" is not the name of a variable; use letters, digits and "_"`, { value: name })];
  }
  const first = all.findIndex((other) => other.name === name);
  if (first < i) return [refused(field, `${name} is extraEnv[${String(first)}] already`)];
  const flag = OPTION_OF_VARIABLE.get(name);
  if (flag !== undefined) return [refused(field, `${name} is the option ${flag} of the operator, which has props`)];
  if (name.startsWith(RESERVED)) {
    return [
      refused(field, `${name} is not possible, since ${RESERVED}… are options of the operator, which have props`),
    ];
  }
  if ((value === undefined) === (secret === undefined)) {
    return [refused(field, `${name} needs either value or secret`)];
  }
  if (value !== undefined && (SECRETIVE.test(name) || LOGIN.test(value))) {
    return [refused(field, `${name} looks like a secret, which every reader of the Deployment would see; give secret`)];
  }
  return secretProblems(`${field}.secret`, secret);
}
