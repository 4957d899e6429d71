import type { Address } from '../../../addressing/address';
import { EXTERNAL_IP_POOL } from '../../../contract/egress-dataplanes';
import { metadataOf, type JsonMap } from '../../../contract/loose-json';
import { afterWrite, type Written } from '../../../errors/after-write';
import { IpamError } from '../../../errors/ipam-error';
import type { EgressGroup } from '../../../ports/egress-dataplane';
import type { DataplaneCluster, DataplaneWriter } from '../shared/dataplane-cluster';
import { orphanedMetadata, versionOf } from '../shared/marks';
import { mergePatch } from '../shared/merge-patch';
import { ReadObjects } from '../shared/read-objects';
import { desiredPool, hasAddress, poolName, readExternalPool, type ExternalPool } from './external-pool';

/** A pool that has an address, and how the write of it ended. */
interface ReadyPool {
  readonly name: string;
  readonly written: Written;
}

/** Pools of EgressIPAMs, one for each CIDR of which a namespace has its active address, among those of others. */
export class ExternalPools extends ReadObjects<ExternalPool> {
  readonly #writer: DataplaneWriter;

  /**
   * Opens the watch, which ends with this.
   *
   * @param cluster - feeds and writers
   */
  constructor(cluster: DataplaneCluster) {
    super(cluster.watch(EXTERNAL_IP_POOL), readExternalPool);
    this.#writer = cluster.writer(EXTERNAL_IP_POOL);
  }

  /**
   * Finds the pool of an address, and brings it to what it is to be.
   *
   * @param address - active address of a namespace
   * @param group - its CIDR; one that was taken out of the spec is still in the pool of an earlier one
   * @param onChosen - is told the name before anything is written
   * @returns its name; a write that something else overtook is to be repeated before it is used
   */
  async ready(address: Address, group: EgressGroup, onChosen: (name: string) => void): Promise<ReadyPool> {
    const name = poolName(group);
    const stored = this.get(name);
    const earlier =
      stored ?? this.all().find((pool) => pool.egressIpam === group.egressIpam && hasAddress(pool, address));
    onChosen(earlier?.name ?? name);
    if (stored === undefined) {
      if (earlier !== undefined) return { name: earlier.name, written: 'written' };
      return { name, written: afterWrite(await this.#writer.create(desiredPool(group))) };
    }
    if (stored.egressIpam === undefined) {
      const message = `ExternalIPPool "${name}" was not made by the operator and has the name of that of ${group.cidr} of EgressIPAM "${group.egressIpam}"; rename or delete it`;
      throw new IpamError('cluster/refused', message);
    }
    return { name, written: await this.#patch(stored.object, desiredPool(group, stored)) };
  }

  /**
   * Deletes a pool of an EgressIPAM that nothing uses.
   *
   * @param name - of the pool
   * @returns whether something else wrote at the same time; none is success
   */
  async end(name: string): Promise<Written> {
    const stored = this.get(name);
    if (stored?.isOwned !== true) return 'written';
    const { key, guard } = versionOf(stored.object);
    return afterWrite(await this.#writer.delete(key, guard));
  }

  /**
   * Lets a pool outlive its EgressIPAM.
   *
   * @param name - of the pool
   * @returns whether something else wrote at the same time; none is success
   */
  async orphan(name: string): Promise<Written> {
    const { object } = await this.#writer.read({ namespace: '', name });
    if (object === undefined || !readExternalPool(object).isOwned) return 'written';
    return this.#patch(object, { ...object, metadata: orphanedMetadata(metadataOf(object)) });
  }

  async #patch(before: JsonMap, after: JsonMap): Promise<Written> {
    const patch = mergePatch(before, after);
    if (patch === undefined) return 'written';
    const { key, guard } = versionOf(before);
    return afterWrite(await this.#writer.patch(key, patch, guard));
  }
}
