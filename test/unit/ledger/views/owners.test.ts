import type { RecordFilter, RecordPage } from '../../../../operator/ports/claim-counts';
import type { OwnStore } from '../../../../operator/ports/store';
import { ask, CountingStore, granted, LedgerWorld } from '../../../support/ledger-world';

/** A store that counts pages, and that tells no revision where others write to it as well. */
class ListedStore extends CountingStore {
  pages = 0;

  constructor(store: OwnStore, isAlone: boolean) {
    super(store);
    this.page = (filter: RecordFilter, page: RecordPage) => {
      this.pages += 1;
      return store.page(filter, page);
    };
    if (!isAlone) delete this.revision;
  }
}

function worldOn(isAlone: boolean): { readonly world: LedgerWorld; readonly pages: () => number } {
  let listed: ListedStore | undefined;
  const world = new LedgerWorld(undefined, (store) => (listed = new ListedStore(store, isAlone)));
  return { world, pages: () => listed?.pages ?? 0 };
}

describe('owners', () => {
  test('reads no record again while nothing changed', async () => {
    const { world, pages } = worldOn(true);
    await world.has(ask('a/web'));
    const first = await world.book.owners('c1');
    const read = pages();
    expect(await world.book.owners('c1')).toBe(first);
    expect(pages()).toBe(read);
  });

  test('shows each change, whoever made it', async () => {
    const { world } = worldOn(true);
    const grant = await world.has(ask('a/web'));
    expect(await world.book.owners('c1')).toHaveLength(1);
    granted(await world.restarted().reserve(ask('a/mail')));
    expect((await world.book.owners('c1')).map(({ name }) => name)).toEqual(['web', 'mail']);
    await world.restarted().undo(grant);
    expect((await world.book.owners('c1')).map(({ name }) => name)).toEqual(['mail']);
  });

  test('keeps the owners of two clusters apart', async () => {
    const { world } = worldOn(true);
    await world.has(ask('a/web'));
    expect(await world.book.owners('c1')).toHaveLength(1);
    expect(await world.book.owners('c2')).toEqual([]);
    expect(await world.book.owners('c1')).toHaveLength(1);
  });

  test('reads the records each time where others may write as well', async () => {
    const { world, pages } = worldOn(false);
    await world.has(ask('a/web'));
    await world.book.owners('c1');
    const read = pages();
    await world.book.owners('c1');
    expect(pages()).toBe(read + 1);
  });

  test('FU-07 reads a long list in pages, and tells of each owner once, lowest address first, over networks', async () => {
    const zones = [
      { name: 'a', network: 'n1', prefixes: ['10.1.0.0/20'] },
      { name: 'b', network: 'n2', prefixes: ['10.0.0.0/20'] },
    ];
    let listed: ListedStore | undefined;
    const { book } = new LedgerWorld(zones, (store) => (listed = new ListedStore(store, true)));
    for (let i = 0; i < 2_100; i++) {
      const zone = i % 2 === 0 ? 'a' : 'b';
      granted(await book.reserve(ask(`team-${String(i % 300)}/s${String(i)}`, { zone })));
    }
    const owners = await book.owners('c1');
    expect(new Set(owners.map(({ name }) => name)).size).toBe(2_100);
    expect(owners).toEqual(owners.toSorted((a, b) => a.address.compareTo(b.address)));
    expect(listed?.pages).toBe(3);
  });
});
