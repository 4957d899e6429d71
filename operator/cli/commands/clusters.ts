import { accept } from '../../errors/outcome';
import type { CommandParts } from '../arguments/command-parts';

/**
 * Adds `ipam clusters`.
 *
 * @param parts - program and how to run
 */
export function addClusters({ program, run }: CommandParts): void {
  program
    .command('clusters')
    .description('list the clusters that have claims or have reported their Services')
    .action(() =>
      run(async (api) => {
        const found = await api.call('listClusters', {});
        if (!found.ok) return found;
        const rows = found.value.entries.map((each) => [
          ...[each.clusterUid, each.name, String(each.claims), each.reportedAt ?? 'never'],
        ]);
        return accept({
          value: found.value.entries,
          table: { columns: ['cluster', 'name', 'claims', 'reported'], rows },
        });
      }),
    );
}
