import { parseAdmissionReview, reviewAnswer } from '../../../operator/contract/admission-review';
import { review, service } from '../../support/review-builder';

describe('parseAdmissionReview', () => {
  test('reads the envelope and leaves the objects as they are', () => {
    const object = service({ a: 'b' });
    const parsed = parseAdmissionReview(review({ object, uid: 'r1', dryRun: true }));

    expect(parsed).toEqual({
      ok: true,
      value: {
        uid: 'r1',
        operation: 'CREATE',
        dryRun: true,
        namespace: 'a',
        name: 'web',
        kind: 'Service',
        subResource: '',
        object,
        oldObject: null,
        user: { username: 'developer', uid: '', groups: ['system:authenticated'], extra: {} },
      },
    });
  });

  test.each([
    [undefined, 'kind'],
    [[], 'kind'],
    [{ kind: 'AdmissionReview' }, 'apiVersion'],
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }, 'request'],
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: { uid: 7 } }, 'request.uid'],
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: { uid: 'r' } }, 'request.operation'],
  ])('refuses %p and names the field', (body, field) => {
    expect(parseAdmissionReview(body)).toMatchObject({ ok: false, refusal: { code: 'api/malformed', field } });
  });
});

describe('reviewAnswer', () => {
  test('wraps a response', () => {
    expect(reviewAnswer({ uid: 'r', allowed: true })).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'r', allowed: true },
    });
  });
});
