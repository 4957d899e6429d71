import { IpamError } from '../../../operator/errors/ipam-error';
import { isOutage } from '../../../operator/errors/outage';

describe('isOutage', () => {
  test.each(['store/unavailable', 'store/deadline', 'store/closed', 'store/lost', 'cluster/unavailable'] as const)(
    'holds for %s, which stops the work on every object',
    (code) => {
      expect(isOutage(new IpamError(code, 'no answer'))).toBe(true);
    },
  );

  test.each(['store/conflict', 'store/no-history', 'cluster/refused', 'pool/exhausted', 'internal'] as const)(
    'does not hold for %s, which one object can cause',
    (code) => {
      expect(isOutage(new IpamError(code, 'this object alone'))).toBe(false);
    },
  );

  test('does not hold for a fault of the program', () => {
    expect(isOutage(new TypeError('undefined is not a function'))).toBe(false);
  });
});
