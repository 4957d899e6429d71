import { accept, type Outcome } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import { allPages, positive, type CommandParts } from '../arguments/command-parts';
import type { ApiCaller } from '../calls/api-caller';
import type { Report } from '../output/report';
import { serviceText } from '../output/service-text';
import { recordOf, vipsHistory } from '../vips/ask-vips';
import { NO_HISTORY, vipEntries } from '../vips/history-text';
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
    .description(
      'list the former holders of an address of a zone, newest first, and the holders and Events of one of an IPGroup',
    )
    .action((address: string, options: Options) => run((api) => historyReport(api, address, options)));
}

interface Options {
  readonly network: string;
  readonly limit?: number;
}

async function historyReport(api: ApiCaller, address: string, { network, limit }: Options): Promise<Outcome<Report>> {
  const vips = await vipsHistory(api, address);
  if (!vips.ok) return vips;
  const found = recordOf(
    await allPages((query) => api.call('getHistory', { params: { network, address }, query }), limit),
    vips.value,
  );
  if (!found.ok) return found;
  const { value: entries = [] } = found;
  const ofVips = vipEntries(vips.value);
  const rows = [
    ...ofVips.map(({ from, until, state, group, object }) => [from, until, state, group, object, '']),
    ...entries.map(({ from, until, zone, state, service }) => [
      ...[from, until ?? '', state, zone, serviceText(service), service.clusterUid],
    ]),
  ];
  const isVip = ofVips.length > 0 || found.value === undefined;
  const columns = ['from', 'until', 'state', found.value === undefined ? 'ipgroup' : 'zone', 'service', 'cluster'];
  return accept({
    value: [...ofVips, ...entries],
    table: { columns, rows },
    ...(isVip ? { notes: [NO_HISTORY] } : {}),
  });
}
