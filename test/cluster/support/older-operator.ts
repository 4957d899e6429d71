import type { KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';

const text = { type: 'string' };
const column = (name: string, type: string, jsonPath: string) => ({ name, type, jsonPath });
const AGE = column('AGE', 'date', '.metadata.creationTimestamp');

interface OldKind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly spec: object;
  readonly columns: readonly object[];
}

/** A CRD as version 1.0 of the older operator installs it: no status that is kept, no rules. */
const crd = ({ kind, plural, shortNames, spec, columns }: OldKind) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.paas.org`, annotations: { 'controller-gen.kubebuilder.io/version': 'v0.4.1' } },
  spec: {
    group: 'paas.org',
    names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), ...(shortNames && { shortNames }) },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [...columns, AGE],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              apiVersion: text,
              kind: text,
              metadata: { type: 'object' },
              spec,
              status: { type: 'object' },
            },
          },
        },
      },
    ],
  },
});

const OLD_KINDS = [
  crd({
    kind: 'IPGroup',
    plural: 'ipgroups',
    shortNames: ['ipg'],
    spec: {
      type: 'object',
      required: ['excludedIPs', 'segment'],
      properties: { segment: text, excludedIPs: { type: 'array', items: text } },
    },
    columns: [column('Segment', 'string', '.spec.segment')],
  }),
  crd({
    kind: 'IP',
    plural: 'ips',
    spec: { type: 'object' },
    columns: [column('IPGroup', 'string', '.metadata.labels.ipgroup')],
  }),
];

/** A Service of the older operator. */
export interface OldService {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly ingress?: readonly object[];
  /** Owner annotation and name of its IP; absent: there is none. */
  readonly ip?: string;
  readonly finalizers?: readonly string[];
}

/** A cluster on which version 1.0 of the older operator ran; nothing of it runs any more. */
export class OlderOperator {
  readonly #plane: ControlPlane;

  private constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  /** Installs its kinds. */
  static async install(plane: ControlPlane): Promise<OlderOperator> {
    await plane.client.apply(OLD_KINDS);
    return new OlderOperator(plane);
  }

  async group(name: string, segment: string, excludedIPs: readonly string[] = []): Promise<void> {
    const spec = { segment, excludedIPs };
    await this.#create('/apis/paas.org/v1/ipgroups', {
      apiVersion: 'paas.org/v1',
      kind: 'IPGroup',
      metadata: { name },
      spec,
    });
  }

  async ip(name: string, owner: string, ipgroup: string): Promise<void> {
    const metadata = { name, labels: { ipgroup }, annotations: { 'virtualips.paas.il/owner': owner } };
    await this.#create('/apis/paas.org/v1/ips', { apiVersion: 'paas.org/v1', kind: 'IP', metadata });
  }

  async service(
    name: string,
    { spec = {}, ingress, ip, finalizers = ['ips.paas.org/finalizer'] }: OldService,
  ): Promise<void> {
    const services = '/api/v1/namespaces/test/services';
    await this.#create(services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'test', finalizers },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
    });
    if (ingress !== undefined) {
      const status = { loadBalancer: { ingress } };
      await this.#plane.client.request('PATCH', `${services}/${name}/status`, { status }, 'merge');
    }
    if (ip !== undefined) await this.ip(ip, `test/${name}`, 'ipgroup-1');
  }

  #create(path: string, object: object): Promise<KubeObject> {
    return this.#plane.client.request('POST', path, object);
  }
}
