import type { Address } from '../../addressing/address';
import type { FormerHolder, PastClaim } from '../../ports/claim-archive';
import type { AddressRecord, Holder, NewHolder } from '../../ports/claim-store';
import { term } from './record-index';

/** Most addresses whose past is kept, and most spans of each: a process in memory must not grow for ever. */
const MAX_ADDRESSES = 10_000;
const MAX_SPANS = 200;

type Span = { -readonly [Field in keyof PastClaim]: PastClaim[Field] } & {
  readonly holderId: string;
  /** End of a quarantine that nobody noticed yet. */
  readonly pauseEndMs?: number;
};

interface Past {
  readonly address: Address;
  readonly order: number;
}

function isSame(span: Span, holder: Holder): boolean {
  const { service, namespace, serviceUid, state } = holder;
  const same = span.state === state && span.namespace === namespace && span.serviceUid === serviceUid;
  return same && span.holderId === holder.id && term.service(span.service) === term.service(service);
}

function namesOf(network: string, family: number, of: Pick<FormerHolder, 'service' | 'namespace'>): string[] {
  const { service, namespace } = of;
  const place = [network, family, service.clusterUid, service.serviceName];
  const byUid = JSON.stringify([...place, 'uid', service.namespaceUid]);
  return namespace === '' ? [byUid] : [byUid, JSON.stringify([...place, 'name', namespace])];
}

function wasStored({ state, serviceUid }: NewHolder): boolean {
  return state !== 'reserved' || serviceUid !== undefined;
}

/** What became of claims in plain maps, bounded: the oldest go first. One caller at a time; holds memory only. */
export class ClaimHistory {
  private readonly spans = new Map<string, Span[]>();
  private readonly last = new Map<string, Past>();
  private places = 0;

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
    const key = term.address(record.network, record.address);
    const spans = this.spans.get(key) ?? [];
    const open = spans.filter((span) => span.untilMs === undefined);
    const holders = after?.holders ?? [];
    for (const span of open.filter((each) => !holders.some((holder) => isSame(each, holder)))) span.untilMs = atMs;
    const came = holders.filter((holder) => !open.some((span) => isSame(span, holder)));
    spans.push(...came.map((holder) => this.spanOf(record, holder, atMs)), ...this.pauseOf(after, atMs));
    const left = before?.holders.filter((holder) => !holders.includes(holder)) ?? [];
    for (const holder of left) this.left(record, holder);
    this.keep(key, spans);
  }

  /**
   * Reads the past of an address.
   *
   * @param network - its network
   * @param address - its value
   * @param nowMs - quarantines that ended by then have ended
   * @returns spans, newest first
   */
  of(network: string, address: Address, nowMs: number): readonly PastClaim[] {
    const spans = this.spans.get(term.address(network, address)) ?? [];
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
    const found = namesOf(of.network, of.family, of).flatMap((name) => this.last.get(name) ?? []);
    return found.sort((a, b) => b.order - a.order)[0]?.address;
  }

  /**
   * Forgets spans that ended.
   *
   * @param endedBeforeMs - before when
   * @param limit - most spans to forget
   * @returns how many went
   */
  prune(endedBeforeMs: number, limit: number): number {
    let gone = 0;
    for (const [key, spans] of this.spans) {
      const kept = spans.filter((span) => {
        const old = span.untilMs !== undefined && span.untilMs < endedBeforeMs && gone < limit;
        if (old) gone += 1;
        return !old;
      });
      if (kept.length === 0) this.spans.delete(key);
      else this.spans.set(key, kept);
    }
    return gone;
  }

  private pauseOf(record: AddressRecord | undefined, atMs: number): readonly Span[] {
    if (record?.quarantine === undefined) return [];
    const { former, untilMs: pauseEndMs } = record.quarantine;
    return [{ ...this.spanOf(record, former, atMs), state: 'quarantined', pauseEndMs }];
  }

  private spanOf({ zone }: AddressRecord, holder: Holder, atMs: number): Span {
    const { service, namespace, serviceUid, state } = holder;
    const uid = serviceUid === undefined ? {} : { serviceUid };
    return { place: ++this.places, zone, service, namespace, ...uid, state, fromMs: atMs, holderId: holder.id };
  }

  private left({ network, address, family }: AddressRecord, holder: Holder): void {
    if (!wasStored(holder) || holder.service.serviceName === '') return;
    for (const name of namesOf(network, family, holder)) {
      this.last.delete(name);
      this.last.set(name, { address, order: ++this.places });
    }
    while (this.last.size > MAX_ADDRESSES) this.last.delete(this.last.keys().next().value as string);
  }

  private keep(key: string, spans: readonly Span[]): void {
    this.spans.delete(key);
    this.spans.set(key, spans.slice(-MAX_SPANS));
    if (this.spans.size <= MAX_ADDRESSES) return;
    for (const [oldest, kept] of this.spans) {
      if (kept.some((span) => span.untilMs === undefined)) continue;
      this.spans.delete(oldest);
      return;
    }
  }
}
