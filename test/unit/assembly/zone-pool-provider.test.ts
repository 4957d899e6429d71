import { zonePoolProvider } from '../../../operator/assembly/zone-pool-provider';
import { parseZones, type ZoneCatalogue, type ZoneProps } from '../../../operator/contract/zones';

function catalogueOf(zones: readonly ZoneProps[]): ZoneCatalogue {
  const parsed = parseZones({ version: 2, zones });
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join());
  return parsed.value;
}

describe('zonePoolProvider', () => {
  const inet: ZoneProps = { name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/64'], excluded: ['192.0.2.0/28'] };
  const lab: ZoneProps = { name: 'lab', network: 'lab', prefixes: ['192.0.2.0/24'] };

  test('offers every zone with all of its prefixes, excluded addresses too', () => {
    const { pools } = zonePoolProvider({ current: () => catalogueOf([inet, lab]) });
    expect(pools().map(({ network, name, space }) => [network, name, space.toString()])).toEqual([
      ['default', 'inet', '192.0.2.0-192.0.2.255, 2001:db8::-2001:db8::ffff:ffff:ffff:ffff'],
      ['lab', 'lab', '192.0.2.0-192.0.2.255'],
    ]);
  });

  test('lists the same pools until the zones change, and tells of the change', () => {
    let current = catalogueOf([inet]);
    const listeners = new Set<() => void>();
    const provider = zonePoolProvider({
      current: () => current,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const told = jest.fn();
    const stop = provider.onChange(told);
    const before = provider.pools();
    expect(provider.pools()).toBe(before);
    current = catalogueOf([lab]);
    for (const listener of listeners) listener();
    expect(told).toHaveBeenCalledTimes(1);
    expect(provider.pools().map(({ name }) => name)).toEqual(['lab']);
    stop();
    expect(listeners.size).toBe(0);
  });

  test('tells nothing where zones never change', () => {
    const stop = zonePoolProvider({ current: () => catalogueOf([inet]) }).onChange(() => undefined);
    expect(stop).not.toThrow();
  });
});
