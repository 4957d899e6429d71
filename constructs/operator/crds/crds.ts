import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { crdManifest } from '../../../operator/contract/crd-manifest';
import { IPAM_GROUP, OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { recordGuard } from '../../../operator/contract/record-guard';
import type { CrdsProps } from './crds-props';
import { clusterScoped, COMMON_LABELS, NAMES } from '../../objects/names';

/** Annotations by which Helm and Argo CD leave an object alone when the rest goes. */
const KEEP = {
  'helm.sh/resource-policy': 'keep',
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
} as const;

/** Name of the policy that guards the record, and of its binding. */
const GUARD = 'ipam-record-guard';
const ADMISSION = 'admissionregistration.k8s.io/v1'; // Kubernetes 1.30 and newer

/** The CRDs, and the policy by which only the operator writes their objects. */
export class OperatorCrds extends Construct {
  /**
   * Declares them.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - what is installed and stays
   */
  constructor(scope: Construct, id: string, props: CrdsProps = {}) {
    super(scope, id);
    const crd = this.declareCrd(props.keep ?? true);
    const policy = this.declarePolicy(props.breakGlassGroup ?? 'ipam-break-glass');
    policy.addDependency(crd);
  }

  private declareCrd(keep: boolean): ApiObject {
    const { metadata, ...rest } = crdManifest(ADDRESS_CLAIM);
    const crd = new ApiObject(this, ADDRESS_CLAIM.kind, {
      ...rest,
      metadata: { name: metadata.name, labels: COMMON_LABELS, ...(keep ? { annotations: KEEP } : {}) },
    });
    return clusterScoped(crd);
  }

  private declarePolicy(breakGlassGroup: string): ApiObject {
    const policy = new ApiObject(this, 'Policy', {
      apiVersion: ADMISSION,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: GUARD, labels: COMMON_LABELS },
      spec: recordGuard({
        group: IPAM_GROUP,
        resources: [ADDRESS_CLAIM.plural],
        namespace: OPERATOR_NAMESPACE,
        serviceAccount: NAMES.serviceAccount,
        breakGlassGroup,
      }),
    });
    const binding = new ApiObject(this, 'PolicyBinding', {
      apiVersion: ADMISSION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: GUARD, labels: COMMON_LABELS },
      spec: { policyName: GUARD, validationActions: ['Deny', 'Audit'] },
    });
    binding.addDependency(policy);
    [policy, binding].forEach(clusterScoped);
    return policy;
  }
}
