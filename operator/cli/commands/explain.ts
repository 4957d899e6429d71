import { accept } from '../../errors/outcome';
import type { CommandParts } from '../command-parts';
import { NETWORK } from './show';

/**
 * Adds `ipam explain`.
 *
 * @param parts - program and how to run
 */
export function addExplain({ program, run }: CommandParts): void {
  program
    .command('explain')
    .argument('<address>', 'the address')
    .option(...NETWORK)
    .description('say why an address can be had or not')
    .action((address: string, { network }: { readonly network: string }) =>
      run(async (api) => {
        const told = await api.call('explainAddress', { params: { network, address } });
        return told.ok ? accept({ value: told.value, table: told.value.sentences }) : told;
      }),
    );
}
