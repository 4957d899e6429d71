import { randomUUID } from 'node:crypto';
import { PrefixSetBuilder } from '../../addressing/prefix-set';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { familyBits, type Address } from '../../addressing/address';
import type { ClaimCounts } from '../../ports/claim-counts';
import type { AddressRecord, Claims, Holder, ReleaseRequest, Taken, TakeRequest, Want } from '../../ports/claims';
import type { ForeignAddresses } from '../../ports/foreign-addresses';
import type { OutsideRow } from '../../ports/outside-rows';
import type { Ensured } from './host-prefixes';
import { failed } from './netbox-answer';
import type { NetBoxZones } from './netbox-zones';
import { confirmed, WORK_MS, type OutboxParts } from './outbox';
import { heldOutside, inRange, MOST_MS, MOST_TRIES, refuseFault, stillLeaving, triedInVain } from './outside-refusals';
import { OutsideView } from './outside-view';

/** Parts of {@link withOutside}. */
export interface OutsideClaimParts extends Omit<OutboxParts, 'zones' | 'store' | 'random'> {
  readonly zones: NetBoxZones;
  /** Begins each mark of this installation. */
  readonly markPrefix: string;
}

/** How the outside source took an address; `over`: the claim is gone; `leaving`: the source still loses its former one. */
type Entered =
  | Exclude<Ensured, { kind: 'foreign' }>
  | (Extract<Ensured, { kind: 'foreign' }> & { readonly isNew: boolean })
  | { readonly kind: 'over' }
  | { readonly kind: 'leaving' };

/**
 * Puts NetBox beside a store: what is taken from a zone of NetBox becomes a host prefix there before the take answers, and what is
 * released loses it afterwards. The store stays the record: its index chooses, its uniqueness proves, and NetBox can only say no.
 *
 * @param store - the record of holders
 * @param parts - zones, rows, NetBox
 * @returns the store with what NetBox has a say in put in front of it; safe for parallel calls, in several processes too
 */
export function withOutside<S extends Claims & ClaimCounts>(store: S, parts: OutsideClaimParts): S & ForeignAddresses {
  const outside = new OutsideClaims(store, parts);
  const view = new OutsideView(store, parts);
  const { zones } = parts;
  const peek = store.peek?.bind(store);
  const verbs: Pick<Claims, 'take' | 'takeFirst' | 'release' | 'peek'> & Pick<ClaimCounts, 'usage'> & ForeignAddresses =
    {
      take: (request) => (zones.isOutside(request.pool) ? outside.take(request) : store.take(request)),
      // NetBox has to be asked too, so it is more than one message in any case
      takeFirst: async (request) => (zones.isOutside(request.pool) ? undefined : store.takeFirst?.(request)),
      release: (request) => outside.release(request),
      ...(peek === undefined
        ? {}
        : { peek: (request) => (zones.isOutside(request.pool) ? view.peek({ peek }, request) : peek(request)) }),
      usage: (spaces) => view.usage(spaces),
      foreignAt: (at) => (zones.isOutside(at.pool) ? view.foreignAt(at) : Promise.resolve(undefined)),
    };
  const proxy: object = new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(verbs, name)) return Reflect.get(verbs, name) as unknown;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return proxy as S & ForeignAddresses;
}

/** A take of one address. */
type SingleTake = TakeRequest & { readonly wants: readonly [Want] };

/** Key and quarantine of a claim that is given back. */
interface GivenBack {
  readonly formerUntilMs: number | undefined;
  readonly key: string | undefined;
}

class OutsideClaims {
  readonly #store: Claims;
  readonly #parts: OutsideClaimParts;

  constructor(store: Claims, parts: OutsideClaimParts) {
    this.#store = store;
    this.#parts = parts;
  }

  // NetBox is asked for the addresses of both families at once; given all or none, the one that was got goes back.
  async take(request: TakeRequest): Promise<Outcome<readonly Taken[]>> {
    if (request.wants.some(({ family, length = familyBits(family) }) => length !== familyBits(family))) {
      return refuse('prefix/not-a-host', `zone "${request.pool}" of NetBox gives single addresses only`);
    }
    const all = await Promise.allSettled(request.wants.map((want) => this.#takeWant({ ...request, wants: [want] })));
    const ended = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const isWhole = ended.length === all.length && ended.every(({ outcome }) => outcome.ok);
    if (!isWhole) for (const { undo } of ended) await undo?.();
    // also where the other family ends in an outage
    for (const each of all) if (each.status === 'rejected') throw each.reason;
    const taken: Taken[] = [];
    for (const { outcome } of ended) {
      if (!outcome.ok) return outcome;
      taken.push(outcome.value);
    }
    return accept(taken);
  }

  async #takeWant(
    single: SingleTake,
  ): Promise<{ readonly outcome: Outcome<Taken>; readonly undo?: () => Promise<void> }> {
    const { key } = single.wants[0];
    const formerUntilMs = await this.#quarantineOf(single);
    const outcome = await this.#takeOne(single);
    if (!outcome.ok || !outcome.value.created) return { outcome };
    return { outcome, undo: () => this.#undo(outcome.value, { formerUntilMs, key }) };
  }

  async #takeOne(request: SingleTake): Promise<Outcome<Taken>> {
    const { zones, clock } = this.#parts;
    const [want] = request.wants;
    const deadlineMs = clock.nowMs() + MOST_MS;
    let { space } = want;
    for (let tries = 0; tries < MOST_TRIES && clock.nowMs() < deadlineMs; tries++) {
      const formerUntilMs = await this.#quarantineOf(request);
      const taken = await this.#store.take({
        ...request,
        wants: [{ ...want, space: zones.freeIn(request.pool, space) }],
      });
      if (!taken.ok) {
        // the lists may be older than the container that an administrator just added
        if (taken.refusal.code === 'pool/exhausted') zones.refreshSoon();
        return taken;
      }
      const [first] = taken.value;
      if (first === undefined) break;
      const isKept = !first.created && isSettled(holderOf(first, want.key));
      const answer = await (isKept ? this.#keep(first) : this.#confirm(request, first, formerUntilMs));
      if (answer !== 'again') return answer;
      space = space.subtract(new PrefixSetBuilder().add(first.record.address).build());
    }
    return triedInVain(request.pool);
  }

  // Releases do not wait: the outbox does the rest, and a comparison finds what is not written here.
  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    const released = await this.#store.release(request);
    if (!released.ok || (released.value !== undefined && released.value.quarantine === undefined)) return released;
    await this.#freed(request, released.value?.quarantine?.untilMs).catch((thrown: unknown) => {
      const address = request.address.toString();
      this.#parts.logger.warn('NetBox: a release is noticed by the next comparison', {
        address,
        cause: String(thrown),
      });
    });
    return released;
  }

  async #freed(
    { network, address }: Pick<ReleaseRequest, 'network' | 'address'>,
    untilMs = this.#parts.clock.nowMs(),
  ): Promise<void> {
    const row = await this.#parts.rows.get(network, address);
    if (row !== undefined) await this.#parts.rows.change(row, { nextAtMs: untilMs });
  }

  async #confirm(
    request: SingleTake,
    taken: Taken,
    formerUntilMs: number | undefined,
  ): Promise<Outcome<Taken> | 'again'> {
    const { record } = taken;
    const [want] = request.wants;
    const { zones, meter } = this.#parts;
    const entered = await this.#parts.locks.run(record, () => this.#enter(record, want.address !== undefined));
    if (entered.kind === 'there') return accept(taken);
    if (entered.kind === 'over') return 'again';
    if (entered.kind === 'foreign') zones.avoid(request.pool, entered.block);
    if (entered.kind !== 'leaving') {
      const result = entered.kind === 'foreign' ? 'foreign' : 'failed';
      meter.count('netbox_changes_total', { change: 'create', result });
    }
    // The claim of another request with this key is not ours to give back, unless no caller was ever answered with it: a process ended
    // in between.
    const isUnanswered = entered.kind === 'foreign' && entered.isNew;
    if (taken.created || isUnanswered) await this.#giveBack(taken, { formerUntilMs, key: want.key });
    return this.#answerTo(request, record.address, entered);
  }

  // The holder of the address keeps it, whatever NetBox says of it; the outbox and the comparisons see to the prefix.
  async #keep(taken: Taken): Promise<Outcome<Taken>> {
    const { network, address, pool: zone } = taken.record;
    const mark = `${this.#parts.markPrefix}${randomUUID()}`;
    await this.#parts.rows.begin({ network, address, zone, mark, nextAtMs: this.#parts.clock.nowMs() });
    return accept(taken);
  }

  #answerTo(
    { pool, wants: [want] }: SingleTake,
    address: Address,
    entered: Exclude<Entered, { kind: 'there' | 'over' }>,
  ): Outcome<Taken> | 'again' {
    if (entered.kind === 'fault') return refuseFault(entered.fault, pool);
    if (want.address === undefined) return 'again';
    return entered.kind === 'leaving' ? stillLeaving(address) : heldOutside(address, entered.words);
  }

  // Writes the intention down, then calls NetBox, then confirms. A row that others changed meanwhile is read again.
  async #enter(record: AddressRecord, named: boolean): Promise<Entered> {
    const { rows, clock } = this.#parts;
    const { network, address, pool: zone } = record;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const nextAtMs = clock.nowMs() + WORK_MS;
      const row = await rows.begin({
        network,
        address,
        zone,
        mark: `${this.#parts.markPrefix}${randomUUID()}`,
        nextAtMs,
      });
      if (row.state === 'leaving') return { kind: 'leaving' };
      const isConfirmed = row.state === 'confirmed';
      // NetBox may have the address still, from its former use: then the row just needs no look any more
      const mine =
        isConfirmed && row.nextAtMs === undefined ? row : await rows.change(row, isConfirmed ? {} : { zone, nextAtMs });
      if (mine === undefined) continue;
      if (isConfirmed) return { kind: 'there', id: mine.externalId ?? 0 };
      const entered = await this.#enterRow(mine, named);
      if (entered !== undefined) return entered;
    }
    return {
      kind: 'fault',
      ...failed('unavailable', `is asked for address ${address.toString()} by others at the same time`),
    };
  }

  // Undefined: the row was changed meanwhile.
  async #enterRow(row: OutsideRow, named: boolean): Promise<Entered | undefined> {
    const { rows, clock, zones, hosts, meter } = this.#parts;
    const { network, address, zone, mark } = row;
    // a request that waited in line for one that failed finds its address given back
    if ((await this.#store.get({ network, address }))?.state !== 'held') {
      await rows.change(row, { nextAtMs: clock.nowMs() });
      return { kind: 'over' };
    }
    const container = zones.containerFor(zone, address);
    const ensured: Ensured =
      inRange(zones, zone, address) ??
      (container === undefined
        ? { kind: 'fault', ...failed('refused', `has no container for address ${address.toString()}`) }
        : await hosts.ensure({ address, zone, mark, container, named }));
    // the lists are older than what an administrator did
    if (ensured.kind === 'fault' && ensured.fault.kind === 'refused') zones.refreshSoon();
    if (ensured.kind !== 'there') {
      // the claim is given back next; the leader then removes what may have been made after all
      await rows.change(row, { nextAtMs: clock.nowMs() + 1 });
      return ensured.kind === 'foreign' ? { ...ensured, isNew: row.externalId === undefined } : ensured;
    }
    meter.count('netbox_changes_total', { change: 'create', result: 'done' });
    return (await rows.change(row, confirmed(ensured.id))) === undefined ? undefined : ensured;
  }

  // Until when no other claimant may have the address, were it not for the former holder that returns.
  async #quarantineOf({ network, wants: [want] }: SingleTake): Promise<number | undefined> {
    const { address, returningOver } = want;
    if (address === undefined || returningOver === undefined) return undefined;
    return (await this.#store.get({ network, address }))?.quarantine?.untilMs;
  }

  async #undo(taken: Taken, claim: GivenBack): Promise<void> {
    await this.#giveBack(taken, claim);
    await this.#freed(taken.record, claim.formerUntilMs);
  }

  // Others may have joined meanwhile; then only this holder goes.
  async #giveBack(taken: Taken, claim: GivenBack): Promise<void> {
    const holder = holderOf(taken, claim.key);
    const { network, address } = taken.record;
    for (let tries = 0; tries < MOST_TRIES && holder !== undefined; tries++) {
      const now = await this.#store.get({ network, address });
      if (now?.holders.some(({ id }) => id === holder.id) !== true) return;
      const released = await this.#store.release({
        network,
        address,
        version: now.version,
        holderId: holder.id,
        quarantineMs: Math.max(0, (claim.formerUntilMs ?? 0) - this.#parts.clock.nowMs()),
      });
      if (released.ok) return;
    }
  }
}

function holderOf({ record }: Taken, key: string | undefined): Holder | undefined {
  const byKey = key === undefined ? undefined : record.holders.find((each) => each.key === key);
  return byKey ?? record.holders.at(-1);
}

// A lease of a request that was never answered may be given up; what belongs to a stored object may not.
function isSettled(holder: Holder | undefined): boolean {
  return holder !== undefined && (holder.state !== 'reserved' || holder.owner.uid !== undefined);
}
