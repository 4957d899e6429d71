import { allow, deny, isUnavailable, responseOf } from '../../../../../operator/front-doors/services/wanted/verdict';

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

describe('responseOf', () => {
  test('tells every refusal and the code of the first', () => {
    const verdict = deny({ code: 'address/held', message: 'one' }, { code: 'wish/family', message: 'two' });
    expect(responseOf('r', verdict, false)).toEqual({
      uid: 'r',
      allowed: false,
      status: { status: 'Failure', code: 403, reason: 'AddressHeld', message: 'one; two' },
    });
  });

  test('FU-18 lets the preview of a program that makes the Secret too go on, and no other refusal', () => {
    const codeOf = (code: 'secret/missing' | 'zone/unknown' | 'pool/in-use', dryRun: boolean): number | undefined =>
      responseOf('r', deny({ code, message: '' }), dryRun).status?.code;
    expect([codeOf('secret/missing', true), codeOf('secret/missing', false)]).toEqual([403, 422]);
    expect([codeOf('zone/unknown', true), codeOf('zone/unknown', false)]).toEqual([400, 400]);
    expect([codeOf('pool/in-use', true), codeOf('pool/in-use', false)]).toEqual([422, 422]);
  });

  test('has no patch for an empty one', () => {
    expect(responseOf('r', { ...allow('served'), patch: [] } as ReturnType<typeof allow>, false)).toEqual({
      uid: 'r',
      allowed: true,
    });
  });
});
