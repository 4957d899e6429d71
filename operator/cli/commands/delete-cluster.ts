import { accept } from '../../errors/outcome';
import type { CommandParts } from '../command-parts';
import { EXIT } from '../exit-codes';
import { serviceText } from '../service-text';

/**
 * Adds `ipam delete-cluster`.
 *
 * @param parts - program and how to run
 */
export function addDeleteCluster({ program, run }: CommandParts): void {
  program
    .command('delete-cluster')
    .argument('<uid>', 'UID of the namespace kube-system of the cluster')
    .option('--yes', 'do it; without this the command only tells what it would do', false)
    .description('end what a cluster holds; retention is honoured, and denyExternalCleanup protects a claim')
    .action((clusterUid: string, { yes }: { readonly yes: boolean }) =>
      run(async (api) => {
        const cleared = await api.call('deleteCluster', { params: { clusterUid }, query: { dryRun: !yes } });
        if (!cleared.ok) return cleared;
        const { entries } = cleared.value;
        const rows = entries.map((entry) => [
          ...[entry.verdict, entry.network, entry.zone, entry.address, serviceText(entry.service), entry.until ?? ''],
        ]);
        const denied = entries.filter(({ verdict }) => verdict === 'denied').length;
        const notes = [
          ...(entries.length === 0
            ? [`no claim of cluster "${clusterUid}" is on record; \`ipam clusters\` lists the clusters`]
            : []),
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
