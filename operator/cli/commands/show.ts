import { accept } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import type { CommandParts } from '../arguments/command-parts';
import { EXIT } from '../output/exit-codes';
import { serviceText, stateText } from '../output/service-text';

/** Option of the commands about one address. */
export const NETWORK = ['--network <name>', 'network of the address', 'default'] as const;

/**
 * Adds `ipam show`.
 *
 * @param parts - program and how to run
 */
export function addShow({ program, run }: CommandParts): void {
  program
    .command('show')
    .argument('<address>', 'the address', addressArgument)
    .option(...NETWORK)
    .description('show the holders of an address')
    .action((address: string, { network }: { readonly network: string }) =>
      run(async (api) => {
        const found = await api.call('getAddress', { params: { network, address } });
        if (!found.ok) return found;
        const { value } = found;
        const head = { network, zone: value.zone ?? '', address: value.address, state: value.state };
        const rows = value.holders.map((claim) => [
          ...[claim.address, claim.zone, stateText(claim), serviceText(claim.service), claim.service.clusterUid],
          ...[claim.holderId, claim.since, claim.until ?? ''],
        ]);
        const free = value.quarantinedUntil === undefined ? '' : `, free from ${value.quarantinedUntil}`;
        const by = value.shownBy === undefined ? '' : `: ${value.shownBy}`;
        return accept({
          value,
          table:
            rows.length === 0
              ? [`${head.network} ${head.address} ${head.zone} ${head.state}${by}${free}`]
              : { columns: ['address', 'zone', 'state', 'service', 'cluster', 'holder', 'since', 'until'], rows },
          ...(value.state === 'unmanaged' ? { exit: EXIT.notFound, notes: [`no zone holds "${value.address}"`] } : {}),
        });
      }),
    );
}
