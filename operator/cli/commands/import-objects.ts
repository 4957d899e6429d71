import type { ForeignLoadBalancer } from '../../contract/foreign-load-balancers';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { importForeign, type Imported } from '../../rules/vips/foreign/import-foreign';
import { readInput, type ReadInput } from '../arguments/input-file';
import { documentsOf } from '../arguments/manifest-file';
import { EXIT } from '../output/exit-codes';
import { yamlText, type Report } from '../output/report';

/**
 * Makes manifests of the pools of another load balancer, and of what Services show of them.
 *
 * @param files - YAML or JSON; `-` for standard input
 * @param how - the load balancer, and what reads standard input
 * @returns IPGroups and IPs for kubectl, with everything that has no counterpart; `settings/invalid` where no pool is in the files
 */
export async function importObjects(
  files: readonly string[],
  { from, input }: { readonly from: ForeignLoadBalancer; readonly input: ReadInput },
): Promise<Outcome<Report>> {
  const values: unknown[] = [];
  for (const path of files) {
    const bytes = await readInput(path, { name: 'the file of objects', input });
    if (!bytes.ok) return bytes;
    const documents = documentsOf(bytes.value.toString('utf8'), path === '-' ? 'standard input' : path);
    if (!documents.ok) return documents;
    values.push(...documents.value);
  }
  const imported = importForeign(values, { from, now: new Date().toISOString() });
  const { groups, notes } = imported;
  if (groups.length > 0) return accept(reportOf(imported));
  const why = notes.length === 0 ? 'no pool of it is in the files' : notes.join('; ');
  return refuse('settings/invalid', `--from ${from}: ${why}`);
}

function reportOf({ groups, ips, notes, classes }: Imported): Report {
  const items = [...groups, ...ips];
  return {
    value: { apiVersion: 'v1', kind: 'List', items },
    table: items.map(yamlText).join('---\n'),
    notes: [
      `made ${String(groups.length)} IPGroups, and ${String(ips.length)} IPs of what Services show`,
      ...classes.map(
        (each) =>
          `some of these Services have the class "${each}": put it into vips.loadBalancerClasses, for new ones too`,
      ),
      ...notes.map((each) => `not taken over as it was: ${each}`),
    ],
    ...(notes.length === 0 ? {} : { exit: EXIT.partly }),
  };
}
