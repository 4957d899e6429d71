import { addressOf } from '../../../../operator/addressing/address';
import { parseZones, type ZoneProps } from '../../../../operator/contract/zones';
import { ask, askByApi, claimant, granted, LedgerWorld, refusal } from '../../../support/ledger-world';

const SMALL: ZoneProps = { name: 'z', prefixes: ['192.0.2.0/30', '2001:db8::/126'], edgeAddresses: 'avoid' };

const addressFor = async (world: LedgerWorld, name: string, at?: string): Promise<string> =>
  granted(await world.book.reserve(ask(`a/${name}`, at === undefined ? {} : { at }))).address.toString();

describe('FU-15 edge addresses', () => {
  test('are not chosen, and are given to a Service that names one', async () => {
    const world = new LedgerWorld([SMALL]);
    const given = [await addressFor(world, 'one'), await addressFor(world, 'two')];
    const named = [await addressFor(world, 'three', '192.0.2.0'), await addressFor(world, 'four', '192.0.2.3')];
    expect([given, named]).toEqual([
      ['192.0.2.1', '192.0.2.2'],
      ['192.0.2.0', '192.0.2.3'],
    ]);
  });

  test('of IPv6 are the first one alone', async () => {
    const world = new LedgerWorld([SMALL]);
    const given: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      given.push(granted(await world.book.reserve(ask(`a/${name}`, { family: 6 }))).address.toString());
    }
    expect(given).toEqual(['2001:db8::1', '2001:db8::2', '2001:db8::3']);
  });

  test('are told when nothing else is left, without those that are held', async () => {
    const world = new LedgerWorld([SMALL]);
    for (const name of ['one', 'two']) await addressFor(world, name);
    const messages = [refusal(await world.book.reserve(ask('a/more'))).message];
    await addressFor(world, 'named', '192.0.2.0');
    messages.push(refusal(await world.book.reserve(ask('a/more'))).message);
    messages.push(refusal(await world.book.preview(ask('a/more'))).message);
    await addressFor(world, 'last', '192.0.2.3');
    messages.push(refusal(await world.book.reserve(ask('a/more'))).message);
    expect(messages.map((message) => message.split('; ').slice(1))).toEqual([
      ['2 edge addresses remain, which are given to a Service that names one'],
      ['1 edge address remains, which is given to a Service that names one'],
      ['1 edge address remains, which is given to a Service that names one'],
      [],
    ]);
  });

  test('do not count as capacity, and take nothing from it when they are held', async () => {
    const world = new LedgerWorld([SMALL]);
    await addressFor(world, 'named', '192.0.2.0');
    await addressFor(world, 'one');
    const [usage, six] = await world.registry.zones();
    expect(usage).toMatchObject({ zone: 'z', family: 4, capacity: 2n, free: 1n, reserved: 2n, outside: 0n });
    expect(six).toMatchObject({ zone: 'z', family: 6, capacity: 3n, free: 3n });
    expect(await world.registry.zones()).toHaveLength(2);
  });

  test('come back to the one who had them, and stay with who has them', async () => {
    const world = new LedgerWorld([{ ...SMALL, edgeAddresses: 'use' }]);
    const grant = granted(await world.book.reserve(askByApi(claimant('a/web'))));
    expect(grant.address.toString()).toBe('192.0.2.0');
    world.zones.become([SMALL]);
    expect(granted(await world.book.reserve(askByApi(claimant('a/web')))).address.toString()).toBe('192.0.2.0');
    const { secret, options, zone, family } = askByApi(claimant('a/web'));
    const { service } = claimant('a/web');
    granted(
      await world.book.releaseByService({
        zone,
        family,
        address: addressOf('192.0.2.0'),
        service,
        secret: secret.value,
        options,
      }),
    );
    expect(granted(await world.book.reserve(askByApi(claimant('a/web')))).address.toString()).toBe('192.0.2.0');
  });
});

describe('FU-15 a zones document', () => {
  const choosable = (version: 1 | 2, more: Partial<ZoneProps> = {}): bigint | undefined => {
    const parsed = parseZones({ version, zones: [{ name: 'z', prefixes: ['192.0.2.0/29'], ...more }] });
    return parsed.ok ? parsed.value.zones[0]?.choosable.count() : undefined;
  };

  test('of version 1 uses edges, one of version 2 avoids them, and each zone may say otherwise', () => {
    expect([choosable(1), choosable(2)]).toEqual([8n, 6n]);
    expect([choosable(1, { edgeAddresses: 'avoid' }), choosable(2, { edgeAddresses: 'use' })]).toEqual([6n, 8n]);
  });

  test('with another word is refused', () => {
    const parsed = parseZones({
      version: 2,
      zones: [{ name: 'z', prefixes: ['192.0.2.0/29'], edgeAddresses: 'skip' }],
    });
    expect(parsed.ok ? [] : parsed.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('zones[0].edgeAddresses'),
    ]);
  });
});
