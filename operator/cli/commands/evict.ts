import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { isMap, listOf, textOf } from '../../contract/loose-json';
import { accept, refuse } from '../../errors/outcome';
import { type CommandParts, YES } from '../arguments/command-parts';
import { serviceNameArgument, type ServiceName } from '../arguments/service-name';

const BY_SOCKET_ONLY =
  'Services are evicted by the admin socket of the operator of their cluster; run the command there, without --server';

/**
 * Adds `ipam evict`.
 *
 * @param parts - program and how to run
 */
export function addEvict({ program, run }: CommandParts): void {
  program
    .command('evict')
    .argument('<service>', 'namespace/name of the Service', serviceNameArgument)
    .option(...YES)
    .description('take a contested address away from a Service that shows it; the Service waits for another one')
    .action(({ namespace, name }: ServiceName, { yes }: { readonly yes: boolean }) =>
      run(async (api) => {
        if (!api.isLocal) return refuse('settings/invalid', BY_SOCKET_ONLY, { field: '--server' });
        const place = `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
        const done = await api.act(`${ADMIN_PATHS.evictions}/${place}?dryRun=${String(!yes)}`);
        if (!done.ok) return done;
        const addresses = listOf(isMap(done.value) ? done.value['addresses'] : []).map(textOf);
        const service = `${namespace}/${name}`;
        return accept({
          value: { service, addresses, evicted: yes },
          table: { columns: ['service', 'address'], rows: addresses.map((address) => [service, address]) },
          notes: yes ? [] : ['nothing was changed; give --yes, and MetalLB takes these addresses away at once'],
        });
      }),
    );
}
