import type { ControlPlane } from '../../cluster/support/control-plane';
import { usesIn } from '../../cluster/support/rights';
import { cpuSeconds, residentMiB } from '../cluster/process-cost';
import { deleteServices, loadServices, type LoadResult } from '../cluster/services-load';
import { NAMESPACE, type Contestant } from './contestants';

const READS = ['get', 'list', 'watch'];
const IPS = '/apis/paas.org/v1/ips';
/** So that hot functions and connections are ready. */
const WARM_UP = 100;
const PATIENCE_MS = 600_000;

/** What one contestant cost. */
export interface Measured {
  readonly services: number;
  /** From the first create until the last Service has an address. */
  readonly seconds: number;
  readonly load: LoadResult;
  readonly requests: number;
  readonly writes: number;
  /** The writes by verb and resource. */
  readonly byKind: ReadonlyMap<string, number>;
  readonly cpu: number;
  readonly memory: number;
}

const namesOf = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${String(i)}`);

/**
 * Lets one contestant serve so many Services in an empty cluster, and clears up.
 *
 * @param plane - with an audit log
 * @param contestant - runs alone
 * @param services - how many
 * @returns time and cost
 */
export async function measure(plane: ControlPlane, contestant: Contestant, services: number): Promise<Measured> {
  const running = await contestant.start(plane);
  const { loadBalancerClass, user } = contestant;
  const load = (names: readonly string[]): Promise<LoadResult> =>
    loadServices(plane, { namespace: NAMESPACE, names, annotations: {}, loadBalancerClass, milestones: ['assigned'] });
  try {
    await load(namesOf('warm', Math.min(WARM_UP, services)));
    const [cpu, from] = [cpuSeconds(running.pid), usesIn(plane.auditFile, user).length];
    const result = await load(namesOf('s', services));
    const uses = usesIn(plane.auditFile, user).slice(from);
    const writes = uses.filter(({ verb, resource }) => !READS.includes(verb) && !resource.startsWith('leases'));
    const byKind = new Map<string, number>();
    for (const { verb, resource } of writes)
      byKind.set(`${verb} ${resource}`, (byKind.get(`${verb} ${resource}`) ?? 0) + 1);
    return {
      services,
      seconds: result.reached.assigned?.seconds ?? NaN,
      load: result,
      requests: uses.length,
      writes: writes.length,
      byKind,
      cpu: cpuSeconds(running.pid) - cpu,
      memory: residentMiB(running.pid),
    };
  } finally {
    await clearUp(plane, contestant, running);
  }
}

// MetalLB compares all of its Services with each delete, and the client releases nothing: both end first.
async function clearUp(plane: ControlPlane, { name }: Contestant, running: { stop(): Promise<void> }): Promise<void> {
  if (name !== 'door') await running.stop();
  await deleteServices(plane, NAMESPACE);
  if (name === 'door') {
    await plane.client.watchUntilEmpty(IPS, PATIENCE_MS);
    await running.stop();
    return;
  }
  await plane.kubectl(
    '--as=bench',
    '--as-group=system:masters',
    '--as-group=system:serviceaccounts:bench-client',
    ...['delete', ...['ips.paas.org', '--all', '--wait=false']],
  );
}
