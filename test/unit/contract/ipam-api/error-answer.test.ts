import { errorAnswer } from '../../../../operator/contract/ipam-api/error-answer';
import { CATALOGUE, type ErrorCode } from '../../../../operator/errors/catalogue';

describe('errorAnswer', () => {
  test.each(Object.keys(CATALOGUE) as ErrorCode[])('W-38 answers %s with the status of the catalogue', (code) => {
    expect(errorAnswer({ code, message: 'm' })).toMatchObject({
      status: CATALOGUE[code].http,
      body: { message: 'm', code },
    });
  });

  test('sends nothing but message and code', () => {
    const { body } = errorAnswer({ code: 'zone/unknown', message: 'm', field: 'zone', value: 'v', suggestion: 's' });
    expect(body).toEqual({ message: 'm', code: 'zone/unknown' });
  });

  test.each<[ErrorCode, number | undefined, string | undefined]>([
    ['pool/exhausted', undefined, '5'],
    ['store/unavailable', 2.1, '3'],
    ['address/quarantined', 300, '300'],
    ['store/closed', undefined, undefined],
    ['address/held', undefined, undefined],
  ])('announces a new try after %s (%s s told) as %s', (code, told, header) => {
    const refusal = { code, message: 'm', ...(told === undefined ? {} : { retryAfterSeconds: told }) };
    expect(errorAnswer(refusal).headers['retry-after']).toBe(header);
  });
});
