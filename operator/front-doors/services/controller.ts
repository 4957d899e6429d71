import type { ServiceKey } from '../../ports/service-feed';
import { brieflyRemembered } from './brief-reads';
import { compareAll } from './compare';
import type { ControllerContext } from './controller-parts';
import type { ServicesControllerParts } from './door';
import { KnownServices } from './known-services';
import { reconcileService } from './reconcile';
import { Waiters } from './waiters';

/** Brings stored Services in line with the record. Safe for parallel calls on different keys; one key at a time. */
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
  /** Tells of Services that a change helps or harms; returns the function that stops it. */
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
  return new LevelController(parts);
}

class LevelController implements ServicesController {
  readonly #context: ControllerContext;
  readonly #waitingForAdoption: (() => void)[] = [];
  readonly #stops: (() => void)[] = [];
  #adopted = false;

  constructor(parts: ServicesControllerParts) {
    const { clock, meter, book, zones } = parts;
    const waiters = new Waiters({ clock, meter });
    const known = new KnownServices();
    this.#context = { parts: { ...parts, cluster: brieflyRemembered(parts.cluster, clock) }, known, waiters };
    this.#stops.push(
      book.onFreed((freed) => {
        const user = known.userOf(freed);
        if (user !== undefined) {
          user.recheck = true;
          waiters.wake(user.key);
        }
        waiters.freed(freed);
      }),
    );
    const stop = zones.onChange?.(() => {
      waiters.wakeAll();
      // who has an address keeps it, and is told where the new zones would not give it
      for (const each of known.all()) {
        each.recheck = true;
        waiters.wake(each.key);
      }
    });
    if (stop !== undefined) this.#stops.push(stop);
  }

  async reconcile(key: ServiceKey): Promise<{ readonly requeueAfterMs?: number }> {
    const { again } = await reconcileService(this.#context, key);
    return again === undefined ? {} : { requeueAfterMs: again };
  }

  async compare(): Promise<readonly ServiceKey[]> {
    const keys = await compareAll(this.#context, !this.#adopted);
    this.#adopted = true;
    for (const resolve of this.#waitingForAdoption.splice(0)) resolve();
    return keys;
  }

  onWake(listener: (key: ServiceKey) => void): () => void {
    return this.#context.waiters.onWake(listener);
  }

  adopted(): boolean {
    return this.#adopted;
  }

  whenAdopted(): Promise<void> {
    if (this.#adopted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waitingForAdoption.push(resolve);
    });
  }

  waiting(): number {
    return this.#context.waiters.size;
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#context.waiters.close();
  }
}
