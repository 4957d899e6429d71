import { randomUUID } from 'node:crypto';

import { addressClaimCodec } from '../../operator/backends/claim-objects/address-claim-codec';
import {
  openClaimObjects,
  type ClaimObjectsOptions,
  type ClaimObjectStore,
  type WatchedKind,
} from '../../operator/backends/claim-objects/claim-objects';
import type { ClaimCodec } from '../../operator/backends/claim-objects/claim-codec';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { ApiClient } from '../../operator/cluster/api/api-client';
import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import { openObjectFeed, type WatchedObjects } from '../../operator/cluster/watch/object-feed';
import type { KindDeclaration } from '../../operator/contract/crd-manifest';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../operator/contract/kinds/address-table';
import type { Clock } from '../../operator/ports/clock';
import type { NetworkTables } from '../../operator/ports/network-tables';
import { NOW } from './claim-requests';
import { ManualClock } from './manual-clock';
import { MemoryApiClient } from './memory-api-client';
import { claimProblem } from './memory-claims';
import { RecordedLogger } from './recorded-telemetry';
import { EVERY_PART, type ClaimParts, type OpenStore, type StoreUnderTest } from './store-under-test';

/** Parts of a claim that an AddressClaim keeps. */
export const CLAIM_OBJECT_PARTS: ClaimParts = {
  ...EVERY_PART,
  joins: false,
  services: false,
  exchanges: false,
  previews: false,
};

/** Parts of a claim that an IP keeps. */
export const IP_PARTS: ClaimParts = {
  joins: true,
  services: false,
  limits: true,
  prefixes: false,
  keys: false,
  leases: false,
  scopes: false,
  exchanges: false,
  previews: false,
};

/** Options of one opened store. */
export interface Opening {
  readonly clock?: Clock;
  readonly nested?: boolean;
  readonly takeOverAfterMs?: number;
  /** The kind of the claims; AddressClaims by default. */
  readonly kind?: { readonly declaration: KindDeclaration<never>; readonly codec: ClaimCodec };
}

const ADDRESS_CLAIMS = { declaration: ADDRESS_CLAIM, codec: addressClaimCodec('networks') };

/** Claims with AddressTables. */
export type TableClaimStore = ClaimObjectStore & NetworkTables;

/** Claims over an API server, with what has to be closed after them. */
export interface OpenedClaims {
  readonly store: TableClaimStore;
  /** Ends the watches too, as the end of the process does. */
  close(): Promise<void>;
}

/** Opens claims over an API server as one process does. */
export async function openClaims(client: ApiClient, opening: Opening = {}): Promise<OpenedClaims> {
  const { clock = SYSTEM_CLOCK, nested = true, takeOverAfterMs, kind = ADDRESS_CLAIMS } = opening;
  const feeds: WatchedObjects[] = [];
  const watched = (declaration: KindDeclaration<never>): WatchedKind => {
    const { group, version, plural } = declaration;
    const resource = { apiVersion: `${group}/${version}`, resource: plural };
    const feed = openObjectFeed(client, { resource }, { clock: SYSTEM_CLOCK, logger: new RecordedLogger() });
    feeds.push(feed);
    return { feed, writer: new KubernetesObjectWriter(client, { ...resource, kind: declaration.kind, custom: true }) };
  };
  const options: ClaimObjectsOptions = {
    codec: kind.codec,
    claims: watched(kind.declaration),
    network: () => ({ nested }),
    clock,
    writer: randomUUID(),
    ...(takeOverAfterMs === undefined ? {} : { takeOverAfterMs }),
  };
  // tests of claims without a table decide about none
  const store = nested
    ? await openClaimObjects({ ...options, tables: watched(ADDRESS_TABLE) })
    : ((await openClaimObjects(options)) as TableClaimStore);
  return {
    store,
    close: async () => {
      await store.close();
      await Promise.all(feeds.map((feed) => feed.close()));
    },
  };
}

/** An API server in memory whose clock is the given one, and which knows our kinds. */
export function claimServer(clock: Pick<Clock, 'nowMs'>): MemoryApiClient {
  const server = new MemoryApiClient();
  server.nowMs = () => clock.nowMs();
  server.problemOf = claimProblem;
  return server;
}

/** Pauses pass by themselves; the time does not, so that tests move it. */
export function standingClock(): ManualClock & Clock {
  const manual = new ManualClock(NOW);
  manual.after = (ms, run) => SYSTEM_CLOCK.after(ms, run);
  return manual;
}

/** Claims over an API server in memory. */
export function openMemoryClaims(opening: Opening = {}): OpenStore<TableClaimStore> {
  return async (): Promise<StoreUnderTest<TableClaimStore>> => {
    const clock = standingClock();
    const server = claimServer(clock);
    let opened = await openClaims(server, { clock, ...opening });
    return {
      store: opened.store,
      clock: {
        nowMs: () => clock.nowMs(),
        advance: (ms) => {
          clock.advance(ms);
          return Promise.resolve();
        },
      },
      reopen: async () => {
        await opened.close();
        opened = await openClaims(server, { clock, ...opening });
        return opened.store;
      },
      dispose: () => opened.close(),
    };
  };
}
