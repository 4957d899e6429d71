import { Construct } from 'constructs';

import { keptGuard } from '../../../operator/contract/kept-guard';
import { declareAdmissionPolicy } from '../../objects/admission-policy';
import { KEEP_MARK } from '../../objects/kept-annotations';
import { COMMON_LABELS } from '../../objects/names';

/** Name of the policy, and of its binding. */
const GUARD = 'ipam-kept-guard';

const NAME_LABEL = 'app.kubernetes.io/name';

/** The policy by which what holds addresses or announces them outlives `kubectl delete` of everything that was applied. */
export class KeptObjectsGuard extends Construct {
  /**
   * Declares policy and binding. They come after the objects that they guard, since kubectl deletes in the order of a file.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    declareAdmissionPolicy(this, GUARD, keptGuard({ [NAME_LABEL]: COMMON_LABELS[NAME_LABEL] }, KEEP_MARK));
  }
}
