import { TokenReviews } from '../../../../operator/cluster/objects/token-reviews';
import type { ApiAnswer, ApiRequest } from '../../../../operator/cluster/api/api-client';
import type { JsonMap } from '../../../../operator/contract/loose-json';

/** Reviews by an API server that gives one answer to each. */
function reviewsOf(status: JsonMap | 'refused'): { readonly reviews: TokenReviews; readonly asked: ApiRequest[] } {
  const asked: ApiRequest[] = [];
  const client = {
    request: (request: ApiRequest): Promise<ApiAnswer> => {
      asked.push(request);
      if (status !== 'refused') return Promise.resolve({ ok: true, status: 201, body: { status } });
      const message = 'token "SECRET" is not valid';
      return Promise.resolve({ ok: false, status: 403, reason: 'Forbidden', message, body: {} });
    },
    stream: () => Promise.reject(new RangeError('no stream')),
    close: () => Promise.resolve(),
  };
  return { reviews: new TokenReviews(client, 'here'), asked };
}

const USER = { username: 'alice', uid: '1', groups: ['a', 'b'], extra: { key: ['value'] } };
const WANTED = { verb: 'create', group: 'ipam.nephio.org', resource: 'ipallocations', namespace: 'shop' };

test('a token is reviewed for the audience', async () => {
  const { reviews, asked } = reviewsOf({ authenticated: true, audiences: ['here'], user: USER });
  await expect(reviews.userOf('t')).resolves.toEqual({ ok: true, value: USER });
  expect(asked[0]).toMatchObject({
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { spec: { token: 't', audiences: ['here'] } },
  });
});

test.each([
  ['is not valid', { authenticated: false, audiences: ['here'], user: USER }],
  ['is for another audience', { authenticated: true, audiences: ['there'], user: USER }],
  ['was reviewed by a server that knows no audiences', { authenticated: true, user: USER }],
])('a token that %s is not known', async (_case, status) => {
  await expect(reviewsOf(status).reviews.userOf('t')).resolves.toMatchObject({
    refusal: { code: 'api/unauthenticated' },
  });
});

test('a right is asked with everything that is known of the user', async () => {
  const { reviews, asked } = reviewsOf({ allowed: true });
  await expect(reviews.allows(USER, WANTED)).resolves.toMatchObject({ ok: true });
  expect(asked[0]).toMatchObject({
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      spec: {
        user: 'alice',
        uid: '1',
        groups: ['a', 'b'],
        extra: { key: ['value'] },
        resourceAttributes: { verb: 'create', resource: 'ipallocations', namespace: 'shop' },
      },
    },
  });
});

test.each([{ allowed: false }, { allowed: true, denied: true }, {}])('%j forbids', async (status) => {
  await expect(reviewsOf(status).reviews.allows(USER, WANTED)).resolves.toMatchObject({
    refusal: { code: 'api/forbidden' },
  });
});

test('a refusal of the API server is a fault that quotes no token', async () => {
  const failed = reviewsOf('refused').reviews.userOf('SECRET');
  await expect(failed).rejects.toMatchObject({ code: 'cluster/unavailable' });
  await expect(failed).rejects.not.toThrow(/SECRET/u);
});
