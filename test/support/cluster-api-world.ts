import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import type { WatchedObjects } from '../../operator/cluster/watch/object-feed';
import { CLUSTER_API_KINDS, CLUSTER_GROUP, IPAM_CLUSTER_GROUP } from '../../operator/contract/cluster-api';
import { IP_GROUP } from '../../operator/contract/kinds/ip-group';
import type { JsonMap } from '../../operator/contract/loose-json';
import { ClusterApiController } from '../../operator/front-doors/cluster-api';
import type { ClusterApiParts } from '../../operator/front-doors/cluster-api/door-parts';
import { VipsDoorWorld } from './vips-door-world';

type WatchedKind = 'addresses' | 'clusters';

const VERSION = 'v1beta2';
const pathOf = (plural: string, name: string): string =>
  `/apis/${IPAM_CLUSTER_GROUP}/${VERSION}/namespaces/test/${plural}/${name}`;

/** The VIPs door with the door of Cluster API beside it; everything lies in namespace `test`. */
export class ClusterApiWorld extends VipsDoorWorld {
  claims!: ClusterApiController;
  parts!: ClusterApiParts;
  readonly woken: string[] = [];
  readonly #feeds = new Map<WatchedKind, WatchedObjects>();

  /** Stores a claim of group `g`. */
  claim(
    name: string,
    of: { readonly cluster?: string; readonly createdAt?: string; readonly annotations?: JsonMap } = {},
  ) {
    const { cluster, createdAt = '2026-01-01T00:00:00Z', annotations = {} } = of;
    const { kind, plural } = CLUSTER_API_KINDS.claim;
    this.server.put(pathOf(plural, name), {
      apiVersion: `${IPAM_CLUSTER_GROUP}/${VERSION}`,
      kind,
      metadata: { namespace: 'test', name, uid: `uid-${name}`, creationTimestamp: createdAt, annotations },
      spec: { poolRef: poolRef('g'), ...(cluster === undefined ? {} : { clusterName: cluster }) },
    });
    return { namespace: 'test', name, uid: `uid-${name}` };
  }

  /** Stores an IPAddress of a claim of its name. */
  address(name: string, address: string, pool = 'g'): void {
    const { kind, plural } = CLUSTER_API_KINDS.address;
    this.server.put(pathOf(plural, name), {
      apiVersion: `${IPAM_CLUSTER_GROUP}/${VERSION}`,
      kind,
      metadata: { namespace: 'test', name },
      spec: { address, prefix: 24, claimRef: { name }, poolRef: poolRef(pool) },
    });
  }

  /** Stores a Cluster. */
  cluster(name: string, paused: boolean): void {
    this.server.put(`/apis/${CLUSTER_GROUP}/${VERSION}/namespaces/test/clusters/${name}`, {
      apiVersion: `${CLUSTER_GROUP}/${VERSION}`,
      kind: 'Cluster',
      metadata: { namespace: 'test', name },
      spec: { paused },
    });
  }

  /** The condition of a claim. */
  ready(name: string): JsonMap | undefined {
    const object = this.server.get(pathOf(CLUSTER_API_KINDS.claim.plural, name));
    return ((object?.['status'] as JsonMap | undefined)?.['conditions'] as readonly JsonMap[] | undefined)?.[0];
  }

  /** Takes a claim away past its finalizers. */
  removeClaim(name: string): void {
    this.server.remove(pathOf(CLUSTER_API_KINDS.claim.plural, name));
  }

  /** The stored IPAddress of a name. */
  storedAddress(name: string): JsonMap {
    return this.server.get(pathOf(CLUSTER_API_KINDS.address.plural, name)) ?? {};
  }

  /** Writes an IPAddress as another program does. */
  putAddress(name: string, object: JsonMap): void {
    this.server.put(pathOf(CLUSTER_API_KINDS.address.plural, name), object);
  }

  /** The next claim that is woken. */
  heard(): Promise<string> {
    return new Promise((resolve) => {
      this.claims.onWake(({ name }) => {
        resolve(name);
      });
    });
  }

  /** Resolves once the door knows of a change of a group. */
  groupChanged(): Promise<void> {
    return new Promise((resolve) => {
      this.controller.pools.onChange(() => {
        resolve();
      });
    });
  }

  /** Resolves once the watch of a kind knows an object as it is asked for. */
  async seen(kind: WatchedKind, name: string, fits: (object: JsonMap) => boolean): Promise<void> {
    const feed = this.#feeds.get(kind);
    await new Promise<void>((resolve) => {
      feed?.onChange(({ key, after }) => {
        if (key.name === name && after !== undefined && fits(after)) resolve();
      });
    });
  }

  override async open(): Promise<void> {
    await super.open();
    const { clock, logger, meter, server } = this;
    const { claim, address, cluster } = CLUSTER_API_KINDS;
    const writer = ({ group, kind, plural }: (typeof CLUSTER_API_KINDS)['claim' | 'address']) =>
      new KubernetesObjectWriter(server, {
        apiVersion: `${group}/${VERSION}`,
        kind,
        resource: plural,
        custom: true,
      });
    const addresses = this.watch(`${address.group}/${VERSION}`, address.plural);
    const clusters = this.watch(`${cluster.group}/${VERSION}`, cluster.plural);
    this.#feeds.set('addresses', addresses).set('clusters', clusters);
    this.parts = {
      clock,
      logger,
      meter,
      version: VERSION,
      orphanGraceMs: 1000,
      claims: this.watch(`${claim.group}/${VERSION}`, claim.plural),
      addresses,
      clusters,
      claimWriter: writer(claim),
      addressWriter: writer(address),
      events: { record: () => Promise.resolve() },
      pools: [this.controller.pools],
    };
    const controller = new ClusterApiController(this.parts);
    controller.onWake(({ name }) => this.woken.push(name));
    this.atEnd(() => {
      controller.close();
    });
    this.claims = controller;
  }
}

const poolRef = (name: string): JsonMap => ({ apiGroup: IP_GROUP.group, kind: IP_GROUP.kind, name });
