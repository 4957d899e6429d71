import { addressOf } from '../../../../operator/addressing/address';
import { LastOwners, withPlaces } from '../../../../operator/ledger/records/last-owners';
import type { OwnedAddress } from '../../../../operator/ports/address-book';
import type { ClaimChange } from '../../../../operator/ports/claims';

const owned = (address: string, network = 'n1', name = address): OwnedAddress => ({
  network,
  zone: 'z',
  address: addressOf(address),
  state: 'bound',
  serviceUid: `uid of ${name}`,
  namespace: 'a',
  name,
});
const change = (address: string): ClaimChange => ({
  kind: 'changed',
  network: 'n1',
  pool: 'z',
  address: addressOf(address),
  length: 32,
});

describe('LastOwners', () => {
  let tell: (change: ClaimChange) => void;
  let last: LastOwners;
  const owners = [owned('10.0.0.1')];
  beforeEach(() => {
    last = new LastOwners();
    last.watch({
      watch: (listener) => {
        tell = listener;
        return () => undefined;
      },
    });
    expect(last.from('c1', 5)).toBeUndefined();
    last.keep({ clusterUid: 'c1', revision: 5, owners });
  });

  test('goes on from a list whose changes were all told, each of them once', () => {
    for (const address of ['10.0.0.2', '10.0.0.2', '10.0.0.3']) tell(change(address));
    const former = last.from('c1', 8);
    expect(former?.owners).toBe(owners);
    expect(former?.changed.map(({ address }) => address.toString())).toEqual(['10.0.0.2', '10.0.0.3']);
  });

  test('has everything read where the store counts a change that was not told', () => {
    tell(change('10.0.0.2'));
    expect(last.from('c1', 7)).toBeUndefined();
  });

  test('has everything read for another cluster, after a failed reading, and after too many changes', () => {
    expect(last.from('c2', 5)).toBeUndefined();
    expect(last.from('c1', 5)).toBeUndefined();
    last.keep({ clusterUid: 'c1', revision: 5, owners });
    for (let i = 0; i < 5_000; i += 1) tell(change(`10.1.${String(i >> 8)}.${String(i & 255)}`));
    expect(last.from('c1', 5_005)).toBeUndefined();
  });

  test('forgets nothing that changes while the list is read', () => {
    last.from('c1', 5);
    tell(change('10.0.0.2'));
    last.keep({ clusterUid: 'c1', revision: 5, owners });
    expect(last.from('c1', 6)?.changed).toHaveLength(1);
  });
});

describe('withPlaces', () => {
  test('replaces the owners of the places that changed, and no others', () => {
    const before = [owned('10.0.0.1'), owned('10.0.0.2'), owned('10.0.0.2', 'n2'), owned('10.0.0.4')];
    const at = (address: string, network: string, ...present: readonly OwnedAddress[]) => ({
      place: { network, address: addressOf(address) },
      owners: present,
    });
    const after = withPlaces(before, [
      at('10.0.0.4', 'n1'),
      at('10.0.0.3', 'n1', owned('10.0.0.3'), owned('10.0.0.3', 'n1', 'sharer')),
      at('10.0.0.2', 'n1', owned('10.0.0.2', 'n1', 'new')),
      at('10.0.0.0', 'n2', owned('10.0.0.0', 'n2')),
    ]);
    expect(after.map(({ network, address, name }) => `${address.toString()} ${network} ${name}`)).toEqual([
      '10.0.0.0 n2 10.0.0.0',
      '10.0.0.1 n1 10.0.0.1',
      '10.0.0.2 n2 10.0.0.2',
      '10.0.0.2 n1 new',
      '10.0.0.3 n1 10.0.0.3',
      '10.0.0.3 n1 sharer',
    ]);
  });
});
