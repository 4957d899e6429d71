import { openGrpcBackEnd } from '../../../../../operator/cli/inject/back-ends/grpc';
import type { InjectionBackEnd } from '../../../../../operator/cli/inject/back-ends/back-end';
import { NEPHIO } from '../../../../../operator/contract/nephio';
import { AllocServer } from '../../../../support/alloc-server';
import { GrpcWorld } from '../../../../support/grpc-world';
import { requestFor } from '../../../../support/injection-back-end-suite';

const selector = {
  matchLabels: { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: 'net1' },
  matchExpressions: [{ key: NEPHIO.networkName, operator: 'In', values: ['net1'] }],
};
const byExpressions = requestFor('n3', { spec: { selector } });

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function otherServer(): Promise<AllocServer> {
  const server = new AllocServer();
  await server.start();
  closing.push(() => {
    server.stop();
  });
  return server;
}

async function backEndAt(server: string): Promise<InjectionBackEnd> {
  const backEnd = await openGrpcBackEnd({ server, isPlaintext: true, waitMs: 20_000 });
  closing.unshift(() => backEnd.close());
  return backEnd;
}

describe('a request with matchExpressions', () => {
  test('is refused before a server that knows none is asked, and what the name has stays', async () => {
    const server = await otherServer();
    const backEnd = await backEndAt(server.address);
    const given = await backEnd.take(requestFor('n3'));
    const refused = await backEnd.take(byExpressions);
    expect(refused).toMatchObject({ refusal: { code: 'request/invalid', field: 'spec.selector.matchExpressions' } });
    expect(server.requests).toHaveLength(1);
    expect(await backEnd.take(requestFor('other'))).not.toMatchObject(given);
    expect(await backEnd.take(requestFor('n3'))).toEqual(given);
  });

  test('is given by the Networks door', async () => {
    const world = new GrpcWorld();
    closing.push(() => world.close());
    world.f2();
    await world.serve();
    await world.ready('prefix', 'net1-p1');
    const backEnd = await backEndAt(world.address);
    const given = await backEnd.take(byExpressions);
    expect(given).toMatchObject({ value: { parentPrefix: '10.0.1.0/24' } });
    expect(await backEnd.take(byExpressions)).toEqual(given);
  });

  test('is not sent to a server that cannot be reached', async () => {
    const backEnd = await backEndAt('localhost:1');
    expect(await backEnd.take(byExpressions)).toMatchObject({ refusal: { code: 'store/unavailable' } });
  });
});

test('an answer without a prefix is a refusal, and what the name has stays', async () => {
  const server = await otherServer();
  const backEnd = await backEndAt(server.address);
  const given = await backEnd.take(requestFor('n3'));
  server.isEmpty = true;
  expect(await backEnd.take(requestFor('n3'))).toMatchObject({ refusal: { code: 'cluster/refused' } });
  server.isEmpty = false;
  expect(await backEnd.take(requestFor('other'))).not.toMatchObject(given);
});
