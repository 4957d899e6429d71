import type { AnswerBody } from '../../contract/ipam-api/v3/operations';
import { accept, type Outcome } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import { allPages, positive, type CommandParts } from '../arguments/command-parts';
import type { ApiCaller } from '../calls/api-caller';
import type { Report } from '../output/report';
import { serviceText } from '../output/service-text';
import { networksHistory, recordOf, vipsHistory } from '../doors/ask-doors';
import { NO_HISTORY, networkLines, vipLines, type HistoryLine } from '../doors/history-text';
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
      'list the former holders of an address of a zone, newest first, and the holders and Events of one of an IPGroup or a NetworkInstance',
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
  const networks = await networksHistory(api, address);
  if (!networks.ok) return networks;
  const isDoorTold = vips.value !== undefined || networks.value !== undefined;
  const found = recordOf(
    await allPages((query) => api.call('getHistory', { params: { network, address }, query }), limit),
    isDoorTold,
  );
  if (!found.ok) return found;
  const { value: entries = [] } = found;
  const ofDoors = [...vipLines(vips.value), ...networkLines(networks.value)];
  const rows = [...ofDoors.map(doorRow), ...entries.map(zoneRow)];
  const pool = found.value === undefined ? poolColumn(vips.value) : 'zone';
  const object = networks.value === undefined ? 'service' : 'object';
  const hasNoPast = ofDoors.length > 0 || found.value === undefined;
  return accept({
    value: [...ofDoors, ...entries],
    table: {
      columns: ['from', 'until', 'state', pool, object, 'cluster'],
      rows,
    },
    ...(hasNoPast ? { notes: [NO_HISTORY] } : {}),
  });
}

const poolColumn = (vips: object | undefined): string => (vips === undefined ? 'instance' : 'ipgroup');

const doorRow = ({ from, until, state, pool, object }: HistoryLine): readonly string[] => [
  ...[from, until, state, pool, object, ''],
];

const zoneRow = ({
  from,
  until,
  zone,
  state,
  service,
}: AnswerBody<'getHistory'>['entries'][number]): readonly string[] => [
  ...[from, until ?? '', state, zone, serviceText(service), service.clusterUid],
];
