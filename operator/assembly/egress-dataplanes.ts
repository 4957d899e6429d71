import { DetectedDataplanes } from '../backends/egress-dataplanes/detected-dataplanes';
import { DRIVERS } from '../backends/egress-dataplanes/drivers';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import { openObjectFeed } from '../cluster/watch/object-feed';
import { CRD, type DataplaneKind } from '../contract/egress-dataplanes';
import type { Tools } from '../ports/tools';
import type { ClusterEnvironment } from './environment';

/** Dataplanes that are driven where the cluster has them. */
interface DrivenDataplanes {
  readonly names: readonly string[];
  /** Tells whether a cloud attaches each address to a machine before a dataplane is told. */
  readonly isAttaching: () => boolean;
}

/**
 * Opens the dataplanes that carry egress addresses.
 *
 * @param environment - client and shared watches
 * @param tools - clock, logger, meter
 * @param driven - which are driven, and how addresses come to nodes
 * @returns the dataplanes as the cluster has them, followed from now on; closed by the caller
 */
export function openEgressDataplanes(
  { client, feeds }: Pick<ClusterEnvironment, 'client' | 'feeds'>,
  tools: Tools,
  { names, isAttaching }: DrivenDataplanes,
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
      isAttaching,
      nodeWriter: new KubernetesObjectWriter(client, { apiVersion: 'v1', kind: 'Node', resource: 'nodes' }),
      watch: (resource: DataplaneKind) => openObjectFeed(client, { resource }, tools),
      writer: (kind: DataplaneKind) => new KubernetesObjectWriter(client, { ...kind, custom: true }),
    },
  });
}
