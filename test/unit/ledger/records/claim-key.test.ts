import { addressOf } from '../../../../operator/addressing/address';
import { claimKey, reservationPrefix, rotatedKey } from '../../../../operator/ledger/records/claim-key';
import { claimant } from '../../../support/ledger-world';

const any = { zone: 'z', family: 4, hash: 'k1:aa' } as const;

describe('claimKey', () => {
  test.each([
    ['the UID, when there is one', claimant('a/web', { serviceUid: 'u1', reservation: 'r1' }), 'uid:u1/z/4/*#k1:aa'],
    ['the reservation, when there is no UID', claimant('a/', { reservation: 'r1' }), 'res:r1/z/4/*#k1:aa'],
    ['the identity, when there is neither', claimant('a/web'), 'svc:c1/ns-a/web/z/4/*#k1:aa'],
    ['nothing, when there is no name either', claimant('a/'), undefined],
  ])('names %s', (_name, who, key) => {
    expect(claimKey(who, any)).toBe(key);
  });

  test('is the canonical address for a wish, whatever the secret', () => {
    const key = claimKey(claimant('a/web'), { ...any, family: 6, wish: addressOf('2001:DB8:0::1') });
    expect(key).toBe('svc:c1/ns-a/web/z/6/2001:db8::1');
  });

  test('differs for names that only look alike with their separators', () => {
    const one = claimant('', { service: { clusterUid: 'c', namespaceUid: 'n/a', serviceName: 'b' } });
    const two = claimant('', { service: { clusterUid: 'c', namespaceUid: 'n', serviceName: 'a/b' } });
    expect(claimKey(one, any)).not.toBe(claimKey(two, any));
    expect(reservationPrefix('r1/z')).not.toBe('res:r1/z/');
  });
});

describe('rotatedKey', () => {
  test('moves a key without wish to the new secret and leaves others alone', () => {
    expect(rotatedKey('svc:c/n/a/z/4/*#k1:aa', 'k1:aa', 'k1:bb')).toBe('svc:c/n/a/z/4/*#k1:bb');
    expect(rotatedKey('svc:c/n/a/z/4/192.0.2.1', 'k1:aa', 'k1:bb')).toBe('svc:c/n/a/z/4/192.0.2.1');
    expect(rotatedKey(undefined, 'k1:aa', 'k1:bb')).toBeUndefined();
  });
});
