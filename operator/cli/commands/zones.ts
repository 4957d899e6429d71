import type { AnswerBody } from '../../contract/ipam-api/v3/operations';
import { accept, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import type { CommandParts } from '../arguments/command-parts';

const COLUMNS = ['network', 'zone', 'family', 'capacity', 'free', 'reserved', 'bound', 'retained', 'quarantined'];

/** Stands in the table for a number that the record does not have. */
const UNKNOWN = '-';

/**
 * Adds `ipam zones`.
 *
 * @param parts - program and how to run
 */
export function addZones({ program, run }: CommandParts): void {
  program
    .command('zones')
    .description('list the zones with their exact numbers')
    .action(() =>
      run(async (api) => {
        const zones = await exactZones(api);
        if (!zones.ok) return zones;
        const rows = zones.value.entries.flatMap((zone) =>
          zone.usage.map((use) => [
            ...[zone.network, zone.name, use.family, use.capacity, use.free, use.reserved, use.bound],
            ...[use.retained ?? UNKNOWN, use.quarantined ?? UNKNOWN, use.outside, use.foreign, zoneState(zone)],
          ]),
        );
        return accept({ value: zones.value, table: { columns: [...COLUMNS, 'outside', 'foreign', 'state'], rows } });
      }),
    );
}

// A server of before refuses what it does not know in a query, and says 0 for numbers that its record does not have.
async function exactZones(api: ApiCaller): Promise<Outcome<AnswerBody<'listZones'>>> {
  const zones = await api.call('listZones', { query: { contested: true } });
  return zones.ok || zones.refusal.code !== 'api/malformed' ? zones : api.call('listZones', {});
}

function zoneState({ present, draining }: { readonly present: boolean; readonly draining: boolean }): string {
  if (!present) return 'gone';
  return draining ? 'draining' : 'open';
}
