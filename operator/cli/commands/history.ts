import { accept } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import { allPages, positive, type CommandParts } from '../arguments/command-parts';
import { serviceText } from '../output/service-text';
import { NETWORK } from './show';

/**
 * Adds `ipam history`.
 *
 * @param parts - program and how to run
 */
export function addHistory({ program, run }: CommandParts): void {
  program
    .command('history')
    .argument('<address>', 'the address', addressArgument)
    .option(...NETWORK)
    .option('--limit <number>', 'at most so many', positive)
    .description('list the former holders of an address, newest first')
    .action((address: string, { network, limit }: { readonly network: string; readonly limit?: number }) =>
      run(async (api) => {
        const found = await allPages((query) => api.call('getHistory', { params: { network, address }, query }), limit);
        if (!found.ok) return found;
        const rows = found.value.map(({ from, until, zone, state, service }) => [
          ...[from, until ?? '', state, zone, serviceText(service), service.clusterUid],
        ]);
        return accept({
          value: found.value,
          table: { columns: ['from', 'until', 'state', 'zone', 'service', 'cluster'], rows },
        });
      }),
    );
}
