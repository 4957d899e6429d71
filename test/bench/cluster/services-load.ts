import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { openKubeClient } from '../../../operator/cluster/api/kube-client';
import { openObjectFeed } from '../../../operator/cluster/watch/object-feed';
import type { ServiceFeed } from '../../../operator/ports/service-feed';
import type { KubeObject } from '../../cluster/support/cluster-client';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { METALLB } from '../../../operator/contract/group';
import { conditionOf, ingressOf } from '../../cluster/support/services';
import { forEachAtOnce } from '../../support/at-once';
import { RecordedLogger } from '../../support/recorded-telemetry';

/** Callers at once, as one busy deployment tool has. */
const CALLERS = 16;
const PATIENCE_MS = 1_800_000;

/** Milestone that is waited for, for each Service. */
type Milestone = 'annotated' | 'ready' | 'assigned';

const REACHED: Readonly<Record<Milestone, (service: KubeObject) => boolean>> = {
  annotated: ({ metadata }) => metadata.annotations?.[METALLB.addresses] !== undefined,
  ready: (service) => conditionOf(service)?.status === 'True',
  assigned: (service) => ingressOf(service).length > 0,
};

/** Which Services are created, and what is waited for. */
export interface Load {
  readonly namespace: string;
  readonly names: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Class of the Services; none by default. */
  readonly loadBalancerClass?: string;
  readonly milestones: readonly Milestone[];
}

/** Seconds from the first create until the last Service reached it, and milliseconds of a Service from its own create on. */
interface Reached {
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Result of a load. */
export interface LoadResult {
  /** Until the API server had answered every create. */
  readonly created: Reached;
  readonly reached: Readonly<Partial<Record<Milestone, Reached>>>;
}

/** Creates Services and follows them by one watch until each has reached every milestone. */
export async function loadServices(plane: ControlPlane, load: Load): Promise<LoadResult> {
  const times = new Map(load.milestones.map((each) => [each, new Map<string, number>()]));
  const client = await openKubeClient({
    kubeconfig: plane.kubeconfig,
    clock: SYSTEM_CLOCK,
    logger: new RecordedLogger(),
  });
  const resource = { apiVersion: 'v1', resource: 'services', namespace: load.namespace };
  const feed = openObjectFeed(client, { resource }, { clock: SYSTEM_CLOCK, logger: new RecordedLogger() });
  try {
    await feed.whenSynced();
    const complete = allReached(feed, times, new Set(load.names));
    const start = performance.now();
    const [{ begun, answered }] = await Promise.all([createAll(plane, load), complete]);
    const spans = (of: ReadonlyMap<string, number>): Reached => reachedOf(of, { begun, start });
    return {
      created: spans(answered),
      reached: Object.fromEntries([...times].map(([milestone, found]) => [milestone, spans(found)])),
    };
  } finally {
    await feed.close();
    await client.close();
  }
}

type Times = ReadonlyMap<Milestone, Map<string, number>>;

/** Notes when a Service is first seen at a milestone; resolves when as many have reached each. */
async function allReached(feed: ServiceFeed, times: Times, names: ReadonlySet<string>): Promise<void> {
  let cancel = (): void => undefined;
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new RangeError(`not all Services were served within ${PATIENCE_MS} ms`));
    }, PATIENCE_MS);
    const stop = feed.onChange(({ key, after }) => {
      if (after === undefined || !names.has(key.name)) return;
      for (const [milestone, found] of times)
        if (!found.has(key.name) && REACHED[milestone](after as unknown as KubeObject))
          found.set(key.name, performance.now());
      if ([...times.values()].every(({ size }) => size === names.size)) resolve();
    });
    cancel = () => {
      clearTimeout(late);
      stop();
    };
  }).finally(() => {
    cancel();
  });
}

interface Creates {
  readonly begun: ReadonlyMap<string, number>;
  readonly answered: ReadonlyMap<string, number>;
}

async function createAll({ client }: ControlPlane, load: Load): Promise<Creates> {
  const { namespace, names, annotations, loadBalancerClass } = load;
  const [begun, answered] = [new Map<string, number>(), new Map<string, number>()];
  const create = async (name: string): Promise<void> => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, annotations },
      // there are fewer node ports than Services here, and MetalLB needs none
      spec: { type: 'LoadBalancer', loadBalancerClass, allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
    };
    begun.set(name, performance.now());
    await client.request('POST', `/api/v1/namespaces/${namespace}/services`, service);
    answered.set(name, performance.now());
  };
  await inParallel(names, create);
  return { begun, answered };
}

/** Deletes Services and returns when none is left. */
export async function deleteServices({ client }: ControlPlane, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/services`;
  const { items = [] } = await client.request('GET', path);
  await inParallel(
    items.map(({ metadata: { name } }) => name),
    async (name) => {
      await client.request('DELETE', `${path}/${name}`);
    },
  );
  await client.watchUntilEmpty(path, PATIENCE_MS);
}

/** Does something with each name, by as many callers as a busy deployment tool has. */
export const inParallel = (names: readonly string[], work: (name: string) => Promise<void>): Promise<void> =>
  forEachAtOnce(names, work, CALLERS);

function reachedOf(
  times: ReadonlyMap<string, number>,
  { begun, start }: { readonly begun: ReadonlyMap<string, number>; readonly start: number },
): Reached {
  const spans = [...times].map(([name, at]) => at - (begun.get(name) ?? start)).sort((a, b) => a - b);
  const share = (of: number): number => spans[Math.min(spans.length - 1, Math.floor(spans.length * of))] ?? NaN;
  return { seconds: (Math.max(...times.values()) - start) / 1_000, p50Ms: share(0.5), p99Ms: share(0.99) };
}
