import type { Address } from '../../../addressing/address';
import { readVirtualIp, VIRTUAL_IP_STATES, type VirtualIpView } from '../../../contract/kinds/virtual-ip';
import type { ObjectFeed, ObjectName } from '../../../ports/object-feed';

/** The VirtualIPs as the watch knows them, by what they touch. */
export class VirtualIpIndex {
  readonly #feed: ObjectFeed;
  readonly #byService = new Map<string, Map<string, VirtualIpView>>();
  readonly #byAddress = new Map<string, Map<string, VirtualIpView>>();
  readonly #stop: () => void;

  /**
   * Follows a feed.
   *
   * @param feed - VirtualIPs
   * @param told - called with each change
   */
  constructor(
    feed: ObjectFeed,
    told: (before: VirtualIpView | undefined, after: VirtualIpView | undefined) => void = () => undefined,
  ) {
    this.#feed = feed;
    this.#stop = feed.onChange((change) => {
      const [before, after] = [readVirtualIp(change.before), readVirtualIp(change.after)];
      this.#drop(before);
      this.#add(after);
      told(before, after);
    });
  }

  /**
   * Lists all of them.
   *
   * @returns in no order
   */
  all(): readonly VirtualIpView[] {
    return this.#feed.list().flatMap((raw) => readVirtualIp(raw) ?? []);
  }

  /**
   * Finds one.
   *
   * @param name - as it is stored
   * @returns the VirtualIP; undefined where none of the name is known
   */
  get({ namespace, name }: ObjectName): VirtualIpView | undefined {
    return readVirtualIp(this.#feed.get(namespace, name));
  }

  /**
   * Finds those that a Service is exposed by, or is the copy of.
   *
   * @param namespace - of the Service
   * @param name - of the Service
   * @returns in no order
   */
  touching(namespace: string, name: string): readonly VirtualIpView[] {
    return [...(this.#byService.get(`${namespace}/${name}`)?.values() ?? [])];
  }

  /**
   * Finds those of an address.
   *
   * @param address - any address
   * @returns in no order
   */
  at(address: Address): readonly VirtualIpView[] {
    return [...(this.#byAddress.get(address.toString())?.values() ?? [])];
  }

  /**
   * Tells whether an address is being migrated, so that its Service may hold it whatever its type is.
   *
   * @param address - on record
   * @returns true from the order on until the migration is done
   */
  isMigrating(address: Address): boolean {
    return this.at(address).some(({ order, state }) => order !== 'none' && state !== VIRTUAL_IP_STATES.migrated);
  }

  /** Ends the watch. */
  close(): void {
    this.#stop();
  }

  #add(view: VirtualIpView | undefined): void {
    if (view === undefined) return;
    for (const key of servicesOf(view)) into(this.#byService, key, view);
    if (view.address !== undefined) into(this.#byAddress, view.address.toString(), view);
  }

  #drop(view: VirtualIpView | undefined): void {
    if (view === undefined) return;
    for (const key of servicesOf(view)) outOf(this.#byService, key, view);
    if (view.address !== undefined) outOf(this.#byAddress, view.address.toString(), view);
  }
}

const servicesOf = ({ namespace, service, clone }: VirtualIpView): readonly string[] => [
  `${namespace}/${service}`,
  `${namespace}/${clone}`,
];

type Index = Map<string, Map<string, VirtualIpView>>;

function into(index: Index, key: string, view: VirtualIpView): void {
  const found = index.get(key) ?? new Map<string, VirtualIpView>();
  found.set(view.uid, view);
  index.set(key, found);
}

function outOf(index: Index, key: string, { uid }: VirtualIpView): void {
  const found = index.get(key);
  found?.delete(uid);
  if (found?.size === 0) index.delete(key);
}
