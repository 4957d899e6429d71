import { accept, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import { allPages, type CommandParts } from '../arguments/command-parts';
import { leftAloneFindings } from '../output/left-alone';
import { findings, type Finding, type RecordSymptoms, type Symptoms } from '../output/findings';
import { doorFindings, recordOf } from '../doors/ask-doors';
import { EXIT } from '../output/exit-codes';

/**
 * Adds `ipam doctor`.
 *
 * @param parts - program and how to run
 */
export function addDoctor({ program, run }: CommandParts): void {
  program
    .command('doctor')
    .description(
      'check readiness, zones, IPGroups, NetworkInstances, EgressIPAMs, clusters, waiting and unannounced Services, waiting address claims, MetalLB pools, certificates and outside sources',
    )
    .action(() =>
      run(async (api) => {
        const found = await examine(api);
        if (!found.ok) return found;
        const bad = found.value.some(({ verdict }) => verdict === 'bad');
        return accept({
          value: found.value,
          table: {
            columns: ['verdict', 'check', 'finding'],
            rows: found.value.map(({ verdict, check, finding }) => [verdict, check, finding]),
          },
          ...(bad ? { exit: EXIT.refused } : {}),
        });
      }),
    );
}

async function examine(api: ApiCaller): Promise<Outcome<readonly Finding[]>> {
  const doors = await doorFindings(api);
  if (!doors.ok) return doors;
  const record = recordOf(await examineRecord(api), doors.value.length > 0);
  if (!record.ok) return record;
  // a server that shows no health pages here is no reason to say nothing about the rest
  const health = await healthOf(api);
  const leftAlone = await leftAloneFindings(api);
  return accept([
    ...findings({
      ...record.value,
      nowMs: Date.now(),
      ...health,
      doors: doors.value,
    }),
    ...leftAlone,
  ]);
}

async function healthOf(api: ApiCaller): Promise<Pick<Symptoms, 'readiness' | 'metrics'>> {
  const [ready, metrics] = [await api.page('/readyz'), await api.page('/metrics')];
  return {
    ...(ready.ok && ready.value.status !== 404 ? { readiness: ready.value.text } : {}),
    ...(metrics.ok && metrics.value.status === 200 ? { metrics: metrics.value.text } : {}),
  };
}

async function examineRecord(api: ApiCaller): Promise<Outcome<RecordSymptoms>> {
  const zones = await api.call('listZones', {});
  if (!zones.ok) return zones;
  const clusters = await api.call('listClusters', {});
  if (!clusters.ok && clusters.refusal.code !== 'store/no-reports') return clusters;
  const reserved = await allPages((page) => api.call('listClaims', { query: { state: 'reserved', ...page } }));
  if (!reserved.ok) return reserved;
  return accept({
    zones: zones.value.entries,
    ...(clusters.ok ? { clusters: clusters.value.entries } : {}),
    reserved: reserved.value,
  });
}
