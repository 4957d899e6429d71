import type { Family } from '../../../addressing/address';
import type { Outcome } from '../../../errors/outcome';
import type { ClusterTally, FormerHolder, KeyUse, RecordFilter, UsageTally } from '../../../ports/claim-archive';
import type { AddressColumn, AddressParameter } from '../shared/address-column';
import type { ClaimRow } from '../shared/claim-row';
import type { FreedRow, FreedWire } from './freed-wire';
import type { PastRow } from '../shared/past-claims';
import type { WireRange, WireTake } from './take-wire';

/** What a zone may give, in a form that crosses the thread border. */
export interface WireSpace {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly ranges: readonly WireRange[];
}

/** `peek` of the port. */
export interface WirePeek extends Omit<WireTake, 'verb'> {
  readonly verb: 'peek';
}

/** What the main thread asks of the archive. */
export type ArchiveRequest =
  | WirePeek
  | { readonly verb: 'usage'; readonly spaces: readonly WireSpace[]; readonly nowMs: number }
  | {
      readonly verb: 'page';
      readonly filter: RecordFilter;
      readonly limit: number;
      readonly after?: { readonly network: string; readonly address: AddressParameter };
      readonly nowMs: number;
    }
  | { readonly verb: 'past'; readonly network: string; readonly address: AddressParameter }
  | { readonly verb: 'lastAddress'; readonly of: FormerHolder }
  | FreedWire
  | { readonly verb: 'clusters' }
  | { readonly verb: 'reportCluster'; readonly clusterUid: string; readonly name: string; readonly atMs: number }
  | { readonly verb: 'prune'; readonly endedBeforeMs: number; readonly limit: number }
  | { readonly verb: 'keyUse' }
  | { readonly verb: 'replaceKeyFingerprint'; readonly before: string; readonly after: string }
  | { readonly verb: 'note'; readonly name: string; readonly text?: string };

/** What each verb of the archive answers. */
export interface ArchiveResults {
  readonly peek: Outcome<AddressColumn | AddressParameter>;
  readonly usage: readonly UsageTally[];
  readonly page: readonly ClaimRow[];
  readonly past: readonly PastRow[];
  readonly lastAddress: AddressColumn | undefined;
  readonly freed: readonly FreedRow[];
  readonly clusters: readonly ClusterTally[];
  readonly reportCluster: undefined;
  readonly prune: number;
  readonly keyUse: readonly KeyUse[];
  readonly replaceKeyFingerprint: boolean;
  readonly note: string;
}

const READS: Readonly<Record<ArchiveRequest['verb'], boolean>> = {
  // ends quarantines that ran out on its way
  peek: false,
  usage: true,
  page: true,
  past: true,
  lastAddress: true,
  freed: true,
  clusters: true,
  reportCluster: false,
  prune: false,
  keyUse: true,
  replaceKeyFingerprint: false,
  note: false,
};

/**
 * Tells whether a request is one of the archive.
 *
 * @param request - any request
 * @returns true when it is
 */
export function isForArchive<R extends { readonly verb: string }>(
  request: R,
): request is Extract<R, { readonly verb: ArchiveRequest['verb'] }> {
  return Object.hasOwn(READS, request.verb);
}

/**
 * Tells whether a request leaves everything as it is.
 *
 * @param request - one of the archive
 * @returns true when it needs no transaction
 */
export function readsOnly(request: Pick<ArchiveRequest, 'verb'>): boolean {
  return READS[request.verb];
}

/**
 * Leaves out everything but the fields of a filter, so that nothing strange has to cross the thread border.
 *
 * @param filter - as the port takes it
 * @returns its own fields that are named
 */
export function plainFilter({ network, zone, clusterUid, namespace, serviceName, state }: RecordFilter): RecordFilter {
  const named = Object.entries({ network, zone, clusterUid, namespace, serviceName, state });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
