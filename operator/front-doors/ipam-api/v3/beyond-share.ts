import { catalogueRow } from '../../../errors/catalogue';
import type { ClientProps } from '../../../contract/ipam-api/v3/clients';
import type { RefusedUse, UseLimits } from '../../../ledger/occupied/zone-shares';
import type { IpamApiV3Parts, V3Client } from './parts';
import { present } from './wire';

/**
 * Reads how much of a zone the clusters of a client may show without a claim.
 *
 * @param client - from the clients file
 * @returns its limits
 */
export function limitsOf({ occupiedQuota, clusterQuota }: Pick<V3Client, keyof UseLimits>): UseLimits {
  return present({ occupiedQuota, clusterQuota });
}

/**
 * Finds the clients by whose limits a cluster has its share of each zone: its operators, since their word alone puts anything on record. Where
 * none is left, what was reported counts within the limits of the others.
 *
 * @param clients - as the clients file has them now
 * @param cluster - UID of the cluster
 * @returns clients that speak for it; empty where none does
 */
export function reportersOf(clients: readonly ClientProps[], cluster: string): readonly ClientProps[] {
  const speaking = clients.filter(({ clusterUids = [] }) => clusterUids.includes(cluster));
  const operators = speaking.filter(({ operator }) => operator === true);
  return operators.length > 0 ? operators : speaking;
}

/**
 * Logs and counts what a cluster shows beyond its share: one line for each zone, since a broken client reports every address of one.
 *
 * @param tools - log and metrics
 * @param told - client, cluster, and what is not on record
 */
export function tellRefused(
  { logger, meter }: Pick<IpamApiV3Parts, 'logger' | 'meter'>,
  told: {
    readonly client: Pick<V3Client, 'name'>;
    readonly clusterUid: string;
    readonly refused: readonly RefusedUse[];
  },
): void {
  const { client, clusterUid: cluster, refused } = told;
  const { reason } = catalogueRow('cluster/quota');
  if (refused.length > 0) meter.count('refusals_total', { reason }, refused.length);
  for (const zone of new Set(refused.map((each) => each.zone))) {
    const addresses = refused.filter((each) => each.zone === zone).length;
    logger.warn('addresses that a cluster shows are beyond the limit of its client (occupiedQuota)', {
      client: client.name,
      cluster,
      zone,
      addresses,
      code: 'cluster/quota',
    });
  }
}
