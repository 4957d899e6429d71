import type { Grant, ReserveRequest } from '../../../../operator/ports/address-book';
import type { OwnStore } from '../../../../operator/ports/store';
import { ask, claimant, LedgerWorld, sharing } from '../../../support/ledger-world';

/** Counts the messages that reach a store, whatever they are for. */
class Messages {
  readonly sent: string[] = [];

  around(store: OwnStore, without: readonly string[] = []): OwnStore {
    return new Proxy(store, {
      get: (target, verb) => {
        if (without.includes(String(verb))) return undefined;
        const member = Reflect.get(target, verb) as unknown;
        if (typeof member !== 'function') return member;
        return (...values: readonly unknown[]): unknown => {
          this.sent.push(String(verb));
          return Reflect.apply(member, target, values) as unknown;
        };
      },
    });
  }
}

function world(without: readonly string[] = [], prefixes = ['192.0.2.0/24', '2001:db8::/120']) {
  const messages = new Messages();
  const opened = new LedgerWorld([{ name: 'z', prefixes, edgeAddresses: 'use' }], (store) =>
    messages.around(store, without),
  );
  messages.sent.length = 0;
  return { world: opened, book: opened.book, messages };
}

type Change = Parameters<typeof ask>[1];

function pair(who = 'a/web', change: Change = {}): readonly [ReserveRequest, ReserveRequest] {
  return [ask(who, { family: 6, ...change }), ask(who, { family: 4, ...change })];
}

const texts = (grants: readonly Grant[] | undefined): unknown =>
  grants?.map(({ address, created }) => [address.toString(), created]);

describe('reserveBoth', () => {
  test('takes an address of each family in one message, in the order of the requests', async () => {
    const { world: opened, book, messages } = world();
    expect(texts(await book.reserveBoth(pair()))).toEqual([
      ['2001:db8::', true],
      ['192.0.2.0', true],
    ]);
    expect(messages.sent).toEqual(['takeFirst']);
    const holdings = await book.holdings(claimant('a/web'));
    expect(holdings.map(({ address }) => address.toString())).toEqual(['192.0.2.0', '2001:db8::']);
    expect(await opened.tally()).toEqual({ held: 2, quarantined: 0 });
  });

  test('gives what one by one would give: a retry of either request finds its address', async () => {
    const { world: opened, book } = world();
    const [six, four] = pair();
    const grants = (await book.reserveBoth([six, four])) ?? [];
    const again = [await opened.has(six), await opened.has(four)];
    expect(again.map(({ holderId, address }) => [holderId, address])).toEqual(
      grants.map(({ holderId, address }) => [holderId, address]),
    );
  });

  test('takes neither where one family has nothing left', async () => {
    const { world: opened, book } = world([], ['192.0.2.0/24', '2001:db8::/128']);
    await opened.has(ask('a/other', { family: 6 }));
    expect(await book.reserveBoth(pair())).toBeUndefined();
    expect(await opened.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('counts both against a limit, before either is taken', async () => {
    const { world: opened, book } = world();
    for (let index = 0; index < 63; index += 1) await opened.has(ask(`a/web-${String(index)}`));
    expect(await book.reserveBoth(pair())).toBeUndefined();
    expect(await opened.tally()).toEqual({ held: 63, quarantined: 0 });
  });

  test.each([
    ['names an address', { at: '192.0.2.9' }],
    ['has a key of its own', { key: 'own' }],
    ['has a sharing key', { sharing: sharing('web') }],
    ['is stored', { claimant: claimant('a/web', { serviceUid: 'uid' }) }],
    ['asks for a zone that does not exist', { zone: 'nowhere' }],
    ['has no usable secret', { secret: { value: '', scope: 'shared' } }],
  ] satisfies readonly (readonly [string, Change])[])('leaves one who %s to reserve', async (_what, change) => {
    const { book, messages } = world();
    expect(await book.reserveBoth(pair('a/web', change))).toBeUndefined();
    expect(messages.sent).toEqual([]);
  });

  test('takes nothing for one who has an address of either family', async () => {
    const { world: opened, book } = world();
    await opened.has(ask('a/web', { family: 6 }));
    expect(await book.reserveBoth(pair())).toBeUndefined();
    expect(await opened.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('takes nothing where the store cannot look and take at once', async () => {
    const { book, messages } = world(['takeFirst']);
    expect(await book.reserveBoth(pair())).toBeUndefined();
    expect(messages.sent).toEqual([]);
  });

  test('gives one Service one pair, however many ask at once', async () => {
    const { world: opened, book } = world();
    const all = await Promise.all(Array.from({ length: 8 }, () => book.reserveBoth(pair())));
    expect(all.filter((grants) => grants !== undefined)).toHaveLength(1);
    expect(await opened.tally()).toEqual({ held: 2, quarantined: 0 });
  });
});
