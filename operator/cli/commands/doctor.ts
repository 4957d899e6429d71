import { accept, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import { allPages, type CommandParts } from '../arguments/command-parts';
import { leftAloneFindings } from '../output/left-alone';
import { findings, type Finding } from '../output/findings';
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
      'check readiness, zones, clusters, waiting and unannounced Services, MetalLB pools, certificates and outside sources',
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
  const zones = await api.call('listZones', {});
  if (!zones.ok) return zones;
  const clusters = await api.call('listClusters', {});
  if (!clusters.ok && clusters.refusal.code !== 'store/no-reports') return clusters;
  const reserved = await allPages((page) => api.call('listClaims', { query: { state: 'reserved', ...page } }));
  if (!reserved.ok) return reserved;
  // a server that shows no health pages here is no reason to say nothing about the rest
  const [ready, metrics] = [await api.page('/readyz'), await api.page('/metrics')];
  const leftAlone = await leftAloneFindings(api);
  return accept([
    ...findings({
      zones: zones.value.entries,
      ...(clusters.ok ? { clusters: clusters.value.entries } : {}),
      reserved: reserved.value,
      nowMs: Date.now(),
      ...(ready.ok && ready.value.status !== 404 ? { readiness: ready.value.text } : {}),
      ...(metrics.ok && metrics.value.status === 200 ? { metrics: metrics.value.text } : {}),
    }),
    ...leftAlone,
  ]);
}
