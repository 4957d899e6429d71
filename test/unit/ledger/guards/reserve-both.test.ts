import { addressOf, type Address } from '../../../../operator/addressing/address';
import { guardedByIdentity } from '../../../../operator/identity/identity-guard';
import { behindAdoptionGate } from '../../../../operator/ledger/guards/adoption-gate';
import { completeFirst } from '../../../../operator/ledger/guards/complete-gate';
import { NotifyingAddressBook } from '../../../../operator/ledger/guards/notifying-address-book';
import { withoutShown } from '../../../../operator/ledger/guards/shown-gate';
import type { AddressBook, Grant } from '../../../../operator/ports/address-book';
import { ask } from '../../../support/ledger-world';
import { ManualClock } from '../../../support/manual-clock';

const PAIR = [ask('a/web'), ask('a/web', { family: 6 })] as const;
const GRANTS = [{ zone: 'z' }, { zone: 'z' }] as unknown as readonly Grant[];

/** A book that has the verb, and says how often it was asked. */
function book() {
  const asked: unknown[] = [];
  const reserveBoth: AddressBook['reserveBoth'] = (requests) => {
    asked.push(requests);
    return Promise.resolve(GRANTS);
  };
  return { asked, book: { reserveBoth } as unknown as AddressBook };
}

const none = {} as AddressBook;

describe('reserveBoth behind a guard', () => {
  const clock = new ManualClock();
  const identity = (stranger?: string) => ({
    clusterUid: () => Promise.resolve('c1'),
    stranger: () => stranger,
    suspects: () => Promise.resolve(false),
    alone: () => true,
  });
  const complete = (problem?: string) => ({ completeness: { problem: () => problem }, clock });

  test.each([
    ['the comparison with stored Services', (of: AddressBook) => behindAdoptionGate(of, () => true)],
    ['the completeness of the record', (of: AddressBook) => completeFirst(of, complete())],
    ['the identity', (of: AddressBook) => guardedByIdentity(of, identity())],
  ])('is handed on by %s while nothing stands against it, and absent where the book has none', async (_by, guarded) => {
    const { asked, book: inner } = book();
    expect(await guarded(inner).reserveBoth?.(PAIR)).toBe(GRANTS);
    expect(asked).toEqual([PAIR]);
    expect(guarded(none).reserveBoth).toBeUndefined();
  });

  test.each([
    ['the comparison with stored Services', (of: AddressBook) => behindAdoptionGate(of, () => Promise.resolve(false))],
    ['the completeness of the record', (of: AddressBook) => completeFirst(of, complete('not yet'))],
    ['the identity', (of: AddressBook) => guardedByIdentity(of, identity('pod-x'))],
  ])('takes nothing while %s stands against a reservation', async (_by, guarded) => {
    const { asked, book: inner } = book();
    expect(await guarded(inner).reserveBoth?.(PAIR)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('gives both back where one of them is in use, so that each is asked for by itself and refused', async () => {
    const undone: string[] = [];
    const { book: inner } = book();
    const grants = [
      { address: addressOf('192.0.2.0'), zone: 'z', sharedWith: [] },
      { address: addressOf('2001:db8::'), zone: 'z', sharedWith: [] },
    ] as unknown as readonly Grant[];
    Object.assign(inner, {
      reserveBoth: () => Promise.resolve(grants),
      undo: ({ address }: Grant) => Promise.resolve(void undone.push(address.toString())),
    });
    expect(await withoutShown(inner, () => []).reserveBoth?.(PAIR)).toBe(grants);
    const showing = { id: '', kind: 'claim', source: 'IPAllocation/a/b', namespace: '', uid: '' } as const;
    const shown = (address: Address) => (address.family === 6 ? [showing] : []);
    expect(await withoutShown(inner, shown).reserveBoth?.(PAIR)).toBeUndefined();
    expect(undone).toEqual(['192.0.2.0', '2001:db8::']);
  });

  test('is absent behind a guard that looks at each grant', () => {
    const { book: inner } = book();
    expect(new NotifyingAddressBook(inner, () => undefined).reserveBoth).toBeUndefined();
  });
});
