import type { Address } from '../../addressing/address';
import { readIpAddress } from '../../contract/cluster-api';
import type { JsonMap } from '../../contract/loose-json';
import type { ObjectFeed, ObjectName } from '../../ports/object-feed';

/** IPAddresses by the address that they have, as the watch knows them. */
export class ShownAddresses {
  readonly #byAddress = new Map<string, Map<string, ObjectName>>();
  readonly #stop: () => void;

  /**
   * Follows a feed.
   *
   * @param feed - IPAddresses
   */
  constructor(feed: Pick<ObjectFeed, 'onChange'>) {
    this.#stop = feed.onChange(({ before, after }) => {
      this.#drop(before);
      this.#add(after);
    });
  }

  /**
   * Finds what shows an address.
   *
   * @param address - any address
   * @returns names of IPAddresses
   */
  at(address: Address): readonly ObjectName[] {
    return [...(this.#byAddress.get(address.toString())?.values() ?? [])];
  }

  /** Ends the watch. */
  close(): void {
    this.#stop();
  }

  #add(raw: JsonMap | undefined): void {
    const read = readIpAddress(raw);
    if (read?.address === undefined) return;
    const text = read.address.toString();
    const { namespace, name } = read;
    const all = this.#byAddress.get(text) ?? new Map<string, ObjectName>();
    this.#byAddress.set(text, all.set(`${namespace}/${name}`, { namespace, name }));
  }

  #drop(raw: JsonMap | undefined): void {
    const read = readIpAddress(raw);
    const text = read?.address?.toString() ?? '';
    const all = this.#byAddress.get(text);
    if (read === undefined || all === undefined) return;
    all.delete(`${read.namespace}/${read.name}`);
    if (all.size === 0) this.#byAddress.delete(text);
  }
}
