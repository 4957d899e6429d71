import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import { type CommandParts, YES } from '../arguments/command-parts';
import { EXIT } from '../output/exit-codes';
import { serviceText } from '../output/service-text';

/**
 * Adds `ipam delete-cluster`.
 *
 * @param parts - program and how to run
 */
export function addDeleteCluster({ program, run }: CommandParts): void {
  program
    .command('delete-cluster')
    .argument('<uid>', 'UID of the namespace kube-system of the cluster')
    .option(...YES)
    .description('end what a cluster holds; retention is honoured, and denyExternalCleanup protects a claim')
    .action((clusterUid: string, { yes }: { readonly yes: boolean }) =>
      run(async (api) => {
        const cleared = await api.call('deleteCluster', { params: { clusterUid }, query: { dryRun: !yes } });
        if (!cleared.ok) return cleared;
        const { entries } = cleared.value;
        const known = entries.length > 0 ? accept(true) : await isKnown(api, clusterUid);
        if (!known.ok) return known;
        const rows = entries.map((entry) => [
          ...[entry.verdict, entry.network, entry.zone, entry.address, serviceText(entry.service), entry.until ?? ''],
        ]);
        const denied = entries.filter(({ verdict }) => verdict === 'denied').length;
        const notes = [
          ...(entries.length === 0 ? [`no claim of cluster "${clusterUid}" is on record`] : []),
          ...(yes || entries.length === 0
            ? []
            : [`nothing was changed; give --yes to end ${entries.length - denied} of ${entries.length} claims`]),
          ...(denied === 0 ? [] : [`${denied} claims stay, since deny-external-cleanup protects them`]),
        ];
        return accept({
          value: cleared.value,
          table: { columns: ['verdict', 'network', 'zone', 'address', 'service', 'until'], rows },
          notes,
          ...(yes && denied > 0 ? { exit: EXIT.partly } : {}),
        });
      }),
    );
}

// To end what was ended before is done; to end what never was is a slip of the pen.
async function isKnown(api: ApiCaller, clusterUid: string): Promise<Outcome<true>> {
  const clusters = await api.call('listClusters', {});
  if (!clusters.ok) return clusters;
  if (clusters.value.entries.some((each) => each.clusterUid === clusterUid)) return accept(true);
  const message = `no cluster "${clusterUid}" is on record; "ipam clusters" lists those that are`;
  return refuse('api/not-found', message, { field: 'uid', value: clusterUid });
}
