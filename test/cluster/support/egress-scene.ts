import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { EGRESS_KEYS } from '../../../operator/contract/egress';
import { EGRESS_IPAM } from '../../../operator/contract/kinds/egress-ipam';
import { egressIpamObject, egressSpec } from '../../support/egress-kind-samples';
import type { KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { conditionOf } from './network-scene';

/** Paths of the objects of the Egress door. */
export const IPAMS = `/apis/${EGRESS_IPAM.group}/${EGRESS_IPAM.version}/${EGRESS_IPAM.plural}`;
export const CLAIMS = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;
export const [NAMESPACES, NODES] = ['/api/v1/namespaces', '/api/v1/nodes'];

/** CIDRs of two groups of nodes. */
export const A = { CIDR: '10.0.0.0/28', labelValue: 'a' };
export const B = { CIDR: '10.0.1.0/28', labelValue: 'b' };

/** Status of a node that is ready, which nothing else says here. */
export const READY = {
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
};

/** Makes and reads the objects of the Egress door on a control plane, for nodes that a label `rack` groups. */
export class EgressScene {
  readonly #plane: () => Pick<ControlPlane, 'client'>;

  constructor(plane: () => Pick<ControlPlane, 'client'>) {
    this.#plane = plane;
  }

  get(path: string): Promise<KubeObject> {
    return this.#plane().client.request('GET', path);
  }

  merge(path: string, body: object): Promise<KubeObject> {
    return this.#plane().client.request('PATCH', path, body, 'merge');
  }

  /** True once nothing is stored there. */
  async isGone(path: string): Promise<boolean> {
    return (await this.#plane().client.attempt('GET', path)).status === 404;
  }

  /** A ready node of a rack. */
  async node(name: string, rack: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    const labels = { rack, 'kubernetes.io/hostname': name };
    const metadata = { name, labels, annotations };
    await this.#plane().client.request('POST', NODES, { apiVersion: 'v1', kind: 'Node', metadata });
    await this.merge(`${NODES}/${name}/status`, READY);
  }

  /** Says that a node is not ready any more. */
  async fails(name: string): Promise<void> {
    const down = { type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-01-02T00:00:00Z' };
    await this.merge(`${NODES}/${name}/status`, { status: { conditions: [down] } });
  }

  /** Says that a node is ready again. */
  recovers(name: string): Promise<KubeObject> {
    return this.merge(`${NODES}/${name}/status`, READY);
  }

  annotate(path: string, key: string, value: string | null): Promise<KubeObject> {
    return this.merge(path, { metadata: { annotations: { [key]: value } } });
  }

  async namespace(name: string, egressIpam: string): Promise<void> {
    const annotations = { [EGRESS_KEYS.egressIpam]: egressIpam };
    await this.#plane().client.request('POST', NAMESPACES, { metadata: { name, annotations } });
  }

  /** Takes a namespace out. */
  optOut(name: string): Promise<KubeObject> {
    return this.annotate(`${NAMESPACES}/${name}`, EGRESS_KEYS.egressIpam, null);
  }

  /** Waits until a namespace lists its addresses. */
  has(name: string, list: string): Promise<true> {
    return eventually(
      async () => (await this.get(`${NAMESPACES}/${name}`)).metadata.annotations?.[EGRESS_KEYS.addresses] === list,
    );
  }

  ipam(name: string, entries: readonly object[], spec: object = {}): Promise<KubeObject> {
    const of = { ...egressSpec(...entries), topologyLabel: 'rack', ...spec };
    return this.#plane().client.request('POST', IPAMS, egressIpamObject(name, of));
  }

  /** Waits until the condition about the dataplane has a status and, where one is given, a reason. */
  isAvailable(name: string, is: 'True' | 'False', why?: string): Promise<true> {
    return eventually(async () => {
      const condition = conditionOf(await this.get(`${IPAMS}/${name}`), 'DataplaneAvailable');
      return condition?.status === is && (why === undefined || condition.reason === why);
    });
  }

  /** Waits until an EgressIPAM shows a text in its status. */
  shows(name: string, text: string): Promise<true> {
    return eventually(async () => JSON.stringify((await this.get(`${IPAMS}/${name}`)).status ?? {}).includes(text));
  }

  /** Waits until no address is on record any more that begins so. */
  released(address: string): Promise<true> {
    return eventually(async () => !JSON.stringify((await this.get(CLAIMS)).items).includes(`"${address}"`));
  }
}
