import type { k8s } from 'cdk8s-plus-28';

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
