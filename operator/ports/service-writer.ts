import type { Outcome } from '../errors/outcome';
import type { ObjectEvent } from './event-recorder';
import type { ServiceKey } from './service-feed';

/** A condition of `status.conditions`, as we write it; the writer adds nothing but keeps `lastTransitionTime`. */
export interface ServiceCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, from a bounded set. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; changes with `status` only. */
  readonly lastTransitionTime: string;
}

/** An Event about a Service. */
export type ServiceEvent = ObjectEvent;

/**
 * Writes what we say about stored Services: patches of `services/status` alone, so that no right on `services` is needed and no
 * webhook fires. An object that is gone or has another UID is refused with `claim/not-found`, an old `resourceVersion` with
 * `store/conflict`; nothing is written then.
 */
export interface ServiceWriter {
  /**
   * Sets annotations, or takes them away with null; other keys stay.
   *
   * @throws IpamError `cluster/unavailable`
   */
  annotate(
    key: ServiceKey,
    annotations: Readonly<Record<string, string | null>>,
    guard?: { readonly resourceVersion: string },
  ): Promise<Outcome<void>>;
  /** Server-side apply of our one condition under manager `ipam-operator`; undefined takes it away. */
  condition(key: ServiceKey, condition: ServiceCondition | undefined): Promise<Outcome<void>>;
  /** Records an Event; equal ones in a row are counted in one object. Never throws: an Event is a courtesy. */
  event(key: ServiceKey, event: ServiceEvent): Promise<void>;
}
