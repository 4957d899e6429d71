import { ask, claimant, CUSTOM, granted, LedgerWorld, refusal } from '../../../support/ledger-world';

const own = (key: string, label = 'a/web', change: Parameters<typeof ask>[1] = {}) => ({
  ...ask(label, { secret: CUSTOM, as: 'bound', ...change }),
  key,
});

describe('a key that the caller chose', () => {
  test('finds the same claim again, and the grant tells it', async () => {
    const { book } = new LedgerWorld();
    const first = granted(await book.reserve(own('lb/100%')));
    expect(first).toMatchObject({ created: true, key: 'lb/100%' });
    expect(granted(await book.reserve(own('lb/100%')))).toEqual({ ...first, created: false });
  });

  test('is one claim for equal requests at the same moment', async () => {
    const world = new LedgerWorld();
    const grants = await Promise.all(Array.from({ length: 20 }, () => world.book.reserve(own('k'))));
    expect(grants.map(granted).filter(({ created }) => created)).toHaveLength(1);
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('is refused for another Service, and belongs to its cluster', async () => {
    const { book } = new LedgerWorld();
    granted(await book.reserve(own('k')));
    expect(refusal(await book.reserve(own('k', 'a/db')))).toMatchObject({
      code: 'claim/key-used',
      field: 'claimant.serviceName',
      value: 'db',
      message: expect.stringMatching(/contradicts key "k", which stands for service "a\/web".* "a\/web"/u) as string,
    });
    const elsewhere = { ...own('k'), claimant: claimant('a/db', { cluster: 'c2' }) };
    expect(granted(await book.reserve(elsewhere)).created).toBe(true);
  });
});

describe('one key', () => {
  const zones = [
    { name: 'z', prefixes: ['192.0.2.0/24', '2001:db8::/120'] },
    { name: 'y', prefixes: ['198.51.100.0/24'] },
  ];

  test.each([
    ['another zone', { zone: 'y' }, { field: 'zone', value: 'y' }, 'stands for zone "z"'],
    ['another family', { family: 6 }, { field: 'family', value: 'ipv6' }, 'stands for ipv4'],
    [
      'another address',
      { at: '192.0.2.9' },
      { field: 'address', value: '192.0.2.9' },
      'stands for address "192.0.2.0"',
    ],
  ] as const)('names one wish: %s is refused, and takes nothing', async (...row) => {
    const [, change, fault, has] = row;
    const world = new LedgerWorld(zones);
    granted(await world.book.reserve(own('k')));
    const refused = refusal(await world.book.reserve(own('k', 'a/web', change)));
    expect(refused).toMatchObject({ code: 'claim/key-used', ...fault });
    expect(refused.message).toContain(has);
    expect(refused.message).toContain('"a/web"');
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('gives its own claim again, also where the Service has others', async () => {
    const { book } = new LedgerWorld(zones);
    granted(await book.reserve(own('k1', 'a/web', { at: '192.0.2.1' })));
    const second = granted(await book.reserve(own('k2', 'a/web', { at: '192.0.2.2' })));
    expect(granted(await book.reserve(own('k2')))).toEqual({ ...second, created: false });
    expect(granted(await book.reserve(own('k2', 'a/web', { at: '192.0.2.2' })))).toEqual({ ...second, created: false });
  });

  test('is refused to all but one of many wishes at the same moment', async () => {
    const world = new LedgerWorld(zones);
    const wishes = Array.from({ length: 10 }, (_, i) => own('k', 'a/web', { at: `192.0.2.${i}` }));
    const outcomes = await Promise.all(wishes.map((wish) => world.book.reserve(wish)));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.flatMap((each) => (each.ok ? [] : [each.refusal.code]))).toEqual(Array(9).fill('claim/key-used'));
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });
});

describe('UIDs of another cluster', () => {
  const thief = claimant('b/thief', { cluster: 'c2', serviceUid: 'u1' });

  test('make nobody the owner of its claims', async () => {
    const world = new LedgerWorld();
    const mine = await world.owns(ask('a/web'), 'u1');
    expect(await world.book.holdings(thief)).toEqual([]);
    const bound = await world.book.bind({ claimant: { ...thief, serviceUid: 'u1' }, grant: mine });
    expect(refusal(bound).code).toBe('address/held');
  });

  test('release nothing where the cluster is named', async () => {
    const world = new LedgerWorld();
    const { address } = await world.owns(ask('a/web'), 'u1');
    const release = (clusterUid: string) => world.book.releaseByUid({ serviceUid: 'u1', clusterUid });
    expect(granted(await release('c2')).released).toEqual([]);
    expect(granted(await release('c1')).released).toEqual([address]);
  });
});
