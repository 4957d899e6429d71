import type { RecordFilter, RecordPage } from '../../../../operator/ports/claim-counts';
import type { Grant } from '../../../../operator/ports/address-book';
import type { OwnStore } from '../../../../operator/ports/store';
import { ask, CountingStore, granted, LedgerWorld } from '../../../support/ledger-world';
import { numbersFrom } from '../../../support/pseudo-random';

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

  test('FU-07 reads only what changed, and says what a list of everything would say', async () => {
    const zones = [
      { name: 'a', network: 'n1', prefixes: ['10.0.0.0/26'] },
      { name: 'b', network: 'n2', prefixes: ['10.0.0.0/26'] },
    ];
    let listed: ListedStore | undefined;
    const world = new LedgerWorld(zones, (store) => (listed = new ListedStore(store, true)));
    const next = numbersFrom(7);
    const below = (limit: number): number => next() % Math.max(1, limit);
    const held: Grant[] = [];
    const changeOne = async (name: string): Promise<void> => {
      const [grant] = below(2) === 0 ? held.splice(below(held.length), 1) : [];
      if (grant !== undefined) return world.book.undo(grant);
      const wish = { at: `10.0.0.${String(below(64))}`, zone: below(2) === 0 ? 'a' : 'b' };
      const made = await world.book.reserve(ask(name, wish));
      if (made.ok) held.push(made.value);
    };
    await world.book.owners('c1');
    for (let round = 0; round < 60; round += 1) {
      for (let change = below(6); change > 0; change -= 1) await changeOne(`team-${String(round)}/s${String(change)}`);
      const told = await world.book.owners('c1');
      const all = await world.restarted().owners('c1');
      const text = (owners: typeof all): readonly string[] =>
        owners.map(({ network, address, name, namespace }) => `${address.toString()} ${network} ${namespace}/${name}`);
      expect(text(told).toSorted()).toEqual(text(all).toSorted());
      expect(told).toEqual(told.toSorted((x, y) => x.address.compareTo(y.address)));
    }
    expect(listed?.pages).toBe(1);
  });
});
