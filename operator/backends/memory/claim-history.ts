import type { Address } from '../../addressing/address';
import { spaceText } from '../../addressing/space-text';
import type { ClusterRename } from '../../ports/cluster-renames';
import type { FormerHolder, PastClaim, PruneRequest } from '../../ports/claim-history';
import type { AddressRecord, Holder, Owner, Place } from '../../ports/claims';
import { term } from './record-index';

/** Most addresses whose past is kept, and most spans of each: a process in memory must not grow for ever. */
const MAX_ADDRESSES = 10_000;
const MAX_SPANS = 200;

type Span = { -readonly [Field in keyof PastClaim]: PastClaim[Field] } & {
  readonly holderId: string;
  /** End of a quarantine that was not noticed yet. */
  readonly pauseEndMs?: number;
};

interface Past {
  readonly address: Address;
  readonly order: number;
}

function isSame(span: Span, { id, owner, state }: Holder): boolean {
  const { uid, namespace } = span.owner;
  const same = span.state === state && namespace === owner.namespace && uid === owner.uid;
  return same && span.holderId === id && span.owner.kind === owner.kind && term.owner(span.owner) === term.owner(owner);
}

function placeKey({ network, ...space }: Place): string {
  return JSON.stringify([network, spaceText(space)]);
}

function namesOf(network: string, family: number, owner: Omit<Owner, 'uid'>): string[] {
  const { cluster, apiVersion, kind, namespace, namespaceUid, name } = owner;
  const place = [network, family, cluster, apiVersion, kind, name];
  const byUid = JSON.stringify([...place, 'uid', namespaceUid]);
  return namespace === '' ? [byUid] : [byUid, JSON.stringify([...place, 'name', namespace])];
}

function wasStored({ state, owner }: Holder): boolean {
  return state !== 'reserved' || owner.uid !== undefined;
}

/** History of claims in plain maps, bounded: the oldest go first. One caller at a time; holds memory only. */
export class ClaimHistory {
  readonly #spans = new Map<string, Span[]>();
  readonly #last = new Map<string, Past>();
  #places = 0;

  /**
   * Notes one change of an address.
   *
   * @param before - its record until now
   * @param after - its record from now on
   * @param atMs - when, milliseconds since 1970
   */
  note(before: AddressRecord | undefined, after: AddressRecord | undefined, atMs: number): void {
    const record = after ?? before;
    if (record === undefined) return;
    const key = placeKey(record);
    const spans = this.#spans.get(key) ?? [];
    const open = spans.filter((span) => span.untilMs === undefined);
    const holders = after?.holders ?? [];
    for (const span of open.filter((each) => !holders.some((holder) => isSame(each, holder)))) span.untilMs = atMs;
    const came = holders.filter((holder) => !open.some((span) => isSame(span, holder)));
    spans.push(...came.map((holder) => this.#spanOf(record, holder, atMs)), ...this.#pauseOf(after, atMs));
    const left = before?.holders.filter((holder) => !holders.includes(holder)) ?? [];
    for (const holder of left) this.#left(record, holder);
    this.#keep(key, spans);
  }

  /**
   * Reads the past of a space.
   *
   * @param place - an address or a prefix
   * @param nowMs - quarantines that ended by then have ended
   * @returns spans, newest first
   */
  of(place: Place, nowMs: number): readonly PastClaim[] {
    const spans = this.#spans.get(placeKey(place)) ?? [];
    return [...spans].reverse().map(({ holderId: _id, pauseEndMs, ...span }) => {
      const over = span.untilMs === undefined && pauseEndMs !== undefined && pauseEndMs <= nowMs;
      return Object.freeze(over ? { ...span, untilMs: pauseEndMs } : span);
    });
  }

  /**
   * Finds what a Service had last.
   *
   * @param of - the Service
   * @returns the address
   */
  lastOf(of: FormerHolder): Address | undefined {
    const found = namesOf(of.network, of.family, of.owner).flatMap((name) => this.#last.get(name) ?? []);
    return found.sort((a, b) => b.order - a.order)[0]?.address;
  }

  /**
   * Forgets spans that ended.
   *
   * @param endedBeforeMs - before when
   * @param old - most spans to forget, and most that a namespace keeps
   * @returns how many went
   */
  prune(endedBeforeMs: number, { limit, perNamespace = Infinity }: Omit<PruneRequest, 'endedForMs'>): number {
    const surplus = this.#surplus(perNamespace);
    let gone = 0;
    for (const [key, spans] of this.#spans) {
      const kept = spans.filter((span) => {
        const isOld = span.untilMs !== undefined && (span.untilMs < endedBeforeMs || surplus.has(span));
        const goes = isOld && gone < limit;
        if (goes) gone += 1;
        return !goes;
      });
      if (kept.length === 0) this.#spans.delete(key);
      else this.#spans.set(key, kept);
    }
    return gone;
  }

  /**
   * Gives what is kept of a cluster to another identity.
   *
   * @param rename - both identities
   */
  rename({ from, to }: Pick<ClusterRename, 'from' | 'to'>): void {
    for (const span of [...this.#spans.values()].flat())
      if (span.owner.cluster === from) span.owner = { ...span.owner, cluster: to };
    for (const [name, past] of [...this.#last]) {
      const [network, family, cluster, ...rest] = JSON.parse(name) as readonly unknown[];
      if (cluster !== from) continue;
      this.#last.delete(name);
      this.#last.set(JSON.stringify([network, family, to, ...rest]), past);
    }
  }

  // The oldest ended spans of namespaces that have too many.
  #surplus(perNamespace: number): ReadonlySet<Span> {
    const ended = new Map<string, Span[]>();
    for (const span of [...this.#spans.values()].flat()) {
      if (span.untilMs === undefined) continue;
      const place = JSON.stringify([span.owner.cluster, span.owner.namespaceUid]);
      ended.set(place, [...(ended.get(place) ?? []), span]);
    }
    const tooMany = [...ended.values()].filter((spans) => spans.length > perNamespace);
    return new Set(tooMany.flatMap((spans) => spans.toSorted((a, b) => b.place - a.place).slice(perNamespace)));
  }

  #pauseOf(record: AddressRecord | undefined, atMs: number): readonly Span[] {
    if (record?.quarantine === undefined) return [];
    const { former, untilMs: pauseEndMs } = record.quarantine;
    return [{ ...this.#spanOf(record, former, atMs), state: 'quarantined', pauseEndMs }];
  }

  #spanOf({ pool }: AddressRecord, holder: Holder, atMs: number): Span {
    const { owner, state } = holder;
    return { place: ++this.#places, pool, owner, state, fromMs: atMs, holderId: holder.id };
  }

  #left({ network, address, family }: AddressRecord, holder: Holder): void {
    if (!wasStored(holder) || holder.owner.name === '') return;
    for (const name of namesOf(network, family, holder.owner)) {
      this.#last.delete(name);
      this.#last.set(name, { address, order: ++this.#places });
    }
    while (this.#last.size > MAX_ADDRESSES) this.#last.delete(this.#last.keys().next().value as string);
  }

  #keep(key: string, spans: readonly Span[]): void {
    this.#spans.delete(key);
    this.#spans.set(key, spans.slice(-MAX_SPANS));
    if (this.#spans.size <= MAX_ADDRESSES) return;
    for (const [oldest, kept] of this.#spans) {
      if (kept.some((span) => span.untilMs === undefined)) continue;
      this.#spans.delete(oldest);
      return;
    }
  }
}
