import { Construct } from 'constructs';

import { METALLB_GROUP, METALLB_NAMESPACE } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { bindRole } from '../access/rights';

/** Rights on the pools of MetalLB, in MetalLB's own namespace. */
export class PoolsAccess extends Construct {
  /**
   * Declares role and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param written - whether the operator writes the pools; else it only looks for pools that would harm a Service
   */
  constructor(scope: Construct, id: string, written: boolean) {
    super(scope, id);
    const verbs = ['list', 'watch', ...(written ? ['create', 'patch', 'delete'] : [])];
    bindRole(this, {
      name: NAMES.poolsRole,
      binding: NAMES.poolsRoleBinding,
      namespace: METALLB_NAMESPACE,
      rules: [{ apiGroups: [METALLB_GROUP], resources: ['ipaddresspools'], verbs }],
    });
  }
}
