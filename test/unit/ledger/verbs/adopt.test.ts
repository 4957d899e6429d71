import { CUSTOM, ask, claimant, LedgerWorld, refusal } from '../../../support/ledger-world';

const closed = [
  {
    name: 'z',
    prefixes: ['192.0.2.0/29'],
    excluded: ['192.0.2.4'],
    draining: true,
    quota: 1,
    namespaces: { matchLabels: { tenant: 'b' } },
  },
  { name: 'y', prefixes: ['203.0.113.0/24'], excluded: ['203.0.113.9'] },
];
const open = [{ name: 'z', prefixes: ['192.0.2.0/24'], quota: 1 }];
const KINDS = ['announced', 'served', 'takeover'] as const;
const HOUR_MS = 3_600_000;

/** Code of the refusal of a reservation. */
async function refused(world: LedgerWorld, ...asked: Parameters<typeof ask>): Promise<string> {
  return refusal(await world.book.reserve(ask(...asked))).code;
}

describe('reserve of what is in use already', () => {
  test('minds neither draining nor exclusion nor quota', async () => {
    const world = new LedgerWorld(closed);
    for (const at of ['192.0.2.1', '192.0.2.4']) {
      expect((await world.has(ask(`a/s${at}`, { at, adopt: 'announced' }))).address.toString()).toBe(at);
    }
    expect(await refused(world, 'a/new', { at: '192.0.2.2' })).toBe('zone/draining');
  });

  test('takes what no zone has only where it came from us, or nothing was on record', async () => {
    const world = new LedgerWorld(closed);
    expect(await refused(world, 'a/s', { at: '198.51.100.7', adopt: 'announced' })).toBe('address/outside-zone');
    for (const [at, adopt] of [
      ['198.51.100.7', 'served'],
      ['198.51.100.8', 'takeover'],
      ['2001:db8::8', 'takeover'],
    ] as const) {
      expect((await world.has(ask(`a/s${at}`, { at, adopt }))).address.toString()).toBe(at);
    }
  });

  test('minds no limit of reservations, and gives no address twice', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'] }]);
    for (let i = 0; i < 70; i += 1) await world.has(ask(`a/s${i}`, { at: `192.0.2.${i}`, adopt: 'takeover' }));
    expect(await world.tally()).toEqual({ held: 70, quarantined: 0 });
    expect(await refused(world, 'b/s', { at: '192.0.2.1', adopt: 'takeover' })).toBe('address/held');
  });

  test.each(KINDS)('names the address: "%s" without one is refused by the field', async (adopt) => {
    const world = new LedgerWorld(open);
    await world.has(ask('a/first'));
    expect(refusal(await world.book.reserve(ask('a/s', { adopt })))).toMatchObject({
      code: 'api/malformed',
      field: 'address',
    });
  });

  test.each(KINDS.flatMap((adopt) => ([undefined, 'cluster', 'admin'] as const).map((word) => [adopt, word] as const)))(
    'REQ-07 takes nothing unusable and nothing of another zone: "%s" on the word of %s',
    async (adopt, word) => {
      const world = new LedgerWorld(closed);
      const said = { adopt, ...(word === undefined ? {} : { assertedBy: word }) };
      for (const at of ['127.0.0.1', '224.0.0.1', '0.0.0.0', '169.254.1.1', 'ff02::1', '::1', '::ffff:192.0.2.1']) {
        expect(await refused(world, 'a/s', { at, ...said, zone: 'y' })).toBe('address/unusable');
      }
      for (const at of ['203.0.113.61', '203.0.113.9']) {
        const code = await refused(world, 'a/s', { at, ...said });
        expect(code).toBe(word === 'cluster' ? 'zone/forbidden' : 'address/outside-zone');
      }
      expect(await world.tally()).toEqual({ held: 0, quarantined: 0 });
    },
  );
});

describe('what a cluster alone says is in use', () => {
  test.each(KINDS)('lifts no exclusion, no prefix and no selector: "%s"', async (adopt) => {
    const word = { adopt, assertedBy: 'cluster' } as const;
    const world = new LedgerWorld(closed);
    expect(await refused(world, 'a/s', { at: '203.0.113.9', zone: 'y', ...word })).toBe('address/excluded');
    expect(await refused(world, 'a/s', { at: '198.51.100.7', zone: 'y', ...word })).toBe('address/outside-zone');
    expect(await refused(world, 'a/s', { at: '192.0.2.1', ...word })).toBe('zone/forbidden');
  });

  test('counts where the zone could give the address to somebody else', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'], draining: true, quota: 1 }]);
    await world.has(ask('a/first', { at: '192.0.2.9', adopt: 'announced' }));
    await world.has(ask('a/s', { at: '192.0.2.1', adopt: 'announced', assertedBy: 'cluster' }));
    expect(await world.tally()).toEqual({ held: 2, quarantined: 0 });
  });
});

describe('a take-over', () => {
  const takeover = (label: string, at: string, cluster = 'c1') =>
    ask(claimant(label, { cluster }), { at, adopt: 'takeover', secret: CUSTOM });

  test('goes on for an hour after its first claim, in every process over the store', async () => {
    const world = new LedgerWorld();
    await world.has(takeover('a/first', '192.0.2.1'));
    world.clock.advance(HOUR_MS - 1);
    await world.has(takeover('a/second', '192.0.2.2'));
    expect((await world.restarted().reserve(takeover('a/third', '192.0.2.3'))).ok).toBe(true);
    world.clock.advance(1);
    for (const book of [world.book, world.restarted()]) {
      const late = refusal(await book.reserve(takeover('a/late', '192.0.2.4')));
      expect(late).toMatchObject({ code: 'api/forbidden', field: 'adopt', value: 'takeover' });
    }
    // the same wish again, another cluster, and who may do everything
    await world.has(takeover('a/first', '192.0.2.1'));
    await world.has(takeover('a/first', '192.0.2.5', 'c2'));
    await world.has({ ...takeover('a/late', '192.0.2.4'), assertedBy: 'admin' });
  });

  test('is none of a cluster that has had an address for longer', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/old'), 'u1');
    world.clock.advance(HOUR_MS);
    expect(refusal(await world.book.reserve(takeover('a/late', '192.0.2.4'))).message).toContain(
      'claims since 2026-01-01T00:00:00.000Z',
    );
  });
});
