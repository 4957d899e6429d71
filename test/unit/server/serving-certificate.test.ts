import { checkPair } from '../../../operator/server/serving-certificate';

describe('checkPair', () => {
  test('refuses text that is no PEM', () => {
    expect(checkPair({ certificate: 'x', key: 'y' })).toMatchObject({
      ok: false,
      refusal: { code: 'certificate/invalid' },
    });
  });
});
