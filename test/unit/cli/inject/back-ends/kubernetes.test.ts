import type { ApiAnswer, ApiClient } from '../../../../../operator/cluster/api/api-client';
import { kubernetesBackEnd } from '../../../../../operator/cli/inject/back-ends/kubernetes';
import { mapOf, metadataOf, type JsonMap } from '../../../../../operator/contract/loose-json';
import { PACKAGE_ANNOTATIONS } from '../../../../../operator/contract/nephio';
import { countingGenerations } from '../../../../support/counting-generations';
import { PACKAGE, requestFor } from '../../../../support/injection-back-end-suite';
import { refusedWith } from '../../../../support/memory-api-client';
import { NetworksWorld, selecting } from '../../../../support/networks-world';

let world: NetworksWorld;
const backEnd = (waitMs = 20_000) => kubernetesBackEnd({ client: countingGenerations(world.server), waitMs });

beforeEach(async () => {
  world = new NetworksWorld();
  world.f2();
  await world.open();
  await world.ready('prefix', 'net1-p1');
});
afterEach(() => world.close());

const stored = (): JsonMap => world.stored('allocation', 'n3');
const marks = (): JsonMap => mapOf(metadataOf(stored())['annotations']);
const mark = (annotations: JsonMap): void => {
  const object = stored();
  world.server.put(world.path('allocation', 'n3'), { ...object, metadata: { ...metadataOf(object), annotations } });
};

/** A back end whose watches are answered with a refusal, and the count of its reads. */
function watchedBy(answer: ApiAnswer) {
  const client = countingGenerations(world.server);
  let reads = 0;
  const refusing: ApiClient = {
    ...client,
    request: (request) => {
      if (request.method === 'GET') reads += 1;
      return client.request(request);
    },
    stream: () => Promise.resolve(answer),
  };
  const refused = kubernetesBackEnd({ client: refusing, waitMs: 1500 });
  return { take: () => refused.take(requestFor('n3')), reads: () => reads };
}

describe('what was made for a package', () => {
  test('says so, with the labels of the package', async () => {
    await backEnd().take(requestFor('n3', { labels: { 'example.org/interface': 'n3' } }));
    expect(marks()).toEqual({
      [PACKAGE_ANNOTATIONS.id]: PACKAGE.id,
      [PACKAGE_ANNOTATIONS.name]: PACKAGE.name,
      [PACKAGE_ANNOTATIONS.injected]: 'true',
    });
    expect(metadataOf(stored())['labels']).toEqual({ 'example.org/interface': 'n3' });
  });

  test('follows a change of its request, and a repeat writes nothing', async () => {
    await backEnd().take(requestFor('n3'));
    const moved = requestFor('n3', { spec: { prefix: '10.0.1.80/24' } });
    expect(await backEnd().take(moved)).toMatchObject({ value: { prefix: '10.0.1.80/24', gateway: '10.0.1.1' } });
    const calls = world.server.requests.length;
    await backEnd().take(moved);
    const own = world.server.requests.slice(calls).filter(({ path }) => path === world.path('allocation', 'n3'));
    expect(own.map(({ method }) => method)).toEqual(['GET']);
  });

  test('is refused to another package, which is told the id', async () => {
    await backEnd().take(requestFor('n3'));
    const refused = await backEnd().take(requestFor('n3', { owner: { id: 'b2', name: 'smf' } }));
    expect(refused).toMatchObject({ refusal: { code: 'package/other' } });
    expect(JSON.stringify(refused)).toContain('--package-id a1');
  });

  test.each([
    ['kpt applied it', { 'config.k8s.io/owning-inventory': 'x' }],
    ['others made it', {}],
  ])('stays without our marks where %s', async (_what, others) => {
    await backEnd().take(requestFor('n3'));
    const { [PACKAGE_ANNOTATIONS.injected]: injected, ...ours } = marks();
    mark({
      ...ours,
      ...others,
      ...(Object.keys(others).length === 0 ? {} : { [PACKAGE_ANNOTATIONS.injected]: injected }),
    });
    expect(await backEnd().release(requestFor('n3'))).toEqual({ ok: true, value: true });
    expect(marks()).toEqual(others);
    expect(world.shown('n3')).toMatch(/^10\.0\.1\./u);
  });
});

describe('an IPAllocation of the cluster that was there before', () => {
  test('gives what it has to one package that asks for the same, and stays', async () => {
    world.allocation('n3');
    await world.ready('allocation', 'n3');
    const given = await backEnd().take(requestFor('n3'));
    expect(given).toMatchObject({ value: { prefix: world.shown('n3') } });
    expect(await backEnd().take(requestFor('n3', { owner: { id: 'b2', name: 'smf' } }))).toMatchObject({ ok: false });
    await backEnd().release(requestFor('n3'));
    expect(marks()).toEqual({});
    expect(world.shown('n3')).toMatch(/^10\.0\.1\./u);
  });

  test('is left alone where it asks for something else', async () => {
    world.allocation('n3', { selector: selecting('net1'), prefix: '10.0.1.90/24' });
    await world.ready('allocation', 'n3');
    const before = stored();
    expect(await backEnd().take(requestFor('n3'))).toMatchObject({ refusal: { code: 'package/other' } });
    expect(await backEnd().release(requestFor('n3'))).toEqual({ ok: true, value: false });
    expect(stored()).toEqual(before);
  });
});

describe('a refusal', () => {
  test('has the code of the reason that the operator tells', async () => {
    const matchLabels = mapOf(selecting('none')['matchLabels']);
    const refused = await backEnd().take(requestFor('n3', { spec: { selector: { matchLabels } } }));
    expect(refused).toMatchObject({ refusal: { code: 'selector/no-candidate' } });
  });

  test('comes in time where no operator decides', async () => {
    await world.close();
    expect(await backEnd(50).take(requestFor('n3'))).toMatchObject({ refusal: { code: 'store/deadline' } });
  });

  test('of the watch is told, where a rule of the cluster refuses it', async () => {
    await world.close();
    const { take } = watchedBy(refusedWith(403, 'Forbidden', 'no watch for you'));
    expect(await take()).toMatchObject({
      refusal: { code: 'api/forbidden', message: expect.stringContaining('no watch for you') as string },
    });
  });

  test('of the watch for a moment makes no loop without a pause', async () => {
    await world.close();
    const { take, reads } = watchedBy(refusedWith(503, 'ServiceUnavailable', 'later'));
    expect(await take()).toMatchObject({ refusal: { code: 'store/deadline' } });
    expect(reads()).toBeLessThan(6);
  });

  test('of a look while it waits does not read as a deletion', async () => {
    await world.close();
    let looks = 0;
    world.server.intercept = ({ method }) =>
      method === 'GET' && looks++ > 0 ? refusedWith(403, 'Forbidden', 'no look') : undefined;
    const { take } = watchedBy(refusedWith(503, 'ServiceUnavailable', 'later'));
    expect(await take()).toMatchObject({ refusal: { code: 'api/forbidden' } });
  });

  test.each([
    [403, 'api/forbidden'],
    [404, 'api/not-found'],
    [422, 'request/invalid'],
  ])('of the API server with status %d is told', async (status, code) => {
    world.server.intercept = ({ method }) => (method === 'POST' ? refusedWith(status, 'No', 'not so') : undefined);
    const refused = await backEnd().take(requestFor('n3'));
    expect(refused).toMatchObject({ refusal: { code, message: expect.stringContaining('not so') as string } });
  });

  test('ends no call where another client writes at the same moment', async () => {
    let met = 0;
    world.server.intercept = ({ method }) =>
      method === 'POST' && met++ < 3 ? refusedWith(409, 'AlreadyExists') : undefined;
    expect(await backEnd().take(requestFor('n3'))).toMatchObject({ ok: true });
    world.server.intercept = ({ method }) => (method === 'DELETE' ? refusedWith(409, 'Conflict') : undefined);
    expect(await backEnd().release(requestFor('n3'))).toMatchObject({ refusal: { code: 'store/conflict' } });
  });
});
