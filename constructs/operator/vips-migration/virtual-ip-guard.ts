import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { virtualIpGuard } from '../../../operator/contract/kinds/virtual-ip-guard';
import { declareAdmissionPolicy } from '../../objects/admission-policy';
import { NAMES } from '../../objects/names';

/** Name of the policy, and of its binding. */
const GUARD = 'ipam-virtualip-guard';

/** The policy by which no VirtualIP is made anew, and one that is being migrated stays as it is. */
export class VirtualIpGuard extends Construct {
  /**
   * Declares policy and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - group whose members are let through
   */
  constructor(scope: Construct, id: string, { breakGlassGroup }: { readonly breakGlassGroup: string }) {
    super(scope, id);
    const account = { namespace: OPERATOR_NAMESPACE, serviceAccount: NAMES.serviceAccount };
    declareAdmissionPolicy(this, GUARD, virtualIpGuard({ ...account, breakGlassGroup }));
  }
}
