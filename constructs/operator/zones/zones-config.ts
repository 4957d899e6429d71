import { Yaml } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import type { ZonesDocument } from '../../../operator/contract/zones';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import type { ProcessPart } from '../process/process-part';

/** File name of the zones document in its ConfigMap. */
export const ZONES_FILE = 'zones.yaml';
const FOLDER = '/etc/ipam';

/** Part of the zones in the operator's process. */
export const ZONES_PROCESS: ProcessPart = {
  options: { zonesFile: `${FOLDER}/${ZONES_FILE}` },
  // a folder: a single mounted file is never updated
  folders: [{ name: 'zones', path: FOLDER, source: { configMap: { name: NAMES.zonesConfigMap } } }],
};

/** The zones document as a ConfigMap, which the operator reads again whenever it changes. */
export class ZonesConfig extends Construct {
  /**
   * Declares the ConfigMap.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param document - what the operator is to read
   */
  constructor(scope: Construct, id: string, document: ZonesDocument) {
    super(scope, id);
    new k8s.KubeConfigMap(this, 'Resource', {
      metadata: { name: NAMES.zonesConfigMap, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      // through JSON: the writer would make anchors of a list that the author used twice
      data: { [ZONES_FILE]: Yaml.stringify(JSON.parse(JSON.stringify(document))) },
    });
  }
}
