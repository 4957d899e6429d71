import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';

import type { AdmissionPolicySpec } from '../../operator/contract/admission-policy-spec';
import { clusterScoped, COMMON_LABELS } from './names';

/**
 * Defaults of the API server. It compares the constraints as one value, so that without them a second manager of server-side apply
 * would contradict the first, although both apply the same.
 */
const EVERYTHING = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} } as const;

const ADMISSION = 'admissionregistration.k8s.io/v1'; // Kubernetes 1.30 and newer

/**
 * Declares a ValidatingAdmissionPolicy, and the binding that puts it in force in the whole cluster.
 *
 * @param scope - construct that becomes the parent of `Policy` and `PolicyBinding`
 * @param name - which both objects get
 * @param spec - match constraints, conditions and validations
 * @returns the object that judges requests, without its binding
 */
export function declareAdmissionPolicy(
  scope: Construct,
  name: string,
  spec: Pick<AdmissionPolicySpec, 'matchConstraints'>,
): ApiObject {
  const metadata = { name, labels: COMMON_LABELS };
  const kind = 'ValidatingAdmissionPolicy';
  const complete = { ...spec, matchConstraints: { ...EVERYTHING, ...spec.matchConstraints } };
  const policy = new ApiObject(scope, 'Policy', { apiVersion: ADMISSION, kind, metadata, spec: complete });
  const binding = new ApiObject(scope, 'PolicyBinding', {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: name, validationActions: ['Deny', 'Audit'] },
  });
  binding.addDependency(policy);
  [policy, binding].forEach(clusterScoped);
  return policy;
}
