import { createServer, type Server } from 'node:https';
import { addressFromBigInt, addressOf } from '../../../operator/addressing/address';
import { rangeOf, type Range } from '../../../operator/addressing/range';
import { selectorMatches, type LabelSelector } from '../../../operator/contract/label-selector';
import { X509_CERTIFICATES } from '../../../operator/server/x509-certificates';
import type { ClusterClient, KubeObject, Manifest } from './cluster-client';
import { NODES } from './egress-scene';
import { webhooksInForce } from './webhooks-in-force';

/** Paths of the kinds of Antrea. */
export const EGRESSES = '/apis/crd.antrea.io/v1beta1/egresses';
export const POOLS = '/apis/crd.antrea.io/v1beta1/externalippools';

const text = { type: 'string' };
const ipText = { type: 'string', oneOf: [{ format: 'ipv4' }, { format: 'ipv6' }] };
const value = { type: 'string', pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' };
const selector = {
  type: 'object',
  properties: {
    matchLabels: { type: 'object', additionalProperties: value },
    matchExpressions: {
      type: 'array',
      items: {
        type: 'object',
        properties: { key: text, operator: text, values: { type: 'array', items: value } },
      },
    },
  },
};
const condition = {
  type: 'object',
  properties: { type: text, status: text, lastTransitionTime: text, reason: text, message: text },
};
const anyOf = (...fields: readonly string[]) => ({ anyOf: fields.map((field) => ({ required: [field] })) });

const EGRESS_FIELDS = {
  type: 'object',
  required: ['appliedTo'],
  oneOf: [anyOf('egressIP', 'externalIPPool'), anyOf('egressIPs', 'externalIPPools')],
  properties: {
    appliedTo: { type: 'object', properties: { podSelector: selector, namespaceSelector: selector } },
    egressIP: ipText,
    egressIPs: { type: 'array', items: text },
    externalIPPool: text,
    externalIPPools: { type: 'array', items: text },
  },
};
const EGRESS_STATUS = {
  type: 'object',
  properties: { egressNode: text, egressIP: text, conditions: { type: 'array', items: condition } },
};
const POOL_FIELDS = {
  type: 'object',
  required: ['ipRanges', 'nodeSelector'],
  properties: {
    ipRanges: {
      type: 'array',
      items: {
        type: 'object',
        oneOf: [{ required: ['cidr'] }, { required: ['start', 'end'] }],
        properties: { cidr: { type: 'string', format: 'cidr' }, start: ipText, end: ipText },
      },
    },
    subnetInfo: {
      type: 'object',
      required: ['gateway', 'prefixLength'],
      properties: { gateway: ipText, prefixLength: { type: 'integer' }, vlan: { type: 'integer' } },
    },
    nodeSelector: selector,
  },
};

const crd = (kind: string, plural: string, fields: { readonly spec: object; readonly status: object }) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.crd.antrea.io` },
  spec: {
    group: 'crd.antrea.io',
    scope: 'Cluster',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: fields } },
      },
    ],
  },
});

/** The kinds of Antrea, written after the fields that it publishes, since no Go module of it can be fetched. */
export const ANTREA_CRDS: readonly Manifest[] = [
  crd('Egress', 'egresses', { spec: EGRESS_FIELDS, status: EGRESS_STATUS }),
  crd('ExternalIPPool', 'externalippools', {
    spec: POOL_FIELDS,
    status: { type: 'object', properties: { usage: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
  }),
];

interface PoolSpec {
  readonly ipRanges: readonly { readonly cidr?: string; readonly start?: string; readonly end?: string }[];
  readonly nodeSelector: LabelSelector;
}
interface EgressSpec {
  readonly egressIP?: string;
  readonly externalIPPool?: string;
}

const poolOf = ({ spec }: KubeObject): PoolSpec => spec as unknown as PoolSpec;
const egressOf = ({ spec }: KubeObject): EgressSpec => (spec ?? {}) as unknown as EgressSpec;
const rangesOf = (pool: KubeObject): readonly Range[] =>
  poolOf(pool).ipRanges.flatMap(({ start, end }) =>
    start === undefined || end === undefined ? [] : [rangeOf(addressOf(start), addressOf(end))],
  );
const textsOf = (pool: KubeObject): readonly string[] =>
  poolOf(pool).ipRanges.map(({ cidr, start = '', end = '' }) => cidr ?? `${start}-${end}`);

interface Review {
  readonly uid: string;
  readonly kind: { readonly kind: string };
  readonly object: KubeObject;
  readonly oldObject?: KubeObject;
}

function poolRefusal({ object, oldObject }: Review, pools: readonly KubeObject[]): string | undefined {
  const now = textsOf(object);
  const gone = (oldObject ? textsOf(oldObject) : []).filter((range) => !now.includes(range));
  if (gone.length > 0) return `existing IPRanges [${gone.join(' ')}] cannot be deleted`;
  const other = pools
    .filter(({ metadata: { name } }) => name !== object.metadata.name)
    .find((pool) => rangesOf(pool).some((range) => rangesOf(object).some((each) => each.overlaps(range))));
  return other && `range [${now.join(' ')}] overlaps with a range of pool ${other.metadata.name}`;
}

function egressRefusal({ object }: Review, pools: readonly KubeObject[]): string | undefined {
  const { egressIP, externalIPPool } = egressOf(object);
  if (egressIP === undefined || externalIPPool === undefined) return undefined;
  const pool = pools.find(({ metadata: { name } }) => name === externalIPPool);
  if (pool === undefined) return `ExternalIPPool ${externalIPPool} does not exist`;
  const address = addressOf(egressIP);
  return rangesOf(pool).some((range) => range.contains(address))
    ? undefined
    : `IP ${egressIP} is not within the IP range`;
}

/** The webhook of Antrea's controller, with the refusals that its source and manual tell. */
export class AntreaWebhook {
  readonly #client: ClusterClient;
  #server: Server | undefined;

  constructor(client: ClusterClient) {
    this.#client = client;
  }

  /** Serves reviews, and waits until the API server asks for them. */
  async start(): Promise<void> {
    const nowMs = Date.now();
    const authority = await X509_CERTIFICATES.makeAuthority(nowMs);
    const { certificate, key } = await X509_CERTIFICATES.issue(authority, { names: ['127.0.0.1'], nowMs });
    const server = createServer({ cert: certificate, key }, (request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const answer = JSON.stringify(await this.#review((JSON.parse(body) as { request: Review }).request));
        response.setHeader('content-type', 'application/json').end(answer);
      })();
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await this.#client.apply([this.#configuration(port, authority.certificate)]);
    await webhooksInForce(this.#client);
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => {
      if (this.#server === undefined) resolve();
      else
        this.#server.close(() => {
          resolve();
        });
    });
  }

  #configuration(port: number, ca: string): Manifest {
    const resources = ['egresses', 'externalippools'];
    const clientConfig = {
      url: `https://127.0.0.1:${String(port)}/validate`,
      caBundle: Buffer.from(ca).toString('base64'),
    };
    const rule = {
      apiGroups: ['crd.antrea.io'],
      apiVersions: ['v1beta1'],
      operations: ['CREATE', 'UPDATE'],
      resources,
    };
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'crdvalidator.antrea.io' },
      webhooks: [
        {
          name: 'egressvalidator.antrea.io',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig,
          rules: [rule],
        },
      ],
    } as Manifest;
  }

  async #review(review: Review): Promise<object> {
    const { items = [] } = await this.#client.request('GET', POOLS);
    const judge = review.kind.kind === 'Egress' ? egressRefusal : poolRefusal;
    const message = judge(review, items);
    const status = message === undefined ? {} : { status: { message } };
    const response = { uid: review.uid, allowed: message === undefined, ...status };
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  }
}

const isReady = ({ status }: KubeObject): boolean =>
  ((status?.['conditions'] ?? []) as unknown as readonly Record<string, string>[]).some(
    (each) => each['type'] === 'Ready' && each['status'] === 'True',
  );

/** Takes the first free address of a pool for an Egress that names none, as the controller of Antrea does. */
async function allocate(
  client: ClusterClient,
  egress: KubeObject,
  around: readonly KubeObject[],
): Promise<string | undefined> {
  const { egressIP, externalIPPool } = egressOf(egress);
  if (egressIP !== undefined) return egressIP;
  const [{ start = '' } = {}] = poolOf(await client.request('GET', `${POOLS}/${externalIPPool ?? ''}`)).ipRanges;
  const used = new Set(around.map((each) => egressOf(each).egressIP));
  for (let at = addressOf(start).toBigInt() + 1n; ; at++) {
    const free = addressFromBigInt(4, at).toString();
    if (used.has(free)) continue;
    await client.request('PATCH', `${EGRESSES}/${egress.metadata.name}`, { spec: { egressIP: free } }, 'merge');
    return free;
  }
}

/**
 * Does what controller and agents of Antrea do, once: an Egress without an address is given one of its pool, and each address goes to a ready node
 * that the pool chooses; it stays there while that one is ready.
 */
export async function assignEgresses(client: ClusterClient): Promise<void> {
  const { items: nodes = [] } = await client.request('GET', NODES);
  const { items: all = [] } = await client.request('GET', EGRESSES);
  for (const egress of all) {
    const pool = await client.attempt('GET', `${POOLS}/${egressOf(egress).externalIPPool ?? ''}`);
    if (pool.status !== 200) continue;
    const egressIP = await allocate(client, egress, all);
    const egressNode = nodeFor(egress, pool.body, nodes);
    const assigned = { type: 'IPAssigned', status: egressNode === '' ? 'False' : 'True' };
    const conditions = [egressNode === '' ? { ...assigned, message: 'no Node can be selected' } : assigned];
    const status = { egressNode, egressIP, conditions };
    await client.request('PATCH', `${EGRESSES}/${egress.metadata.name}/status`, { status }, 'merge');
  }
}

// Empty where there is none.
function nodeFor({ status }: KubeObject, pool: KubeObject, nodes: readonly KubeObject[]): string {
  const { nodeSelector } = poolOf(pool);
  const chosen = nodes.filter((node) => isReady(node) && selectorMatches(nodeSelector, node.metadata.labels ?? {}));
  const names = chosen.map(({ metadata: { name } }) => name);
  const before = String(status?.['egressNode'] ?? '');
  return names.includes(before) ? before : (names[0] ?? '');
}
