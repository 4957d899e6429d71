import fastify from 'fastify';
import { readJsonBodies } from '../../../../../operator/front-doors/ipam-api/shared/json-bodies';

const posted = async (payload: string) => {
  const app = fastify();
  readJsonBodies(app);
  app.post('/', (request) => ({ body: request.body, isPolluted: 'zone' in (request.body as object) }));
  const headers = { 'content-type': 'application/json' };
  const answer = await app.inject({ method: 'POST', url: '/', headers, payload });
  await app.close();
  return { status: answer.statusCode, ...(JSON.parse(answer.payload) as object) };
};

describe('readJsonBodies', () => {
  test('reads a body, however large it is', async () => {
    const body = { list: Array.from({ length: 20_000 }, (_, index) => `entry ${index}`), last: { deep: [null, 1.5] } };
    expect(await posted(JSON.stringify(body))).toEqual({ status: 200, body, isPolluted: false });
  });

  test.each(['{"a":1,"__proto__":{"zone":"moon"}}', '{"a":1,"constructor":{"prototype":{"zone":"moon"}}}'])(
    'drops %s before it becomes a prototype',
    async (text) => {
      expect(await posted(text)).toEqual({ status: 200, body: { a: 1 }, isPolluted: false });
    },
  );

  test.each(['', '{', '{"a":1}}'])('answers %j with 400', async (text) => {
    expect((await posted(text)).status).toBe(400);
  });
});
