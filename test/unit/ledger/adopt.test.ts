import { ask, LedgerWorld, refusal } from '../../support/ledger-world';

const closed = [
  {
    name: 'z',
    prefixes: ['192.0.2.0/29'],
    excluded: ['192.0.2.4'],
    draining: true,
    quota: 1,
    namespaces: { matchLabels: { tenant: 'b' } },
  },
];

describe('reserve of what is announced already', () => {
  test('minds neither draining nor exclusion nor quota', async () => {
    const world = new LedgerWorld(closed);
    for (const at of ['192.0.2.1', '192.0.2.4']) {
      expect((await world.has(ask(`a/s${at}`, { at, adopt: 'announced' }))).address.toString()).toBe(at);
    }
    expect(refusal(await world.book.reserve(ask('a/new', { at: '192.0.2.2' }))).code).toBe('zone/draining');
  });

  test('takes nothing from outside of the zone unless nothing was on record', async () => {
    const world = new LedgerWorld(closed);
    const far = { at: '198.51.100.7' } as const;
    expect(refusal(await world.book.reserve(ask('a/s', { ...far, adopt: 'announced' }))).code).toBe(
      'address/outside-zone',
    );
    expect((await world.has(ask('a/s', { ...far, adopt: 'takeover' }))).address.toString()).toBe('198.51.100.7');
  });

  test('minds no limit of reservations, and gives no address twice', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'] }]);
    for (let i = 0; i < 70; i += 1) await world.has(ask(`a/s${i}`, { at: `192.0.2.${i}`, adopt: 'takeover' }));
    expect(await world.tally()).toEqual({ held: 70, quarantined: 0 });
    expect(refusal(await world.book.reserve(ask('b/s', { at: '192.0.2.1', adopt: 'takeover' }))).code).toBe(
      'address/held',
    );
  });
});
