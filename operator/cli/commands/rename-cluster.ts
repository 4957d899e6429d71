import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { isMap } from '../../contract/loose-json';
import { accept, refuse } from '../../errors/outcome';
import { type CommandParts, YES } from '../arguments/command-parts';

const BY_SOCKET_ONLY =
  'a cluster is renamed by the admin socket of an operator that keeps the record; run the command there, without --server';

/**
 * Adds `ipam rename-cluster`.
 *
 * @param parts - program and how to run
 */
export function addRenameCluster({ program, run }: CommandParts): void {
  program
    .command('rename-cluster')
    .argument('<old>', 'identity of the cluster on record')
    .argument('<new>', 'identity from now on, as --cluster-id or Secret ipam-cluster-identity will have it')
    .option(...YES)
    .description('give all that a cluster has on record to another identity, in one transaction')
    .action((from: string, to: string, { yes }: { readonly yes: boolean }) =>
      run(async (api) => {
        if (!api.isLocal) return refuse('settings/invalid', BY_SOCKET_ONLY, { field: '--server' });
        const place = `${encodeURIComponent(from)}/${encodeURIComponent(to)}`;
        const done = await api.act(`${ADMIN_PATHS.renamedClusters}/${place}?dryRun=${String(!yes)}`);
        if (!done.ok) return done;
        const claims = Number(isMap(done.value) ? done.value['claims'] : 0);
        return accept({
          value: { from, to, claims, renamed: yes },
          table: [`${yes ? 'renamed' : 'would rename'} ${claims} claims from ${from} to ${to}`],
          notes: yes
            ? [`start the operator of that cluster with the identity ${to} now`]
            : ['nothing was changed; give --yes to rename'],
        });
      }),
    );
}
