import type { k8s } from 'cdk8s-plus-28';

import type { ServiceWrites } from '../../../operator/contract/write-guard';

/** Rights that a front door adds to those of the operator itself. */
export interface DoorRights {
  /** In the whole cluster. */
  readonly cluster: readonly k8s.PolicyRule[];
  /** Names of Secrets of the operator's namespace that are read. */
  readonly secretsRead: readonly string[];
  /** Names of Secrets of the operator's namespace that are read and replaced. */
  readonly secretsWritten: readonly string[];
  /** Parts of stored Services that are written; absent where none are. */
  readonly serviceWrites?: ServiceWrites;
}
