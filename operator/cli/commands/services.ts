import { Option } from 'commander';
import { accept } from '../../errors/outcome';
import { allPages, positive, type CommandParts } from '../arguments/command-parts';
import type { ApiCaller } from '../calls/api-caller';
import { quoteValue } from '../../contract/quote';
import { EXIT } from '../output/exit-codes';
import { serviceText, stateText } from '../output/service-text';

const STATES = ['reserved', 'bound', 'retained', 'quarantined'] as const;

interface Filters {
  readonly network?: string;
  readonly zone?: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly state?: (typeof STATES)[number];
  readonly limit?: number;
}

/**
 * Adds `ipam services`.
 *
 * @param parts - program and how to run
 */
export function addServices({ program, run }: CommandParts): void {
  program
    .command('services')
    .option('--network <name>', 'only this network')
    .option('--zone <name>', 'only this zone')
    .option('--cluster <uid>', 'only the cluster with this UID')
    .option('--namespace <name>', 'only this namespace')
    .option('--name <name>', 'only Services of this name')
    .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
    .option('--limit <number>', 'at most so many', positive)
    .description('list the services with their addresses')
    .action(({ cluster, name, limit, ...rest }: Filters) =>
      run(async (api) => {
        const query = {
          ...rest,
          ...(cluster === undefined ? {} : { clusterUid: cluster }),
          ...(name === undefined ? {} : { serviceName: name }),
        };
        const found = await allPages((page) => api.call('listServices', { query: { ...query, ...page } }), limit);
        if (!found.ok) return found;
        const rows = found.value.map((each) => [
          ...[each.network, each.zone, each.address, stateText(each), serviceText(each.service)],
          ...[each.service.clusterUid, each.until ?? ''],
        ]);
        const columns = ['network', 'zone', 'address', 'state', 'service', 'cluster', 'until'];
        const notes = await notesOn(api, rest, rows.length);
        const exit = notes.length === 0 ? {} : { exit: EXIT.notFound };
        return accept({ value: found.value, table: { columns, rows }, notes, ...exit });
      }),
    );
}

// Only beside an empty list: claims can outlive their zone.
async function notesOn(api: ApiCaller, { network, zone }: Filters, found: number): Promise<readonly string[]> {
  if (zone === undefined || found > 0) return [];
  const zones = await api.call('listZones', {});
  if (!zones.ok) return [];
  const isKnown = zones.value.entries.some((each) => each.name === zone && (network ?? each.network) === each.network);
  if (isKnown) return [];
  const where = network === undefined ? '' : ` in network ${quoteValue(network)}`;
  return [`no zone ${quoteValue(zone)} is known${where}; "ipam zones" lists those that are`];
}
