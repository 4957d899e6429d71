import type { Address } from '../../../addressing/address';

/** Addresses that namespaces send from, as far as this process wrote them. */
export class SentAddresses {
  readonly #byNamespace = new Map<string, ReadonlyMap<string, Address>>();

  /**
   * Is to be told before a namespace gets addresses.
   *
   * @param namespace - name
   * @param addresses - that it gets; those from before count too until {@link isOnly}
   */
  sends(namespace: string, addresses: readonly Address[]): void {
    const before = this.#byNamespace.get(namespace) ?? new Map<string, Address>();
    this.#byNamespace.set(namespace, new Map([...before, ...byText(addresses)]));
  }

  /**
   * Is to be told when a namespace sends from some addresses alone.
   *
   * @param namespace - name
   * @param addresses - that it has now
   * @returns those that it does not send from any more
   */
  isOnly(namespace: string, addresses: readonly Address[]): readonly Address[] {
    const before = this.#byNamespace.get(namespace) ?? new Map<string, Address>();
    const now = byText(addresses);
    this.#byNamespace.set(namespace, now);
    return [...before].flatMap(([text, address]) => (now.has(text) ? [] : address));
  }

  /**
   * Tells whether a namespace may send from an address.
   *
   * @param address - any address
   * @param namespaces - those of which the dataplane has something
   * @returns true also while what one of these has was not written by this process
   */
  maySend(address: Address, namespaces: readonly string[]): boolean {
    if (namespaces.some((name) => !this.#byNamespace.has(name))) return true;
    return [...this.#byNamespace.values()].some((all) => all.has(address.toString()));
  }
}

const byText = (addresses: readonly Address[]): ReadonlyMap<string, Address> =>
  new Map(addresses.map((address) => [address.toString(), address]));
