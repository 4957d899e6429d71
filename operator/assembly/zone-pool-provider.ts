import { PrefixSetBuilder, type PrefixSet } from '../addressing/prefix-set';
import type { Zone, ZoneCatalogue } from '../contract/zones';
import type { PoolSpaces, PoolSpace } from '../ports/pool-spaces';
import type { ZoneSource } from '../ports/zone-source';

/**
 * Offers the zones as pools, for doors that give addresses of pools of their own.
 *
 * @param zones - where they come from
 * @returns one pool for each zone, with all of its prefixes
 */
export function zonePoolProvider(zones: ZoneSource): PoolSpaces {
  let known: { readonly of: ZoneCatalogue; readonly pools: readonly PoolSpace[] } | undefined;
  return {
    kind: 'zone',
    pools: () => {
      const of = zones.current();
      if (known?.of !== of) known = { of, pools: of.zones.map(poolOf) };
      return known.pools;
    },
    onChange: (listener) => zones.onChange?.(listener) ?? (() => undefined),
  };
}

const poolOf = ({ name, network, prefixes }: Zone): PoolSpace => ({ name, network, space: spaceOf(prefixes) });

function spaceOf(prefixes: Zone['prefixes']): PrefixSet {
  const space = new PrefixSetBuilder();
  for (const prefix of prefixes) space.add(prefix);
  return space.build();
}
