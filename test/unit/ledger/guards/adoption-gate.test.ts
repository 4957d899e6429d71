import { behindAdoptionGate } from '../../../../operator/ledger/guards/adoption-gate';
import { ForwardingAddressBook } from '../../../../operator/ledger/guards/forwarding-address-book';
import { accept } from '../../../../operator/errors/outcome';
import type { AddressBook, Grant, ReserveRequest } from '../../../../operator/ports/address-book';

const GRANT = { zone: 'lan' } as Grant;

/** A book that says which verb was called, the one thing that a gate must not change. */
function namingBook(): AddressBook {
  return new Proxy({} as AddressBook, {
    get: (_target, verb) => () => (verb === 'reserve' || verb === 'preview' ? Promise.resolve(accept(GRANT)) : verb),
  });
}

describe('behindAdoptionGate', () => {
  test.each(['reserve', 'preview'] as const)(
    '%s gives nothing new while the stored Services are compared',
    async (verb) => {
      const refused = await behindAdoptionGate(namingBook(), () => false)[verb]({} as ReserveRequest);
      expect(refused).toMatchObject({ ok: false, refusal: { code: 'store/unavailable' } });
    },
  );

  test('opens without being made anew', async () => {
    let open = false;
    const book = behindAdoptionGate(namingBook(), () => open);
    open = true;
    expect(await book.reserve({} as ReserveRequest)).toEqual(accept(GRANT));
    expect(await book.preview({} as ReserveRequest)).toEqual(accept(GRANT));
  });

  test('lets every other verb through, closed as it is', () => {
    const book = behindAdoptionGate(namingBook(), () => false);
    const all = Object.getOwnPropertyNames(ForwardingAddressBook.prototype) as (keyof AddressBook | 'constructor')[];
    const own = ['reserve', 'reserveBoth', 'bothWhile', 'preview', 'constructor'];
    const verbs = all.filter((verb) => !own.includes(verb));
    const passed = verbs.map((verb) => (book[verb] as (request: unknown) => unknown)({}));
    expect(passed).toEqual(verbs);
    expect(verbs.length).toBeGreaterThan(8);
  });
});
