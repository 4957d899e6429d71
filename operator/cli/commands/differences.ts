import { accept } from '../../errors/outcome';
import type { AnswerBody } from '../../contract/ipam-api/v3/operations';
import type { CommandParts } from '../arguments/command-parts';
import { EXIT, type ExitCode } from '../output/exit-codes';
import { apart } from '../output/service-text';

type Differences = AnswerBody<'listDifferences'>;

/**
 * Adds `ipam differences`.
 *
 * @param parts - program and how to run
 */
export function addDifferences({ program, run }: CommandParts): void {
  program
    .command('differences')
    .description('list what the outside source (NetBox) and the record do not agree on, as of the newest comparison')
    .action(() =>
      run(async (api) => {
        const found = await api.call('listDifferences', {});
        if (!found.ok) return found;
        const rows = found.value.entries.map(rowOf);
        const columns = ['kind', 'network', 'zone', 'address', 'since', 'outside', 'record', 'next'];
        return accept({
          value: found.value,
          table: { columns, rows },
          notes: notesOf(found.value),
          exit: exitOf(found.value),
        });
      }),
    );
}

function exitOf({ comparedAt, total, unread }: Differences): ExitCode {
  if (comparedAt === undefined) return EXIT.unavailable;
  if (total > 0) return EXIT.refused;
  return unread.length > 0 ? EXIT.partly : EXIT.ok;
}

function rowOf(entry: Differences['entries'][number]): readonly string[] {
  const names = entry.holders.map(({ namespace, serviceName }) => `${namespace}${namespace && '/'}${serviceName}`);
  const holders = apart(names, entry.holders).map((name, index) => `${name} (${entry.holders[index]?.state ?? ''})`);
  const record = holders.length === 0 ? 'none' : holders.join(', ');
  const next = `${entry.next} at ${entry.nextAt}`;
  return [entry.kind, entry.network, entry.zone, entry.address, entry.since, entry.outside, record, next];
}

function notesOf({ source, comparedAt, total, entries, unread }: Differences): readonly string[] {
  const when =
    comparedAt === undefined
      ? `${source} was not compared with the record yet`
      : `compared with ${source} at ${comparedAt}`;
  return [
    `${when}; ${total} differences`,
    ...(total > entries.length ? [`only ${entries.length} of them are shown`] : []),
    ...(unread.length === 0 ? [] : [`these zones could not be compared: ${unread.join(', ')}`]),
  ];
}
