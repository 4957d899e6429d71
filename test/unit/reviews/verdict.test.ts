import { allow, deny, responseOf } from '../../../operator/reviews/verdict';

describe('responseOf', () => {
  test('tells every refusal and the code of the first', () => {
    const verdict = deny({ code: 'address/held', message: 'one' }, { code: 'wish/family', message: 'two' });
    expect(responseOf('r', verdict)).toEqual({
      uid: 'r',
      allowed: false,
      status: { status: 'Failure', code: 403, reason: 'AddressHeld', message: 'one; two' },
    });
  });

  test('FU-18 lets the preview of a program that makes the Secret too go on, and hides no refusal about a pool', () => {
    const codeOf = (code: 'secret/missing' | 'zone/unknown' | 'pool/in-use'): number | undefined =>
      responseOf('r', deny({ code, message: '' })).status?.code;
    expect([codeOf('secret/missing'), codeOf('zone/unknown'), codeOf('pool/in-use')]).toEqual([403, 400, 422]);
  });

  test('has no patch for an empty one', () => {
    expect(responseOf('r', { ...allow('served'), patch: [] } as ReturnType<typeof allow>)).toEqual({
      uid: 'r',
      allowed: true,
    });
  });
});
