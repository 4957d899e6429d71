import { NETWORKS_FINALIZER, sharedNetworkOf } from '../../contract/nephio';
import { afterWrite } from '../../errors/after-write';
import { refuse, type Outcome } from '../../errors/outcome';
import type { ObjectChange } from '../../ports/object-feed';
import { readInstance } from '../../rules/networks';
import type { Instance, NetworkRefusal } from '../../rules/networks/types';
import { SharedWrites } from '../../runtime/shared-writes';
import type { NetworksDoorParts, NetworksObjectKey } from './door-parts';
import { hasFinalizer, keyOf } from './objects';

/** The NetworkInstances as their requests need them. */
export class Instances {
  readonly #parts: Pick<NetworksDoorParts, 'instances' | 'instanceWriter'>;
  /** Finalizers by UID of the instance; many requests begin at the same time. */
  readonly #written = new SharedWrites<true>();
  /** Keys of instances by their network on record, by the network of the other doors that they name. */
  readonly #inNetwork = new Map<string, Map<string, NetworksObjectKey>>();

  /**
   * Starts without a write.
   *
   * @param parts - watch and writer
   */
  constructor(parts: Pick<NetworksDoorParts, 'instances' | 'instanceWriter'>) {
    this.#parts = parts;
  }

  /**
   * Finds the instance of a request.
   *
   * @param namespace - of the request
   * @param name - as the request names it
   * @returns the instance; or refusal `instance/not-found`
   */
  get(namespace: string, name: string): Outcome<Instance> {
    const object = this.#parts.instances.get(namespace, name);
    if (object !== undefined) return { ok: true, value: readInstance(object) };
    return refusedByInstance(refuse('instance/not-found', `NetworkInstance ${namespace}/${name} does not exist`));
  }

  /**
   * Puts the finalizer on an instance before anything is given in it: in between, it could be deleted at once.
   *
   * @param instance - as {@link get} tells it
   * @returns false where it changed meanwhile, or went
   * @throws IpamError where the cluster does not answer, or refuses the write
   */
  async hold({ namespace, name, uid }: Instance): Promise<boolean> {
    const { instances, instanceWriter } = this.#parts;
    const object = instances.get(namespace, name);
    if (object === undefined) return false;
    if (hasFinalizer(object)) {
      this.#written.forget(uid);
      return true;
    }
    const written = await this.#written.do(uid, async () => {
      const outcome = await instanceWriter.addFinalizer(keyOf('instance', object), NETWORKS_FINALIZER, object);
      return afterWrite(outcome) === 'written' ? true : undefined;
    });
    return written === true;
  }

  /**
   * Finds the network of the other doors with whose space an instance is compared.
   *
   * @param namespace - of the instance
   * @param name - of the instance
   * @returns the name; undefined where it names none
   */
  sharedNetwork(namespace: string, name: string): string | undefined {
    return sharedNetworkOf(this.#parts.instances.get(namespace, name));
  }

  /**
   * Takes over a change of an instance, for {@link inNetwork}.
   *
   * @param change - as the watch tells it, or a first look at a stored one
   */
  follow({ key, before, after }: ObjectChange): void {
    const known = after ?? before;
    if (known === undefined) return;
    const { network: own } = readInstance(known);
    const [from, to] = [sharedNetworkOf(before), sharedNetworkOf(after)];
    if (from !== undefined && from !== to) this.#inNetwork.get(from)?.delete(own);
    if (to === undefined) return;
    const others = this.#inNetwork.get(to) ?? new Map<string, NetworksObjectKey>();
    this.#inNetwork.set(to, others.set(own, { of: 'instance', ...key }));
  }

  /**
   * Lists the instances that name a network of the other doors. Costs what there are of these, however many other instances there are.
   *
   * @param network - of the other doors; any by default
   * @returns key of each instance, by its network on record
   */
  inNetwork(network?: string): readonly (readonly [own: string, key: NetworksObjectKey])[] {
    if (network !== undefined) return [...(this.#inNetwork.get(network) ?? [])];
    return [...this.#inNetwork.values()].flatMap((keys) => [...keys]);
  }

  /**
   * Lists the other instances that name the same network of the other doors.
   *
   * @param of - the instance
   * @param of.namespace - its namespace
   * @param of.name - its name
   * @returns none where it names no network
   */
  sharing({ namespace, name }: Pick<Instance, 'namespace' | 'name'>): readonly Instance[] {
    const network = this.sharedNetwork(namespace, name);
    if (network === undefined) return [];
    return this.#parts.instances
      .list()
      .filter((object) => sharedNetworkOf(object) === network)
      .map(readInstance)
      .filter((each) => each.namespace !== namespace || each.name !== name);
  }
}

/**
 * Refuses what has no instance to be given in.
 *
 * @param refused - why
 * @returns the same, woken by a change of the instance
 */
export function refusedByInstance(refused: Outcome<never>): Outcome<never> {
  if (refused.ok) return refused;
  const wokenBy = { parents: [], places: [], isByLabels: false, isByInstance: true };
  const refusal: NetworkRefusal = { ...refused.refusal, wokenBy };
  return { ok: false, refusal };
}
