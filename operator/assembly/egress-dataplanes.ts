import { DetectedDataplanes } from '../backends/egress-dataplanes/detected-dataplanes';
import { DRIVERS } from '../backends/egress-dataplanes/drivers';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import { openObjectFeed } from '../cluster/watch/object-feed';
import { CRD, type DataplaneKind } from '../contract/egress-dataplanes';
import type { Tools } from '../ports/tools';
import type { ClusterEnvironment } from './environment';

/**
 * Opens the dataplanes that carry egress addresses.
 *
 * @param environment - client and shared watches
 * @param tools - clock, logger, meter
 * @param names - those that are driven where the cluster has them
 * @returns the dataplanes as the cluster has them, followed from now on; closed by the caller
 */
export function openEgressDataplanes(
  { client, feeds }: Pick<ClusterEnvironment, 'client' | 'feeds'>,
  tools: Tools,
  names: readonly string[],
): DetectedDataplanes {
  const { clock, logger } = tools;
  return new DetectedDataplanes({
    drivers: DRIVERS.filter(({ name }) => names.includes(name)),
    watchCrd: (name) => openObjectFeed(client, { resource: CRD, fieldSelector: `metadata.name=${name}` }, tools),
    cluster: {
      clock,
      logger,
      nodes: feeds.nodes(),
      namespaces: feeds.namespaces().objects,
      isAttaching: false,
      nodeWriter: new KubernetesObjectWriter(client, { apiVersion: 'v1', kind: 'Node', resource: 'nodes' }),
      watch: (resource: DataplaneKind) => openObjectFeed(client, { resource }, tools),
      writer: (kind: DataplaneKind) => new KubernetesObjectWriter(client, { ...kind, custom: true }),
    },
  });
}
