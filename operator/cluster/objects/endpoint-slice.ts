import { FIELD_MANAGER } from '../../contract/group';
import { listOf, mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import type { Logger } from '../../ports/logger';
import { faultFields } from '../../errors/trace';
import type { ObjectWriter } from '../../ports/object-writer';

/** Kind of the slices. */
export const ENDPOINT_SLICES = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  resource: 'endpointslices',
} as const;

/** Times that a write is tried while others write the slice. */
const TRIES = 5;

/** One address of a Service that selects no Pods. */
export interface SliceEndpoint {
  readonly namespace: string;
  /** Service that leads to it. */
  readonly service: string;
  /** Name and number of the port. */
  readonly port: { readonly name: string; readonly number: number };
  readonly address: string;
  readonly family: 4 | 6;
}

/** The EndpointSlice of a Service without a selector, which has at most one address: that of the process that leads. */
export class EndpointSlice {
  readonly #writer: Pick<ObjectWriter, 'read' | 'create' | 'replace'>;
  readonly #endpoint: SliceEndpoint;
  readonly #logger: Logger;

  /**
   * Writes nothing yet.
   *
   * @param writer - of EndpointSlices
   * @param endpoint - of this process
   * @param logger - for writes that fail
   */
  constructor(writer: Pick<ObjectWriter, 'read' | 'create' | 'replace'>, endpoint: SliceEndpoint, logger: Logger) {
    this.#writer = writer;
    this.#endpoint = endpoint;
    this.#logger = logger;
  }

  /**
   * Makes this process the one that the Service leads to. Nothing is written where it is so already.
   *
   * @returns false where the cluster did not take it
   */
  announce(): Promise<boolean> {
    return this.#write((stored) => (isSame(stored, this.#wanted) ? undefined : this.#wanted));
  }

  /**
   * Takes this process out, unless another one has taken its place by then.
   *
   * @returns false where the cluster did not take it
   */
  withdraw(): Promise<boolean> {
    return this.#write((stored) => {
      const own = listOf(stored?.['endpoints']).some((each) =>
        listOf(mapOf(each)['addresses']).includes(this.#endpoint.address),
      );
      return own ? { ...this.#wanted, endpoints: [] } : undefined;
    });
  }

  get #wanted(): JsonMap {
    const { service, port, address, family } = this.#endpoint;
    return {
      // the family of a slice cannot be changed
      metadata: {
        name: `${service}-ipv${String(family)}`,
        namespace: this.#endpoint.namespace,
        labels: {
          'kubernetes.io/service-name': service,
          'endpointslice.kubernetes.io/managed-by': FIELD_MANAGER,
        },
      },
      addressType: `IPv${String(family)}`,
      endpoints: [{ addresses: [address], conditions: { ready: true, serving: true, terminating: false } }],
      ports: [{ name: port.name, port: port.number, protocol: 'TCP' }],
    };
  }

  async #write(change: (stored: JsonMap | undefined) => JsonMap | undefined): Promise<boolean> {
    const { name, namespace } = metadataOf(this.#wanted) as { readonly name: string; readonly namespace: string };
    try {
      for (let left = TRIES; left > 0; left--) {
        const { object } = await this.#writer.read({ namespace, name });
        const wanted = change(object);
        if (wanted === undefined) return true;
        const written =
          object === undefined ? await this.#writer.create(wanted) : await this.#writer.replace(over(object, wanted));
        if (written.ok) return true;
        if (written.refusal.code !== 'store/conflict' && written.refusal.code !== 'claim/not-found') {
          this.#logger.warn('the EndpointSlice was not written', { name, reason: written.refusal.message });
          return false;
        }
      }
    } catch (thrown) {
      this.#logger.warn('the EndpointSlice was not written', { name, ...faultFields(thrown) });
    }
    return false;
  }
}

function over(stored: JsonMap, wanted: JsonMap): JsonMap {
  const { uid, resourceVersion } = metadataOf(stored);
  return { ...wanted, metadata: { ...mapOf(wanted['metadata']), uid, resourceVersion } };
}

function isSame(stored: JsonMap | undefined, wanted: JsonMap): boolean {
  if (stored === undefined) return false;
  const gist = (of: JsonMap): string => JSON.stringify([endpointsOf(of), portsOf(of), labelsOf(of, wanted)]);
  return gist(stored) === gist(wanted);
}

const endpointsOf = (of: JsonMap) =>
  listOf(of['endpoints']).map((each) => {
    const { addresses, conditions } = mapOf(each);
    const { ready, serving, terminating } = mapOf(conditions);
    return [addresses, ready, serving, terminating];
  });

const portsOf = (of: JsonMap) =>
  listOf(of['ports']).map((each) => {
    const { name, port, protocol } = mapOf(each);
    return [name, port, protocol];
  });

const labelsOf = (of: JsonMap, wanted: JsonMap) =>
  Object.keys(mapOf(metadataOf(wanted)['labels'])).map((key) => mapOf(metadataOf(of)['labels'])[key]);
