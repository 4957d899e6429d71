import { Construct } from 'constructs';

import { carrierGuard } from '../../../operator/contract/egress-guard';
import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { declareAdmissionPolicy } from '../../objects/admission-policy';
import { NAMES } from '../../objects/names';

/** Name of the policy, and of its binding. */
const GUARD = 'ipam-egress-carrier-guard';

/** The policy by which the operator's service account makes Nodes carriers of egress addresses, and writes nothing else of them. */
export class CarrierGuard extends Construct {
  /**
   * Declares policy and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const account = { namespace: OPERATOR_NAMESPACE, serviceAccount: NAMES.serviceAccount };
    declareAdmissionPolicy(this, GUARD, carrierGuard(account));
  }
}
