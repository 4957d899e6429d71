import { prefixOf } from '../../../../operator/addressing/prefix';
import { withoutShown } from '../../../../operator/ledger/guards/shown-gate';
import type { Showing } from '../../../../operator/ledger/occupied/shown-index';
import type { AddressBook } from '../../../../operator/ports/address-book';
import { ask, granted, LedgerWorld, refusal, sharing } from '../../../support/ledger-world';

/** Addresses that the cluster shows. */
const SHOWN: Readonly<Record<string, Partial<Showing>>> = {
  '192.0.2.0': { kind: 'node', source: 'Node/worker-1' },
  '192.0.2.1': { kind: 'externalIPs', source: 'Service/x/y' },
  '192.0.2.2': { kind: 'ingress', source: 'Service/a/web' },
};

describe('FU-02: beside an IPAM-API elsewhere, which knows nothing of the cluster', () => {
  const world = (): { readonly world: LedgerWorld; readonly book: AddressBook } => {
    const made = new LedgerWorld();
    const book = withoutShown(made.book, (address) => {
      const found = SHOWN[address.toString()];
      return found === undefined ? [] : [{ id: '', namespace: '', uid: '', ...found } as Showing];
    });
    return { world: made, book };
  };

  test('an address that a Node has is given back, and the cure is named', async () => {
    const { world: made, book } = world();
    const refused = refusal(await book.reserve(ask('a/web')));
    expect(refused).toMatchObject({ code: 'address/held', value: '192.0.2.0' });
    expect(refused.message).toContain('Node/worker-1 of this cluster');
    expect(refused.message).toContain('exclude it from zone "z" where the claims are kept');
    expect(await made.store.list({ by: 'pool', network: 'default', pool: 'z' })).toEqual([]);
    expect(refusal(await book.preview(ask('a/web'))).message).toBe(refused.message);
  });

  test('a prefix is named as a whole, and the zone is told for which it is asked', async () => {
    const made = new LedgerWorld();
    const zones: string[] = [];
    const showing = {
      id: '',
      namespace: '',
      uid: '',
      kind: 'claim',
      source: 'IPAllocation/a/all',
      network: 'default',
    } as const;
    const book = withoutShown(made.book, (_address, zone) => {
      zones.push(zone);
      return [{ ...showing, block: prefixOf('192.0.2.0/24') }];
    });
    const refused = refusal(await book.reserve(ask('a/web')));
    expect(refused.message).toContain('IPAllocation/a/all of this cluster');
    expect(refused.message).toContain('exclude 192.0.2.0/24 from zone "z"');
    expect(zones).toEqual(['z']);
  });

  test('a wish for one is refused, but what was held before stays', async () => {
    const { world: made, book } = world();
    const wish = ask('a/web', { at: '192.0.2.0' });
    expect(refusal(await book.reserve(wish)).message).toContain('wish for another one');
    await made.owns(wish, 'u1');
    expect(granted(await book.reserve(wish)).created).toBe(false);
    expect((await book.preview(wish)).ok).toBe(true);
  });

  test('what the Service itself or its sharers show is its own, and a mere word counts for nothing', async () => {
    const { world: made, book } = world();
    expect(granted(await book.reserve(ask('b/other', { at: '192.0.2.1' }))).created).toBe(true);
    expect(refusal(await book.reserve(ask('a/two', { at: '192.0.2.2' }))).code).toBe('address/held');
    const terms = { at: '192.0.2.2', sharing: sharing('k', { ports: ['80/TCP'] }) };
    expect(granted(await book.reserve(ask('a/web', terms))).created).toBe(true);
    await made.owns(ask('a/web', terms), 'u1');
    const joins = ask('a/two', { ...terms, sharing: sharing('k', { ports: ['81/TCP'] }) });
    expect(granted(await book.reserve(joins)).sharedWith).toEqual(['a/web']);
  });
});
