import type { k8s } from 'cdk8s-plus-28';

import { OPTIONS, type OptionName } from '../../../operator/settings/options';
import type { ProcessPart } from '../process/process-part';
import type { OperatorEnvVar } from './pod-props';

/**
 * Writes the variables of the operator's process.
 *
 * @param variables - as given to the operator
 * @returns the variables in their order; the key of a Secret is named like the variable unless it says otherwise
 */
export function environment(variables: readonly OperatorEnvVar[] = []): readonly k8s.EnvVar[] {
  return variables.map(({ name, value, secret }) =>
    secret === undefined
      ? { name, value: value ?? '' }
      : { name, valueFrom: { secretKeyRef: { key: name, ...secret } } },
  );
}

/**
 * Writes the variables by which the operator reads fields of its Pod.
 *
 * @param process - parts of the process
 * @returns one for each field, named like its option
 */
export function podFieldVariables(process: readonly ProcessPart[]): readonly k8s.EnvVar[] {
  return process
    .flatMap(({ podFields = {} }) => Object.entries(podFields) as [OptionName, string][])
    .map(([name, fieldPath]) => ({
      name: OPTIONS[name].env,
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
    }));
}
