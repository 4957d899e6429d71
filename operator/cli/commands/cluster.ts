import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { accept, refuse } from '../../errors/outcome';
import { type CommandParts, YES } from '../arguments/command-parts';

const BY_SOCKET_ONLY =
  'a cluster is forgotten by the admin socket of the operator whose identity it has; run the command there, without --server';

/**
 * Adds `ipam cluster forget`.
 *
 * @param parts - program and how to run
 */
export function addCluster({ program, run }: CommandParts): void {
  program
    .command('cluster')
    .description('clusters that go by the identity of this one')
    .command('forget')
    .argument('<uid>', 'UID of the namespace kube-system of the other cluster, as the log and the alert name it')
    .option(...YES)
    .description('end the claims of a cluster of the same identity that is gone for good')
    .action((uid: string, { yes }: { readonly yes: boolean }) =>
      run(async (api) => {
        if (!api.isLocal) return refuse('settings/invalid', BY_SOCKET_ONLY, { field: '--server' });
        const done = await api.act(
          `${ADMIN_PATHS.forgottenClusters}/${encodeURIComponent(uid)}?dryRun=${String(!yes)}`,
        );
        if (!done.ok) return done;
        return accept({
          value: { uid, forgotten: yes },
          table: [`${yes ? 'forgot' : 'would forget'} cluster ${uid}; claims without a Service of this cluster end`],
          notes: yes ? [] : ['nothing was changed; give --yes where that cluster is gone for good'],
        });
      }),
    );
}
