import type { ClaimAnswer } from '../../../contract/ipam-api/v3/answers';
import type { AddressRecord, Holder } from '../../../ports/claims';
import type { ClaimFilter, Page } from '../../../ports/registry';
import { claimAnswer, standing, type Reading } from './wire';

/** A page on the wire. */
export interface WirePage<T> {
  entries: T[];
  next?: string;
}

/**
 * Turns a page of records into one of claims: the holders that match, each by itself.
 *
 * @param page - from the registry
 * @param filter - what was asked for
 * @param reading - present time, and whose objects are named to the caller
 * @returns the page; a page of addresses that several share is longer than asked for
 */
export function claimEntries(page: Page<AddressRecord>, filter: ClaimFilter, reading: Reading): WirePage<ClaimAnswer> {
  const entries = page.entries.flatMap((record) =>
    standing(record)
      .filter((holder) => matches(record, holder, filter))
      .map((holder) => claimAnswer(record, holder, reading)),
  );
  return page.next === undefined ? { entries } : { entries, next: page.next };
}

function matches(record: AddressRecord, holder: Holder, filter: ClaimFilter): boolean {
  const state = record.quarantine === undefined ? holder.state : 'quarantined';
  const { cluster, namespace, name } = holder.owner;
  return (
    same(filter.clusterUid, cluster) &&
    same(filter.namespace, namespace) &&
    same(filter.serviceName, name) &&
    same(filter.state, state)
  );
}

function same(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === value;
}
