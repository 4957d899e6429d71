import { zoneSpaces } from '../../../operator/assembly/zone-spaces';
import { parseZones, type ZoneCatalogue, type ZoneProps } from '../../../operator/contract/zones';

function catalogueOf(zones: readonly ZoneProps[]): ZoneCatalogue {
  const parsed = parseZones({ version: 2, zones });
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join());
  return parsed.value;
}

describe('zoneSpaces', () => {
  const inet: ZoneProps = { name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/64'], excluded: ['192.0.2.0/28'] };
  const lab: ZoneProps = { name: 'lab', network: 'lab', prefixes: ['192.0.2.0/24'] };

  test('offers every zone with all of its prefixes, excluded addresses too', () => {
    const { list } = zoneSpaces({ current: () => catalogueOf([inet, lab]) });
    expect(list().map(({ network, name, space }) => [network, name, space.toString()])).toEqual([
      ['default', 'inet', '192.0.2.0-192.0.2.255, 2001:db8::-2001:db8::ffff:ffff:ffff:ffff'],
      ['lab', 'lab', '192.0.2.0-192.0.2.255'],
    ]);
  });

  test('lists the same spaces until the zones change, and tells of the change', () => {
    let current = catalogueOf([inet]);
    const listeners = new Set<() => void>();
    const spaces = zoneSpaces({
      current: () => current,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const told = jest.fn();
    const stop = spaces.onChange(told);
    const before = spaces.list();
    expect(spaces.list()).toBe(before);
    current = catalogueOf([lab]);
    for (const listener of listeners) listener();
    expect(told).toHaveBeenCalledTimes(1);
    expect(spaces.list().map(({ name }) => name)).toEqual(['lab']);
    stop();
    expect(listeners.size).toBe(0);
  });

  test('tells nothing where zones never change', () => {
    const stop = zoneSpaces({ current: () => catalogueOf([inet]) }).onChange(() => undefined);
    expect(stop).not.toThrow();
  });
});
