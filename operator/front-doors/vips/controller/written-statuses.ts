import type { Address } from '../../../addressing/address';
import { versionNumber, versionOf } from '../../../contract/resource-version';
import { SERVICE } from '../../../contract/service-identity';
import type { Outcome } from '../../../errors/outcome';
import type { AddressesInUse, AddressShowing } from '../../../ports/addresses-in-use';
import type { ObjectChange, ObjectKey } from '../../../ports/object-feed';

/** One write of the status of a Service. */
interface StatusWrite {
  readonly key: ObjectKey;
  /** Version of the Service that it goes over; no other version is written. */
  readonly over: number;
  readonly addresses: readonly Address[];
  /** True: its answer was lost. */
  isLost: boolean;
}

/**
 * What the cluster shows, and beside it what this process is about to have a Service show: that counts from before the write until the
 * watch is beyond the version that it went over. Without it an `IP` that is deleted in between would leave an address that looks free.
 */
export class WrittenStatuses implements AddressesInUse {
  readonly #shown: AddressesInUse;
  readonly #writes = new Map<string, readonly StatusWrite[]>();
  /** UIDs of the Services of writes, by address. */
  readonly #at = new Map<string, readonly string[]>();

  /**
   * Starts without a write.
   *
   * @param shown - what the cluster shows
   */
  constructor(shown: AddressesInUse) {
    this.#shown = shown;
  }

  /** @inheritdoc */
  at(address: Address): readonly AddressShowing[] {
    const shown = this.#shown.at(address);
    const written = (this.#at.get(address.toString()) ?? []).filter((uid) => shown.every((each) => each.uid !== uid));
    return written.length === 0 ? shown : [...shown, ...written.flatMap((uid) => this.#showing(uid))];
  }

  /** @inheritdoc */
  addresses(): readonly Address[] {
    return [...this.#shown.addresses(), ...[...this.#writes.values()].flat().flatMap(({ addresses }) => addresses)];
  }

  /** @inheritdoc */
  blocks(): ReturnType<AddressesInUse['blocks']> {
    return this.#shown.blocks();
  }

  /** @inheritdoc */
  whenKnown(): Promise<void> {
    return this.#shown.whenKnown();
  }

  /**
   * Tells whether the watch may be behind the status of a Service that this process wrote.
   *
   * @param uid - of the Service
   * @returns true where a write is not told yet
   */
  isAwaited(uid: string): boolean {
    return this.#writes.has(uid);
  }

  /**
   * Counts a write from now on, and no more once it was refused.
   *
   * @param outcome - of the write, which is under way
   * @param of - the Service with the version that is written over, and what it will show
   * @returns the same outcome
   * @throws IpamError where the answer was lost
   */
  async during<V>(
    outcome: Promise<Outcome<V>>,
    of: { readonly key: ObjectKey; readonly resourceVersion: string; readonly addresses: readonly Address[] },
  ): Promise<Outcome<V>> {
    const { key, resourceVersion, addresses } = of;
    const write: StatusWrite = { key, over: versionNumber(resourceVersion), addresses, isLost: false };
    this.#keep(key.uid, [...(this.#writes.get(key.uid) ?? []), write]);
    const ended = await outcome.catch((thrown: unknown) => {
      write.isLost = true;
      throw thrown;
    });
    if (!ended.ok) this.#drop(key.uid, (each) => each === write);
    return ended;
  }

  /**
   * Follows the watch of Services.
   *
   * @param change - as it is told
   * @returns addresses that no write shows any more
   */
  follow({ key: { uid }, after }: ObjectChange): readonly Address[] {
    if (!this.#writes.has(uid)) return [];
    const reached = after === undefined ? Number.POSITIVE_INFINITY : versionOf(after);
    return this.#drop(uid, ({ over }) => over < reached);
  }

  /**
   * Forgets writes without an answer that the watch does not tell either: they were not stored.
   *
   * @returns addresses that no write shows any more
   */
  forgetLost(): readonly Address[] {
    return [...this.#writes.keys()].flatMap((uid) => this.#drop(uid, ({ isLost }) => isLost));
  }

  /** Forgets all: another process writes. */
  clear(): void {
    this.#writes.clear();
    this.#at.clear();
  }

  #showing(uid: string): readonly AddressShowing[] {
    const [write] = this.#writes.get(uid) ?? [];
    if (write === undefined) return [];
    const { namespace, name } = write.key;
    return [{ kind: 'ingress', source: `${SERVICE.kind}/${namespace}/${name}`, uid }];
  }

  #drop(uid: string, isOver: (write: StatusWrite) => boolean): readonly Address[] {
    const writes = this.#writes.get(uid) ?? [];
    const over = writes.filter(isOver);
    if (over.length > 0)
      this.#keep(
        uid,
        writes.filter((each) => !over.includes(each)),
      );
    return over.flatMap(({ addresses }) => addresses);
  }

  #keep(uid: string, writes: readonly StatusWrite[]): void {
    for (const address of addressesOf(this.#writes.get(uid)))
      this.#count(address, (uids) => uids.filter((each) => each !== uid));
    if (writes.length === 0) this.#writes.delete(uid);
    else this.#writes.set(uid, writes);
    for (const address of addressesOf(writes)) this.#count(address, (uids) => [...uids, uid]);
  }

  #count(address: string, changed: (uids: readonly string[]) => readonly string[]): void {
    const uids = changed(this.#at.get(address) ?? []);
    if (uids.length === 0) this.#at.delete(address);
    else this.#at.set(address, uids);
  }
}

function addressesOf(writes: readonly StatusWrite[] = []): ReadonlySet<string> {
  return new Set(writes.flatMap(({ addresses }) => addresses.map(String)));
}
