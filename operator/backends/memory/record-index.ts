import type { Address, Family } from '../../addressing/address';
import { claimTerm, claimTermOf } from '../../contract/claim-terms';
import type { AddressRecord, ClaimQuery, Holder, ServiceIdentity, ZoneTally } from '../../ports/claim-store';

/** Writes the terms under which records are found: those of every index, and those of this one. */
export const term = {
  ...claimTerm,
  address: (network: string, address: Address): string => JSON.stringify(['address', network, address.toString()]),
  namespace: ({ clusterUid, namespaceUid }: ServiceIdentity): string =>
    JSON.stringify(['namespace', clusterUid, namespaceUid]),
  reserved: (namespaceUid: string): string => JSON.stringify(['reserved', namespaceUid]),
  held: (network: string, zone: string): string => JSON.stringify(['held', network, zone]),
  quarantined: (network: string): string => JSON.stringify(['quarantined', network]),
};

function whoIs(holder: Holder): string[] {
  const { service, namespace, serviceUid } = holder;
  const name = term.name(service.clusterUid, namespace, service.serviceName);
  return [term.service(service), name, ...(serviceUid === undefined ? [] : [term.uid(serviceUid)])];
}

function holderTerms(holder: Holder): string[] {
  const { key, state, service } = holder;
  return [
    ...whoIs(holder),
    term.cluster(service.clusterUid),
    term.namespace(service),
    term.state(state),
    ...(key === undefined ? [] : [term.key(key)]),
    ...(state === 'reserved' ? [term.reserved(service.namespaceUid)] : []),
  ];
}

function termsOf(record: AddressRecord): Set<string> {
  const { network, zone, quarantine } = record;
  const own = [term.address(network, record.address), term.zone(network, zone)];
  if (quarantine !== undefined) return new Set([...own, term.quarantined(network), ...whoIs(quarantine.former)]);
  return new Set([...own, term.held(network, zone), ...record.holders.flatMap(holderTerms)]);
}

function ranOut(holder: Holder, { state, beforeMs }: Extract<ClaimQuery, { by: 'expired' }>): boolean {
  return holder.state === state && holder.expiresAtMs !== undefined && holder.expiresAtMs < beforeMs;
}

function byAddress(a: AddressRecord, b: AddressRecord): number {
  return a.address.compareTo(b.address) || (a.network < b.network ? -1 : 1);
}

/** Live records, found by any {@link term}. One caller at a time; holds memory only. */
export class RecordIndex {
  private readonly found = new Map<string, Set<AddressRecord>>();

  /**
   * Puts a record in the place of an older one.
   *
   * @param before - the older state, absent for a new record
   * @param after - the new state, absent when the record ends
   */
  replace(before: AddressRecord | undefined, after: AddressRecord | undefined): void {
    for (const each of before === undefined ? [] : termsOf(before)) this.remove(each, before as AddressRecord);
    for (const each of after === undefined ? [] : termsOf(after)) this.add(each, after as AddressRecord);
  }

  /**
   * Finds records.
   *
   * @param wanted - one term
   * @returns what has this term, lowest address first
   */
  all(wanted: string): readonly AddressRecord[] {
    return [...(this.found.get(wanted) ?? [])].sort(byAddress);
  }

  /**
   * Finds the records of a query.
   *
   * @param query - as the port takes it
   * @returns lowest address first; those whose quarantine ran out as well
   */
  find(query: ClaimQuery): readonly AddressRecord[] {
    const found = this.all(claimTermOf(query));
    if (query.by !== 'expired') return found;
    return found.filter(({ holders }) => holders.some((each) => ranOut(each, query)));
  }

  /**
   * Finds the record of a term that only one can have.
   *
   * @param wanted - an address or a key
   * @returns the record, if there is one
   */
  one(wanted: string): AddressRecord | undefined {
    return this.found.get(wanted)?.values().next().value;
  }

  /**
   * Counts records.
   *
   * @param wanted - one term
   * @returns how many have this term
   */
  count(wanted: string): number {
    return this.found.get(wanted)?.size ?? 0;
  }

  /**
   * Counts the records of every zone.
   *
   * @param isLive - tells whether a record counts
   * @returns one entry for each network, zone and family, in that order
   * @remarks O(records)
   */
  tally(isLive: (record: AddressRecord) => boolean): readonly ZoneTally[] {
    const zones = new Map<
      string,
      { network: string; zone: string; family: Family; held: number; quarantined: number }
    >();
    for (const record of this.everything()) {
      if (!isLive(record)) continue;
      const { network, zone, family, state } = record;
      const key = JSON.stringify([network, zone, family]);
      const tally = zones.get(key) ?? { network, zone, family, held: 0, quarantined: 0 };
      tally[state] += 1;
      zones.set(key, tally);
    }
    return [...zones.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => Object.freeze(tally));
  }

  /**
   * Lists every record.
   *
   * @returns in no particular order
   */
  everything(): readonly AddressRecord[] {
    return [...this.found.entries()].filter(([key]) => key.startsWith('["address"')).flatMap(([, set]) => [...set]);
  }

  private add(key: string, record: AddressRecord): void {
    const set = this.found.get(key);
    if (set === undefined) this.found.set(key, new Set([record]));
    else set.add(record);
  }

  private remove(key: string, record: AddressRecord): void {
    const set = this.found.get(key);
    set?.delete(record);
    if (set?.size === 0) this.found.delete(key);
  }
}
