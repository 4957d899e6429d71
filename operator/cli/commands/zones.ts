import { accept } from '../../errors/outcome';
import type { CommandParts } from '../arguments/command-parts';

const COLUMNS = ['network', 'zone', 'family', 'capacity', 'free', 'reserved', 'bound', 'retained', 'quarantined'];

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
        const zones = await api.call('listZones', {});
        if (!zones.ok) return zones;
        const rows = zones.value.entries.flatMap((zone) =>
          zone.usage.map((use) => [
            ...[zone.network, zone.name, use.family, use.capacity, use.free, use.reserved, use.bound, use.retained],
            ...[use.quarantined, use.outside, use.foreign, zoneState(zone)],
          ]),
        );
        return accept({ value: zones.value, table: { columns: [...COLUMNS, 'outside', 'foreign', 'state'], rows } });
      }),
    );
}

function zoneState({ present, draining }: { readonly present: boolean; readonly draining: boolean }): string {
  if (!present) return 'gone';
  return draining ? 'draining' : 'open';
}
