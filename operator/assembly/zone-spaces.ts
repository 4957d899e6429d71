import { PrefixSet } from '../addressing/prefix-set';
import type { Zone, ZoneCatalogue } from '../contract/zones';
import type { NamedSpace, PoolSpaces } from '../ports/pool-spaces';
import type { ZoneSource } from '../ports/zone-source';

/**
 * Lists the spaces of the zones, for doors that give addresses of pools of their own.
 *
 * @param zones - where they come from
 * @returns one space for each zone, with all of its prefixes
 */
export function zoneSpaces(zones: ZoneSource): PoolSpaces {
  let known: { readonly of: ZoneCatalogue; readonly spaces: readonly NamedSpace[] } | undefined;
  return {
    kind: 'zone',
    list: () => {
      const of = zones.current();
      if (known?.of !== of) known = { of, spaces: of.zones.map(namedSpaceOf) };
      return known.spaces;
    },
    onChange: (listener) => zones.onChange?.(listener) ?? (() => undefined),
  };
}

const namedSpaceOf = ({ name, network, prefixes }: Zone): NamedSpace => ({
  name,
  network,
  space: PrefixSet.of(...prefixes),
});
