import type { AnswerBody } from '../../contract/ipam-api/v3/operations';
import { accept, type Outcome } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import { allPages, positive, type CommandParts } from '../arguments/command-parts';
import type { ApiCaller } from '../calls/api-caller';
import type { Report } from '../output/report';
import { serviceText } from '../output/service-text';
import { historiesOf, recordOf, type DoorHistories } from '../doors/ask-doors';
import { historyLines, NO_HISTORY, type HistoryLine } from '../doors/history-text';
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
      'list the former holders of an address of a zone, newest first, and the holders and Events of one of an IPGroup, a NetworkInstance or an EgressIPAM',
    )
    .action((address: string, options: Options) => run((api) => historyReport(api, address, options)));
}

interface Options {
  readonly network: string;
  readonly limit?: number;
}

async function historyReport(api: ApiCaller, address: string, { network, limit }: Options): Promise<Outcome<Report>> {
  const doors = await historiesOf(api, address);
  if (!doors.ok) return doors;
  const isDoorTold = Object.keys(doors.value).length > 0;
  const found = recordOf(
    await allPages((query) => api.call('getHistory', { params: { network, address }, query }), limit),
    isDoorTold,
  );
  if (!found.ok) return found;
  const { value: entries = [] } = found;
  const ofDoors = historyLines(doors.value);
  const rows = [...ofDoors.map(doorRow), ...entries.map(zoneRow)];
  const pool = found.value === undefined ? poolColumn(doors.value) : 'zone';
  const { networks, egress } = doors.value;
  const object = networks === undefined && egress === undefined ? 'service' : 'object';
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

const POOLS = { vips: 'ipgroup', networks: 'instance', egress: 'egressipam' } as const;

function poolColumn(doors: DoorHistories): string {
  const [only = 'pool', ...others] = (Object.keys(POOLS) as (keyof DoorHistories)[]).flatMap((door) =>
    doors[door] === undefined ? [] : POOLS[door],
  );
  return others.length === 0 ? only : 'pool';
}

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
