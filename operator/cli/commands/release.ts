import { accept, refuse, type Outcome } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import type { ApiCaller } from '../calls/api-caller';
import type { CommandParts } from '../arguments/command-parts';
import { serviceTexts } from '../output/service-text';
import { NETWORK } from './show';

/**
 * Adds `ipam release`.
 *
 * @param parts - program and how to run
 */
export function addRelease({ program, run }: CommandParts): void {
  program
    .command('release')
    .argument('<address>', 'the address', addressArgument)
    .option(...NETWORK)
    .option('--holder <id>', 'which holder ends; needed where several share the address')
    .description('end one holder of an address without its secret; a live Service asks for an address again')
    .action((address: string, { network, holder }: { readonly network: string; readonly holder?: string }) =>
      run(async (api) => {
        const place = { network, address };
        const id = holder === undefined ? await onlyHolder(api, place) : accept(holder);
        if (!id.ok) return id;
        const ended = await api.call('releaseHolder', { params: place, body: { holderId: id.value } });
        if (!ended.ok) return ended;
        const { quarantinedUntil } = ended.value;
        const since =
          quarantinedUntil === undefined ? '' : `; any claimant may have the address from ${quarantinedUntil}`;
        return accept({
          value: { ...place, holderId: id.value, ...ended.value },
          table: [`released ${address}${since}`],
        });
      }),
    );
}

async function onlyHolder(
  api: ApiCaller,
  params: { readonly network: string; readonly address: string },
): Promise<Outcome<string>> {
  const found = await api.call('getAddress', { params });
  if (!found.ok) return found;
  const [first, second] = found.value.holders;
  if (first === undefined || found.value.state !== 'held')
    return refuse('claim/not-found', `no claim holds "${params.address}" in network "${params.network}"`);
  if (second === undefined) return accept(first.holderId);
  const names = serviceTexts(found.value.holders.map(({ service }) => service));
  const all = found.value.holders.map(({ holderId }, index) => `${holderId} (${names[index] ?? ''})`).join(', ');
  return refuse('settings/invalid', `several hold "${params.address}"; name one with --holder: ${all}`);
}
