import type { AddressBook } from '../../operator/ports/address-book';

/** Puts other verbs in place of some verbs of an address book. */
export function wrapped(change: (book: AddressBook) => Partial<AddressBook>): (book: AddressBook) => AddressBook {
  return (book) => {
    const other = change(book);
    return new Proxy(book, {
      get: (target, verb: keyof AddressBook) => (verb in other ? other[verb] : boundTo(target, verb)),
    });
  };
}

function boundTo(book: AddressBook, verb: keyof AddressBook): unknown {
  const member = book[verb];
  return typeof member === 'function' ? member.bind(book) : member;
}

/** Turns the event loop until everything waits for a clock or a gate of the test. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
