import type { ApiClient } from '../../operator/cluster/api/api-client';
import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import { openObjectFeed, type WatchedObjects } from '../../operator/cluster/watch/object-feed';
import { CLUSTER_API_KINDS, IPAM_CLUSTER_GROUP, READY } from '../../operator/contract/cluster-api';
import { mapOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { NEPHIO_GROUP } from '../../operator/contract/nephio';
import { conditionOf, statusIn } from '../../operator/contract/stored-status';
import { ClusterApiController, clusterApiWork } from '../../operator/front-doors/cluster-api';
import { NetworksWorld } from './networks-world';

const VERSION = 'v1beta2';

/** What an author writes of a claim. */
interface WrittenClaim {
  readonly kind?: 'IPPrefix' | 'NetworkInstance';
  readonly pool: string;
  readonly annotations?: JsonMap;
  readonly uid?: string;
  readonly createdAt?: string;
}

/** The Networks door with the door of Cluster API beside it; both work. Everything lies in one namespace. */
export class NetworkClaimsWorld extends NetworksWorld {
  #claims = 0;

  /** Path of an object of Cluster API. */
  pathOf(kind: 'claim' | 'address', name: string): string {
    const { plural } = CLUSTER_API_KINDS[kind];
    return `/apis/${IPAM_CLUSTER_GROUP}/${VERSION}/namespaces/default/${plural}/${name}`;
  }

  /** Stores a claim; each one is a second younger than the one before. */
  claim(name: string, { kind = 'IPPrefix', pool, annotations = {}, uid, createdAt }: WrittenClaim): void {
    this.#claims += 1;
    const creationTimestamp = createdAt ?? new Date(Date.UTC(2026, 0, 2, 0, 0, this.#claims)).toISOString();
    this.server.put(this.pathOf('claim', name), {
      apiVersion: `${IPAM_CLUSTER_GROUP}/${VERSION}`,
      kind: 'IPAddressClaim',
      metadata: { namespace: 'default', name, creationTimestamp, annotations, ...(uid === undefined ? {} : { uid }) },
      spec: { poolRef: { apiGroup: NEPHIO_GROUP, kind, name: pool } },
    });
  }

  /** Stores an IPAddress of a claim of its name. */
  address(name: string, address: string, pool: string): void {
    this.server.put(this.pathOf('address', name), {
      apiVersion: `${IPAM_CLUSTER_GROUP}/${VERSION}`,
      kind: 'IPAddress',
      metadata: { namespace: 'default', name },
      spec: {
        address,
        prefix: 24,
        claimRef: { name },
        poolRef: { apiGroup: NEPHIO_GROUP, kind: 'IPPrefix', name: pool },
      },
    });
  }

  /** The stored IPAddress of a name. */
  storedAddress(name: string): JsonMap {
    return this.server.get(this.pathOf('address', name)) ?? {};
  }

  /** Tells whether a claim is served or waits. */
  claimReady(name: string): JsonMap | undefined {
    return conditionOf(statusIn(this.server.get(this.pathOf('claim', name)) ?? {}), READY);
  }

  /** Waits until a claim is served; returns the spec of its IPAddress. */
  async served(name: string): Promise<JsonMap> {
    await this.until(`claim ${name} is served`, () => this.claimReady(name)?.['status'] === 'True');
    return mapOf(this.storedAddress(name)['spec']);
  }

  /** Waits until a claim waits for a reason; returns the message. */
  async waits(name: string, reason: string): Promise<string> {
    await this.until(`claim ${name} waits for ${reason}`, () => this.claimReady(name)?.['reason'] === reason);
    return textOf(this.claimReady(name)?.['message']);
  }

  /** Asks for the end of a claim, and waits for it. */
  async endClaim(name: string): Promise<void> {
    const path = this.pathOf('claim', name);
    await this.server.request({ method: 'DELETE', path });
    await this.until(`claim ${name} is gone`, () => this.server.get(path) === undefined);
  }

  /** Starts the door of Cluster API on the pools of the Networks door; returns its end. */
  async openClaims(): Promise<() => Promise<void>> {
    const { endClaims } = await this.openBoth(this.server);
    return endClaims;
  }

  /** Starts a process of both doors on a connection of its own; returns the end of one door, and of the process. */
  async openBoth(server: ApiClient): Promise<Record<'endClaims' | 'close', () => Promise<void>>> {
    const { clock, logger, meter } = this;
    const { claim, address } = CLUSTER_API_KINDS;
    const watch = ({ group, plural }: (typeof CLUSTER_API_KINDS)['claim' | 'address']): WatchedObjects =>
      openObjectFeed(server, { resource: { apiVersion: `${group}/${VERSION}`, resource: plural } }, { clock, logger });
    const writer = ({ group, kind, plural }: (typeof CLUSTER_API_KINDS)['claim' | 'address']) =>
      new KubernetesObjectWriter(server, {
        apiVersion: `${group}/${VERSION}`,
        kind,
        resource: plural,
        custom: true,
      });
    const [claims, addresses] = [watch(claim), watch(address)];
    const parts = {
      ...({ clock, logger, meter, version: VERSION, orphanGraceMs: 1000, claims, addresses } as const),
      claimWriter: writer(claim),
      addressWriter: writer(address),
      events: { record: () => Promise.resolve() },
    };
    let end = (): Promise<void> => Promise.resolve();
    const close = await this.open(server, {
      beside: ({ pools }) => {
        const door = { ...parts, pools: [pools] };
        const controller = new ClusterApiController(door);
        const work = clusterApiWork({ parts: door, controller, resyncSeconds: 600 });
        work.begin();
        end = async () => {
          await work.end();
          controller.close();
          await Promise.all([claims.close(), addresses.close()]);
        };
        return () => end();
      },
    });
    return { endClaims: () => end(), close };
  }
}
