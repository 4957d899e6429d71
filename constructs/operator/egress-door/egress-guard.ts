import { Construct } from 'constructs';

import { egressGuard } from '../../../operator/contract/egress-guard';
import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { declareAdmissionPolicy } from '../../objects/admission-policy';
import { NAMES } from '../../objects/names';

/** Name of the policy, and of its binding. */
const GUARD = 'ipam-egress-guard';

/** The policy by which the operator's service account writes one annotation of Namespaces and nothing else of them. */
export class EgressGuard extends Construct {
  /**
   * Declares policy and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    declareAdmissionPolicy(
      this,
      GUARD,
      egressGuard({ namespace: OPERATOR_NAMESPACE, serviceAccount: NAMES.serviceAccount }),
    );
  }
}
