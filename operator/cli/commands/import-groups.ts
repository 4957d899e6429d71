import { accept, refuse, type Outcome } from '../../errors/outcome';
import { groupsOfMappings, type MadeGroups } from '../../rules/vips/migration/groups-of-mappings';
import type { CommandParts } from '../arguments/command-parts';
import { readInput } from '../arguments/input-file';
import { documentsOf } from '../arguments/manifest-file';
import { EXIT } from '../output/exit-codes';
import { yamlText, type Report } from '../output/report';

const FILE = 'the file of GroupSegmentMappings';

/**
 * Adds `ipam import-groups`.
 *
 * @param parts - program and how to run
 */
export function addImportGroups({ program, runHere, input }: CommandParts): void {
  program
    .command('import-groups')
    .argument('<file>', 'GroupSegmentMappings, as of "kubectl get gsm -o json"; - reads standard input')
    .description('write IPGroups made of GroupSegmentMappings, for kubectl apply; changes nothing by itself')
    .action((path: string) =>
      runHere(async () => {
        const bytes = await readInput(path, { name: FILE, input });
        if (!bytes.ok) return bytes;
        const documents = documentsOf(bytes.value.toString('utf8'), FILE);
        return documents.ok ? reportOf(groupsOfMappings(documents.value)) : documents;
      }),
    );
}

function reportOf({ groups, problems }: MadeGroups): Outcome<Report> {
  if (groups.length === 0) return refuse('settings/invalid', `${FILE}: no GroupSegmentMapping is in it`);
  return accept({
    value: { apiVersion: 'v1', kind: 'List', items: groups },
    table: groups.map(yamlText).join('---\n'),
    notes: problems.map((each) => `the API server will refuse ${each}`),
    ...(problems.length === 0 ? {} : { exit: EXIT.partly }),
  });
}
