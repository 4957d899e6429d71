import type { Address } from '../../../addressing/address';
import { catalogueRow } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import type { FreedAddress } from '../../../ports/address-book';
import type { Clock } from '../../../ports/clock';
import type { Labels, Meter } from '../../../ports/meter';
import type { ServiceKey } from '../../../ports/service-feed';
import { ListenerSet } from '../../../runtime/listener-set';
import type { Trade } from './circles';
import { ReasonedGauge } from './reasoned-gauge';

/** Pause before the first look at a Service that nothing woke; doubled each time. */
const FIRST_PAUSE_MS = 5_000;
/** Longest such pause: what no watch tells (a Secret that was made) is seen after it at the latest. */
const LONGEST_PAUSE_MS = 300_000;

/** The same for an address of a neighbour, which may go between the look and the wait for its end. */
const NEIGHBOUR_PAUSE_MS = 500;

interface Waiter {
  readonly key: ServiceKey;
  readonly refusal: Refusal;
  readonly looks: number;
  readonly woken: boolean;
  /** Since when it waits, also before this process; milliseconds since 1970. */
  readonly sinceMs: number;
  /** Addresses that it could exchange. */
  readonly trade: Trade | undefined;
}

/** Further facts of a Service that comes into the line. */
interface Waiting {
  /** When it was first told that it waits, milliseconds since 1970; absent: now. */
  readonly toldMs?: number | undefined;
  readonly trade?: Trade | undefined;
}

/** Services that wait for an address. */
export class Waiters {
  readonly #line = new Map<string, Waiter>();
  /** UIDs of waiting Services, by the value that stands in their way. */
  readonly #asking = new Map<string, Set<string>>();
  readonly #listeners = new ListenerSet<ServiceKey>();
  readonly #gauge: ReasonedGauge;
  readonly #timers = new Set<() => void>();
  readonly #parts: { readonly clock: Clock; readonly meter: Meter };

  /**
   * Makes an empty line.
   *
   * @param parts - clock and meter
   */
  constructor(parts: { readonly clock: Clock; readonly meter: Meter }) {
    this.#parts = parts;
    this.#gauge = new ReasonedGauge(parts.meter, 'services_waiting');
  }

  /**
   * Adds a listener.
   *
   * @param listener - told of each Service that a change may help
   * @returns the function that takes it away
   */
  onWake(listener: (key: ServiceKey) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Tells the listeners of a Service, whether it waits or not.
   *
   * @param key - of the Service
   */
  wake(key: ServiceKey): void {
    this.#listeners.tell(key);
  }

  /**
   * Lets a Service wait; its place in the line stays when it waits already.
   *
   * @param key - of the Service
   * @param refusal - what stands in the way
   * @param waiting - since when, and what it could exchange
   * @returns milliseconds until it should be looked at though nothing woke it
   */
  park(key: ServiceKey, refusal: Refusal, { toldMs = this.#parts.clock.nowMs(), trade }: Waiting = {}): number {
    const before = this.#line.get(key.uid);
    const looks = before?.refusal.code === refusal.code ? before.looks + 1 : 0;
    this.#unask(before);
    this.#ask(key.uid, refusal);
    this.#line.set(key.uid, { key, refusal, looks, woken: false, sinceMs: before?.sinceMs ?? toldMs, trade });
    this.#gauge.move(before === undefined ? undefined : labelsOf(before.refusal), labelsOf(refusal));
    const first = refusal.code === 'address/in-use' ? NEIGHBOUR_PAUSE_MS : FIRST_PAUSE_MS;
    const pause = Math.min(first * 2 ** Math.min(looks, 10), LONGEST_PAUSE_MS);
    const told = refusal.retryAfterSeconds;
    return told === undefined ? pause : Math.min(told * 1000 + 100, LONGEST_PAUSE_MS);
  }

  /**
   * Takes a Service out of the line. A turn that it was given and did not need goes to the next one.
   *
   * @param uid - of the Service
   * @param took - true when it has an address now
   */
  leave(uid: string, took: boolean): void {
    const waiter = this.#line.get(uid);
    if (waiter === undefined) return;
    this.#line.delete(uid);
    this.#unask(waiter);
    this.#gauge.move(labelsOf(waiter.refusal), undefined);
    if (waiter.woken && !took && waiter.refusal.value !== undefined) this.#wakeNext(waiter.refusal.value);
  }

  /**
   * Wakes those that a freed address helps: those that asked for it at once, since they learn when they may have it, and one that waits for any
   * of the zone when any claimant may.
   *
   * @param freed - the address
   */
  freed({ zone, address, freeAtMs }: FreedAddress): void {
    if (this.#line.size === 0) return;
    this.left([address]);
    const waitMs = freeAtMs - this.#parts.clock.nowMs();
    if (waitMs <= 0) this.#wakeNext(zone);
    else this.#later(waitMs, zone);
  }

  /**
   * Wakes those that asked for addresses that a holder left, or has under other terms now, though others may be there still; those that wait
   * longest comes first.
   *
   * @param addresses - that may be had now
   */
  left(addresses: readonly Address[]): void {
    if (this.#asking.size === 0) return;
    const uids = addresses.flatMap((address) => [...(this.#asking.get(address.toString()) ?? [])]);
    const asking = uids.map((uid) => this.#line.get(uid)).filter((waiter) => waiter !== undefined);
    for (const { key } of asking.sort((a, b) => a.sinceMs - b.sinceMs)) this.wake(key);
  }

  /**
   * Lists what could be exchanged.
   *
   * @returns what the waiting Services have and want
   */
  trades(): readonly Trade[] {
    return [...this.#line.values()].map(({ trade }) => trade).filter((trade) => trade !== undefined);
  }

  /** Wakes all: the zones changed. */
  wakeAll(): void {
    for (const { key } of [...this.#line.values()]) this.wake(key);
  }

  /** Drops all without a word: another process looks after them from now on. */
  clear(): void {
    for (const { refusal } of this.#line.values()) this.#gauge.move(labelsOf(refusal), undefined);
    this.#line.clear();
    this.#asking.clear();
    this.close();
  }

  /** Ends timers. */
  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #ask(uid: string, { value = '' }: Refusal): void {
    const others = this.#asking.get(value);
    if (others === undefined) this.#asking.set(value, new Set([uid]));
    else others.add(uid);
  }

  #unask(waiter: Waiter | undefined): void {
    const { value = '' } = waiter?.refusal ?? {};
    const others = this.#asking.get(value);
    if (waiter === undefined || others === undefined) return;
    others.delete(waiter.key.uid);
    if (others.size === 0) this.#asking.delete(value);
  }

  #later(waitMs: number, zone: string): void {
    const cancel = this.#parts.clock.after(waitMs, () => {
      this.#timers.delete(cancel);
      this.#wakeNext(zone);
    });
    this.#timers.add(cancel);
  }

  // One address helps one Service: the longest waiting that was not woken for another address already. After a restart they
  // came into the line in no order.
  #wakeNext(zone: string): void {
    let next: Waiter | undefined;
    for (const waiter of this.#line.values()) {
      if (waiter.woken || !waitsForZone(waiter.refusal, zone)) continue;
      if (next === undefined || waiter.sinceMs < next.sinceMs) next = waiter;
    }
    if (next === undefined) return;
    this.#line.set(next.key.uid, { ...next, woken: true });
    this.wake(next.key);
  }
}

// A Service that shows an address has one, and is counted elsewhere.
function labelsOf({ code }: Refusal): Labels | undefined {
  if (code === 'address/contested') return undefined;
  return { reason: catalogueRow(code).reason };
}

// Any address of the zone helps these.
function waitsForZone({ code, value }: Refusal, zone: string): boolean {
  return (code === 'pool/exhausted' || code === 'zone/quota') && value === zone;
}
