import type { NoteRequest } from '../../../ports/notes';
import type { ClusterRename } from '../../../ports/cluster-renames';
import type { Family } from '../../../addressing/address';
import type { Outcome } from '../../../errors/outcome';
import type { PoolUsage, RecordFilter } from '../../../ports/claim-counts';
import type { FormerHolder } from '../../../ports/claim-history';
import type { ClusterTally } from '../../../ports/cluster-reports';
import type { KeyUse } from '../../../ports/key-mark';
import type { AddressColumn, AddressParameter } from '../shared/address-column';
import type { ClaimRow } from '../shared/claim-row';
import type { FreedRow, FreedWire } from './freed-wire';
import type { PastRow } from '../shared/past-claims';
import type { UsesRequest, UsesResults } from './occupied-wire';
import type { WirePeek, WireRange } from './take-wire';

/** Space that a pool may give, in a form that crosses the thread border. */
export interface WireSpace {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly ranges: readonly WireRange[];
}

/** Requests of the main thread to the archive. */
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
  | {
      readonly verb: 'past';
      readonly network: string;
      readonly address: AddressParameter;
      readonly length: number | null;
      readonly nowMs: number;
    }
  | { readonly verb: 'lastAddress'; readonly of: FormerHolder }
  | FreedWire
  | UsesRequest
  | { readonly verb: 'clusters' }
  | { readonly verb: 'reportCluster'; readonly cluster: string; readonly name: string; readonly nowMs: number }
  | {
      readonly verb: 'prune';
      readonly endedForMs: number;
      readonly limit: number;
      readonly perNamespace: number;
      readonly nowMs: number;
    }
  | ({ readonly verb: 'renameCluster'; readonly nowMs: number } & ClusterRename)
  | { readonly verb: 'keyUse' }
  | { readonly verb: 'replaceKeyFingerprint'; readonly before: string; readonly after: string }
  | ({ readonly verb: 'note' } & NoteRequest);

/** A space that a take would get or find. */
export type WireFound = readonly [network: string, first: AddressColumn | AddressParameter, length: number | null];

/** Answers of each verb of the archive. */
export interface ArchiveResults extends UsesResults {
  readonly peek: Outcome<readonly WireFound[]>;
  readonly usage: readonly PoolUsage[];
  readonly page: readonly ClaimRow[];
  readonly past: readonly PastRow[];
  readonly lastAddress: AddressColumn | undefined;
  readonly freed: readonly FreedRow[];
  readonly clusters: readonly ClusterTally[];
  readonly reportCluster: undefined;
  readonly prune: number;
  readonly renameCluster: Outcome<{ readonly claims: number }>;
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
  renameCluster: false,
  keyUse: true,
  replaceKeyFingerprint: false,
  note: false,
  writeUse: false,
  uses: true,
  completeUses: false,
  forgetUses: false,
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
export function plainFilter({ network, pool, cluster, namespace, name, state }: RecordFilter): RecordFilter {
  const named = Object.entries({ network, pool, cluster, namespace, name, state });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
