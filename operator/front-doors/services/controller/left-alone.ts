import { ORIGINAL_EXCLUDED_NAMESPACES } from '../../../contract/group';
import type { JsonMap } from '../../../contract/loose-json';
import type { Logger } from '../../../ports/logger';
import type { ServiceKey } from '../../../ports/service-feed';
import type { ServiceWriter } from '../../../ports/service-writer';
import { serviceOwner } from '../../../rules/service-owner';
import { ownerSettings, type DeciderParts } from '../wanted/door-parts';
import { isExcluded } from '../wanted/review';
import { isServedElsewhere } from '../wanted/served-elsewhere';
import { readStored, type StoredObject } from './stored-object';

type Parts = DeciderParts;

/** A stored Service that is left alone although it, the default zone or its class asks for an address of ours. */
export interface LeftAloneService {
  readonly namespace: string;
  readonly name: string;
  /** Why: its namespace is left out, or another load balancer serves it. */
  readonly because: 'namespace' | 'served-elsewhere';
  /** True where it asks by itself, so that it would be served as soon as its namespace is opened. */
  readonly asks: boolean;
  /** Addresses in its status. */
  readonly addresses: readonly string[];
}

/**
 * Lists the stored Services that are left alone: those that a wider choice of namespaces would reach, and those that a default zone does not.
 *
 * @param parts - settings and zones of the door
 * @param stored - every stored Service
 * @returns those that may seem forgotten
 */
export function leftAloneServices(parts: Parts, stored: readonly JsonMap[]): readonly LeftAloneService[] {
  return stored.flatMap((raw) => {
    const object = readStored(raw);
    if (object === undefined) return [];
    const because = whyLeftAlone(parts, object);
    if (because === undefined) return [];
    const { namespace, name } = object.view;
    return [{ namespace, name, because, asks: asks(parts, object), addresses: object.announced.map(String) }];
  });
}

function whyLeftAlone(parts: Parts, object: StoredObject): LeftAloneService['because'] | undefined {
  const { view, raw } = object;
  if (serviceOwner({ service: view }, ownerSettings(parts)) !== 'services') return undefined;
  if (isExcluded(parts, view.namespace)) {
    // what Kubernetes runs for itself is meant to be left alone, unless it says otherwise
    return asks(parts, object) || isOfOriginal(view.namespace) ? 'namespace' : undefined;
  }
  return isServedElsewhere(raw) && !asks(parts, object) ? 'served-elsewhere' : undefined;
}

function isOfOriginal(namespace: string): boolean {
  return (ORIGINAL_EXCLUDED_NAMESPACES as readonly string[]).includes(namespace);
}

// As if another load balancer served it, so that a default zone is no reason.
function asks(parts: Parts, { view }: StoredObject): boolean {
  return serviceOwner({ service: view, isServedElsewhere: true }, ownerSettings(parts)) === 'services';
}

/** Tells Services of namespaces that are left out that they will not be served. Each is told once. */
export class LeftOutNotices {
  readonly #told = new Set<string>();
  readonly #parts: Parts & { readonly writer: Pick<ServiceWriter, 'event'>; readonly logger: Logger };

  /**
   * Has told none yet.
   *
   * @param parts - settings and zones of the door, and where Events go
   */
  constructor(parts: Parts & { readonly writer: Pick<ServiceWriter, 'event'>; readonly logger: Logger }) {
    this.#parts = parts;
  }

  /**
   * Tells a Service that asks in vain.
   *
   * @param object - as stored
   * @param key - of the object
   */
  async tell(object: StoredObject, key: ServiceKey): Promise<void> {
    const { namespace, name, uid } = key;
    if (this.#told.has(uid) || !isExcluded(this.#parts, namespace)) return;
    if (whyLeftAlone(this.#parts, object) === undefined || !asks(this.#parts, object)) return;
    this.#told.add(uid);
    const message = `it asks for an address, but namespace "${namespace}" is left out (services.excludedNamespaces, settings.namespacePreset), so it gets none of ours; take the namespace out of that list, or the wish off this Service`;
    this.#parts.logger.warn('service asks in a namespace that is left out', { namespace, name });
    await this.#parts.writer.event(key, { type: 'Warning', reason: 'NamespaceLeftOut', message });
  }

  /**
   * Forgets a Service that is gone.
   *
   * @param uid - of the Service
   */
  forget(uid: string): void {
    this.#told.delete(uid);
  }
}
