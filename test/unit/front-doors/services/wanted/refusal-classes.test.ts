import { isUnavailable } from '../../../../../operator/front-doors/services/wanted/refusal-classes';

describe('isUnavailable', () => {
  test.each([
    ['pool/exhausted', true],
    ['store/unavailable', true],
    ['store/closed', true],
    ['store/deadline', true],
    ['reservation/limit', true],
    ['cluster/unavailable', true],
    ['namespace/not-found', true],
    ['address/held', false],
    ['address/quarantined', false],
    ['wish/contradiction', false],
    ['zone/forbidden', false],
    ['secret/missing', false],
  ] as const)('of %s is %p', (code, expected) => {
    expect(isUnavailable({ code, message: '' })).toBe(expected);
  });
});
