import { accept } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import type { CommandParts } from '../arguments/command-parts';
import { readSecret } from '../arguments/input-file';
import { NETWORK } from './show';

/**
 * Adds `ipam rotate-secret`.
 *
 * @param parts - program and how to run
 */
export function addRotateSecret({ program, run, input }: CommandParts): void {
  program
    .command('rotate-secret')
    .argument('<address>', 'the address', addressArgument)
    .option(...NETWORK)
    .requiredOption('--secret-file <file>', 'file of the new secret; - reads standard input')
    .description('give an address another secret without the old one; refused while several hold it')
    .action((address: string, { network, secretFile }: { readonly network: string; readonly secretFile: string }) =>
      run(async (api) => {
        const secret = await readSecret(secretFile, input);
        if (!secret.ok) return secret;
        const changed = await api.call('replaceSecret', {
          params: { network, address },
          body: { secret: secret.value },
        });
        if (!changed.ok) return changed;
        return accept({ value: { network, address }, table: [`${address} has the new secret`] });
      }),
    );
}
