import { MetalLbPools, POOL_KIND } from '../backends/metallb/metallb-pools';
import { openClusterObjects } from '../cluster/objects/kubernetes-objects';
import { isServedKind } from '../cluster/api/served-kind';
import { METALLB_NAMESPACE } from '../contract/group';
import { compareZonePools, createZonePools, PoolView, type ServicesDoorParts } from '../front-doors/services/index';
import type { RecordView } from '../ports/store';
import type { ServiceFeed } from '../ports/service-feed';
import type { Tools } from '../ports/tools';
import type { ZoneSource } from '../ports/zone-source';
import type { ClusterEnvironment } from './environment';

/** Content of the pools of MetalLB. */
export type PoolContent = 'claims' | 'prefixes';

/** Parts of the pools. */
interface PoolParts {
  readonly tools: Tools;
  readonly environment: ClusterEnvironment;
  readonly zones: ZoneSource;
  /** The claims, which pools are computed from. */
  readonly record: RecordView;
  readonly feed: ServiceFeed;
}

/** The pools of MetalLB, as far as this installation looks at them. */
export interface OpenedPools {
  readonly door: Pick<ServicesDoorParts, 'pools' | 'poolFamilies' | 'poolFacts'>;
  /** Writes them, once every stored Service is adopted; absent where another program writes them. */
  readonly lead?: () => () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the pools of MetalLB.
 *
 * @param content - `claims`: pools hold what is claimed, and the operator writes them; `prefixes`: they hold the prefixes of the
 *   zones, and the operator only looks at them
 * @param parts - cluster, zones, claims, Services, tools
 * @returns the pools as the Services door sees them, and the work of their leader
 */
export function openPools(content: PoolContent, parts: PoolParts): OpenedPools {
  const { tools, environment, zones, record: store, feed } = parts;
  const { client, cluster } = environment;
  const objects = openClusterObjects(client, { ...POOL_KIND, namespace: METALLB_NAMESPACE }, tools);
  const pools = new MetalLbPools({ objects, zones, isServed: () => isServedKind(client, POOL_KIND) });
  if (content === 'prefixes') {
    const view = new PoolView({ pools, logger: tools.logger });
    const stopComparing = compareZonePools({ ...tools, view, zones, cluster });
    return {
      door: { poolFamilies: (zone) => view.families(zone), poolFacts: view },
      close: () => {
        stopComparing();
        view.close();
        return objects.close();
      },
    };
  }
  const written = createZonePools({ ...tools, store, pools, zones, cluster, feed });
  return {
    door: { pools: written, poolFamilies: (zone) => written.view.families(zone), poolFacts: written.view },
    lead: () => written.lead(),
    close: () => {
      written.close();
      return objects.close();
    },
  };
}
