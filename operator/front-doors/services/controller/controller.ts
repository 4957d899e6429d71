import type { Address } from '../../../addressing/address';
import type { JsonMap } from '../../../contract/loose-json';
import { selectorMatches, type ZoneCatalogue } from '../../../contract/zones';
import type { FreedAddress } from '../../../ports/address-book';
import type { MetClaim } from '../../../ports/occupied-addresses';
import type { RelabelledNamespace } from '../../../ports/namespace-feed';
import type { ServiceKey } from '../../../ports/service-feed';
import type { ServiceEvent } from '../../../ports/service-writer';
import { Announcers } from './announcers';
import { bindLate, mayBeUnbound, stillUnbound } from './bind-late';
import { brieflyRemembered } from './brief-reads';
import { compareAll } from './compare';
import type { ControllerContext } from './controller-parts';
import { Crowds } from '../wanted/namespace-rate';
import type { MetAddresses, ServicesControllerParts } from '../wanted/door-parts';
import { uses } from './disputed';
import { LeftOutNotices } from './left-alone';
import { MetClaims } from './met-claims';
import { KnownServices, type Known } from './known-services';
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
   * @returns keys to enqueue: every stored LoadBalancer that needs a look, and every owner in the record that has no live object
   */
  compare(): Promise<readonly ServiceKey[]>;
  /**
   * Tells whether a stored object may have a reservation that is not bound, by its looks and by what this process knows; in a process
   * that does not lead, by its looks alone.
   */
  mayBeUnbound(raw: JsonMap): boolean;
  /**
   * Finds those among Services that may be unbound which the record has as reserved, with one read for all of them.
   *
   * @throws IpamError of store or cluster
   */
  stillUnbound(keys: readonly ServiceKey[]): Promise<readonly ServiceKey[]>;
  /**
   * Binds what admission reserved for a stored Service and that is not bound, and nothing else. Any process may do that at any time.
   *
   * @returns how many addresses were bound
   * @throws IpamError of store or cluster
   */
  bindLate(key: ServiceKey): Promise<number>;
  /** Tells of Services that a change helps or harms; returns the function that stops it. */
  onWake(listener: (key: ServiceKey) => void): () => void;
  /**
   * True once a whole comparison adopted what it found, so that new addresses may be given out; false again while the stored Services are
   * those of an older copy of the cluster.
   */
  adopted(): boolean;
  /** Resolves when {@link adopted} becomes true. */
  whenAdopted(): Promise<void>;
  /** Forgets every Service, since another process looks after them now; the next comparison finds all of it out again. */
  rest(): void;
  /** Tells of an address that is not in use any more, for waiting Services. */
  freed(freed: FreedAddress): void;
  /** Tells that zones may choose from other space than before, for all Services that wait. */
  spaceChanged(): void;
  /** Tells every claim of the cluster at whose address something else is shown, so that its Service is looked at. */
  meets(claims: readonly MetClaim[]): void;
  /** Stops listening to zones, namespaces and record. */
  close(): void;
}

/**
 * Makes the controller of the Services door.
 *
 * @param parts - ports and settings of the door, the stored Services and what writes to them
 * @returns the controller; only the leader may call `reconcile`
 */
export function createServicesController(parts: ServicesControllerParts): ServicesController {
  return new LevelController(parts);
}

class LevelController implements ServicesController {
  readonly #context: ControllerContext;
  readonly #waitingForAdoption: (() => void)[] = [];
  readonly #stops: (() => void)[] = [];
  readonly #met = new MetClaims();
  #adopted = false;
  /** How many resets of the feed came; a comparison that one of them overtook proves nothing. */
  #resets = 0;

  constructor(parts: ServicesControllerParts) {
    const { clock, meter, book, zones, namespaces } = parts;
    const waiters = new Waiters({ clock, meter });
    const known = new KnownServices(meter);
    const cluster = brieflyRemembered(parts.cluster, clock);
    const announcers = new Announcers(parts);
    const met: MetAddresses = {
      usesAt: (place) => this.#met.usesAt(place),
      left: (view, address, use) => {
        void parts.writer.event(view, givenUp(address, use));
      },
    };
    this.#context = {
      parts: { ...parts, cluster, crowds: new Crowds(), met },
      known,
      waiters,
      announcers,
      notices: new LeftOutNotices(parts),
    };
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
    // a Service that has an address keeps it, and is told where the zones as they are now would not give it
    const lookAgain = (each: Known): void => {
      each.recheck = true;
      waiters.wake(each.key);
    };
    const stops = [
      parts.feed.onReset?.(() => {
        this.#resets += 1;
        this.#adopted = false;
      }),
      zones.onChange?.(() => {
        waiters.wakeAll();
        for (const each of known.all()) lookAgain(each);
      }),
      parts.poolFacts?.onChange(() => {
        announcers.forget();
        for (const each of known.all()) if (each.unannounced !== undefined) waiters.wake(each.key);
      }),
      parts.disputes?.onChange((place) => {
        for (const each of known.all()) if (uses(each, place)) lookAgain(each);
      }),
      namespaces?.onRelabelled((change) => {
        cluster.forgetNamespace(change.name);
        if (!opensOrCloses(zones.current(), change)) return;
        for (const each of known.all()) if (each.key.namespace === change.name) lookAgain(each);
      }),
    ];
    this.#stops.push(...stops.filter((stop) => stop !== undefined));
  }

  async reconcile(key: ServiceKey): Promise<{ readonly requeueAfterMs?: number }> {
    const { again } = await reconcileService(this.#context, key);
    return again === undefined ? {} : { requeueAfterMs: again };
  }

  async compare(): Promise<readonly ServiceKey[]> {
    const resets = this.#resets;
    const keys = await compareAll(this.#context, !this.#adopted);
    if (resets !== this.#resets) return keys;
    this.#adopted = true;
    for (const resolve of this.#waitingForAdoption.splice(0)) resolve();
    return keys;
  }

  mayBeUnbound(raw: JsonMap): boolean {
    return mayBeUnbound(this.#context, raw);
  }

  stillUnbound(keys: readonly ServiceKey[]): Promise<readonly ServiceKey[]> {
    return stillUnbound(this.#context, keys);
  }

  bindLate(key: ServiceKey): Promise<number> {
    return bindLate(this.#context, key);
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

  freed(freed: FreedAddress): void {
    this.#context.waiters.freed(freed);
  }

  spaceChanged(): void {
    this.#context.waiters.wakeAll();
  }

  meets(claims: readonly MetClaim[]): void {
    for (const { holder, ...place } of this.#met.replace(claims)) {
      const { namespace, name, uid } = holder;
      const user = this.#context.known.userOf(place);
      if (user !== undefined) user.recheck = true;
      const key = user?.key ?? (uid === undefined ? undefined : { namespace, name, uid });
      if (key !== undefined) this.#context.waiters.wake(key);
    }
  }

  rest(): void {
    this.#context.known.forgetAll();
    this.#context.waiters.clear();
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#context.waiters.close();
  }
}

function givenUp(address: Address, { cluster, source }: MetClaim['use']): ServiceEvent {
  const message = `address "${address.toString()}" was given up before it was announced: it is in use by ${source} of cluster ${cluster}`;
  return { type: 'Warning', reason: 'AddressInUse', message };
}

function opensOrCloses({ zones }: ZoneCatalogue, { before, after }: RelabelledNamespace): boolean {
  return zones.some(({ namespaces }) => selectorMatches(namespaces, before) !== selectorMatches(namespaces, after));
}
