import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import type { SqliteStoreProps } from './store-props';
import { KEEP } from '../../objects/kept-annotations';

/** A volume for the SQLite file. One Pod at a time may mount it, and no uninstaller takes it away. */
export class OperatorStorage extends Construct {
  /**
   * Declares the claim for the volume.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - size and class
   */
  constructor(scope: Construct, id: string, props: SqliteStoreProps = {}) {
    super(scope, id);
    new k8s.KubePersistentVolumeClaim(this, 'Resource', {
      metadata: {
        name: NAMES.dataVolume,
        namespace: OPERATOR_NAMESPACE,
        labels: COMMON_LABELS,
        // losing it loses the owner of every address
        annotations: KEEP,
      },
      spec: {
        accessModes: ['ReadWriteOncePod'],
        resources: { requests: { storage: k8s.Quantity.fromString(props.size ?? '1Gi') } },
        ...(props.storageClassName === undefined ? {} : { storageClassName: props.storageClassName }),
      },
    });
  }
}
