import type { ClaimQuery } from '../../../../operator/ports/claims';
import type { OwnStore } from '../../../../operator/ports/store';
import { ask, CountingStore, granted, LedgerWorld } from '../../../support/ledger-world';

/** A store that counts lists, and that tells no revision where others write to it as well. */
class ListedStore extends CountingStore {
  lists = 0;

  constructor(store: OwnStore, isAlone: boolean) {
    super(store);
    this.list = (query: ClaimQuery) => {
      this.lists += 1;
      return store.list(query);
    };
    if (!isAlone) delete this.revision;
  }
}

function worldOn(isAlone: boolean): { readonly world: LedgerWorld; readonly lists: () => number } {
  let listed: ListedStore | undefined;
  const world = new LedgerWorld(undefined, (store) => (listed = new ListedStore(store, isAlone)));
  return { world, lists: () => listed?.lists ?? 0 };
}

describe('owners', () => {
  test('reads no record again while nothing changed', async () => {
    const { world, lists } = worldOn(true);
    await world.has(ask('a/web'));
    const first = await world.book.owners('c1');
    const read = lists();
    expect(await world.book.owners('c1')).toBe(first);
    expect(lists()).toBe(read);
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
    const { world, lists } = worldOn(false);
    await world.has(ask('a/web'));
    await world.book.owners('c1');
    const read = lists();
    await world.book.owners('c1');
    expect(lists()).toBe(read + 1);
  });
});
