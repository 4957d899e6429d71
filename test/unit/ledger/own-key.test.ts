import { ask, claimant, CUSTOM, granted, LedgerWorld, refusal } from '../../support/ledger-world';

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
      code: 'reservation/missing',
      message: expect.stringContaining('the key "k" was used before') as string,
    });
    const elsewhere = { ...own('k'), claimant: claimant('a/db', { cluster: 'c2' }) };
    expect(granted(await book.reserve(elsewhere)).created).toBe(true);
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
